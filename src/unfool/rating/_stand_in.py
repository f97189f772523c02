"""Models that stand in for people: a trial run of a study, never a substitute for its votes."""

from __future__ import annotations

from collections.abc import Sequence

from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.labels import check_labels, label_order
from unfool.lexicon.language_model import LanguageModel, language_model
from unfool.rating._items import Item
from unfool.rating._records import Vote
from unfool.rating._study import Study
from unfool.rating._tasks import SIDES, Task
from unfool.runs import Run, is_run
from unfool.victims import Options, open_victim
from unfool.victims.checkpoints import CAUSAL, load_model

_PREFIX = "model:"
_EARLIER = {"language_model()": "SmolLM2-135M-Instruct"}
"""What votes called a model before it had a name."""


def stand_in_name(rater: str) -> str:
    """Return what the model is called that votes under a name."""
    name = rater.removeprefix(_PREFIX)
    return _EARLIER.get(name, name)


def ask_model(
    study: Study, victim: str | None = None, options: Options | None = None, language: str | None = None
) -> str:
    """Let a model vote on every item, once; return its name. Its votes lie apart from people's.

    On readability a language model prefers the text of lower perplexity. On labels a second classifier votes.

    Args:
        study: The study, of readability or of labels.
        victim: For labels, the classifier; not the one that was attacked.
        options: How to open it.
        language: For readability, another causal language model than SmolLM2: a folder, or a name on the hub.

    Raises:
        UserError: No model can stand in for the study's task, or the classifier was itself attacked.
    """
    items = study.items
    if study.task is Task.READABILITY:
        judge = _causal(language, options or Options()) if language else language_model()
        name, answers = judge.name, _more_natural(judge, items)
    elif study.task is Task.LABEL:
        if victim is None:
            raise UserError("a second classifier stands in for people who label texts; name it with --victim")
        name, answers = victim, _labelled(study, victim, options)
    else:
        raise UserError(f"no model stands in for people on {study.task.value}; only on readability and labels")
    turns = ("gold" if item.gold else "item" for item in items)
    study.write_stand_in(
        Vote(f"{_PREFIX}{name}", item.id, answer, turn)
        for item, answer, turn in zip(items, answers, turns, strict=True)
    )
    return name


def _causal(name: str, options: Options) -> LanguageModel:
    model, tokenizer = load_model(name, CAUSAL, allow_code=options.allow_code)
    return LanguageModel(model, tokenizer, name, options.device)


def _more_natural(judge: LanguageModel, items: Sequence[Item]) -> list[str]:
    strings = [[" ".join(text) for text in item.texts] for item in items]
    surprises = judge.launch(strings).result()
    # Of texts that surprise it equally the first counts: a coin would make the votes change from run to run.
    return [SIDES[0] if first <= second else SIDES[1] for first, second in surprises]


def _labelled(study: Study, name: str, options: Options | None) -> list[str]:
    for folder in study.run_folders:
        if is_run(folder) and Run.open(folder).config.get("victim") == name:
            raise UserError(f"{name} was attacked in {folder}: it is no second opinion; name another classifier")
    victim: Predictor = open_victim(name, options)
    check_labels("the study", study.labels, name, victim.labels)
    found = victim.check([text for item in study.items for text in item.texts]).result()
    if found.errors:
        raise UserError(f"{name} gives no answer about {len(found.errors)} texts; mend that, or name another")
    order = label_order(study.labels, victim.labels)
    values = found.values if order is None else found.values[:, order]
    return [study.labels[number] for number in values[:, : len(study.labels)].argmax(axis=1)]
