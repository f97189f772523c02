"""All that the golden set asks of unfool. When a public name changes, this file changes with it, and no other.

Nothing here may decide what is recorded: labels go by their names, texts and counts as they come.
"""

from __future__ import annotations

import os
import string
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from tests.end_to_end.command import fresh
from tests.golden.texts import LABELS, WORDS

import unfool
from unfool import resources, zoo
from unfool.data import Dataset, from_texts
from unfool.engine import Budget, Outcome
from unfool.errors import UserError
from unfool.rules import RuleFilter, apply_rules
from unfool.rules import mine_rules as mine
from unfool.runs import Run
from unfool.stats import Rate
from unfool.transfer import study
from unfool.victims import Options, open_victim
from unfool.zoo.fronts import make_front

Data: TypeAlias = Dataset
Record: TypeAlias = dict[str, Any]
Texts: TypeAlias = Sequence[str] | Sequence[tuple[str, str]]
OUTCOMES = "outcomes.jsonl"
RESULTS = (OUTCOMES, "summary.json")
"""The files of a run that nothing but its settings decides."""
RESOURCES = ("wordnet", "textblob", "counter-fitted", "minilm", "stopwords", "glove-840b-300d", "glove-6b-50d")
_CPU = Options(device="cpu", dtype="fp32")


class Limits(NamedTuple):
    """What an attack may cost, must keep and has to reach."""

    queries: int | None = None
    words: float | None = None
    characters: float | None = None
    constrain: str = ""
    target: str | None = None
    confidence: float = 0.0
    eot: int = 1
    seed: int = 0

    @property
    def budget(self) -> Budget:
        return Budget(self.queries, self.words, self.characters)


def missing_resource() -> str | None:
    """Fetch what attacks read, and say what cannot be had."""
    for name in RESOURCES:
        try:
            resources.get(name, progress=False)
        except UserError as error:
            return f"the resource {name} cannot be had here: {error}"
    return None


@contextmanager
def cache_of_its_own(folder: Path) -> Iterator[None]:
    """Keep models that are trained by name in a folder of their own, with the resources linked into it."""
    folder.mkdir()
    for entry in resources.cache_root().iterdir():
        if entry.name != "zoo":
            (folder / entry.name).symlink_to(entry)
    before = os.environ.get("UNFOOL_CACHE")
    os.environ["UNFOOL_CACHE"] = str(folder)
    try:
        yield
    finally:
        del os.environ["UNFOOL_CACHE"]
        if before is not None:
            os.environ["UNFOOL_CACHE"] = before


def save_net(
    folder: Path, net: str, reads: str, weights: Callable[[str, Sequence[int]], NDArray[np.float32]], **sizes: Any
) -> None:
    """Save a net of the zoo that reads ``words``, ``char-words`` or ``characters``."""
    import torch

    encoder: Any
    front: dict[str, int] = {}
    if reads == "words":
        encoder = zoo.WordVocabulary(WORDS)
    elif reads == "char-words":
        encoder, front = zoo.CharWords(string.ascii_letters, words=WORDS), {"kernel": 3, "filters": 6}
    else:
        encoder = zoo.Characters(string.ascii_letters + " ")
    kind = "CharCNN" if front else "Vectors"
    made = zoo.make_net(net, make_front(kind, rows=len(encoder), dimensions=8, **front), len(LABELS), **sizes)
    with torch.no_grad():
        for name, values in made.named_parameters():
            values.copy_(torch.from_numpy(weights(name, values.shape)))
        for layer in made.modules():
            if isinstance(layer, torch.nn.Embedding) and layer.padding_idx is not None:
                layer.weight[layer.padding_idx] = 0  # as in every net of the zoo
    zoo.save(folder, made, encoder, LABELS, {"seed": 0})


def victims_labels(victim: str, texts: Texts) -> list[str]:
    """Return what a victim answers about texts, label names."""
    model = open_victim(victim, _CPU)
    inputs = [(text,) if isinstance(text, str) else text for text in texts]
    return [model.labels[number] for number in model.check(inputs).result().values.argmax(axis=1)]


def label_names(victim: str) -> tuple[str, ...]:
    """Return the names of a victim's labels."""
    return tuple(open_victim(victim, _CPU).labels)


def data_of(texts: Texts, labels: Sequence[str], names: Sequence[str], edit: str | None = None) -> Data:
    """Make a data set; of pairs, ``edit`` is ``text`` or ``pair``."""
    firsts = [text if isinstance(text, str) else text[0] for text in texts]
    seconds = [text[1] for text in texts if not isinstance(text, str)]
    return from_texts(firsts, labels, pairs=seconds or None, edit=edit, names=names, name="golden")


def rows_of(data: Data) -> list[tuple[str, str]]:
    """Return each text of a data set with the name of its label."""
    return [(sample.text.strings[0], data.labels[sample.label]) for sample in data]


def attack(
    victim: str,
    data: Data,
    recipe: str,
    out: Path,
    limits: Limits,
    *,
    width: int | None = None,
    resume: bool = False,
) -> Record:
    """Attack and return what is recorded of the run."""
    return _run_record(
        unfool.attack(
            victim,
            data,
            recipe,
            seed=limits.seed,
            budget=limits.budget,
            constrain=limits.constrain,
            target=limits.target,
            confidence=limits.confidence,
            eot=limits.eot,
            in_flight=width,
            options=_CPU,
            out=out,
            resume=resume,
            progress=False,
        )
    )


def attack_by_command(victim: str, file: Path, recipe: str, out: Path, limits: Limits, *, workers: int) -> Record:
    """Do the same by the command line; the data are a file."""
    given: dict[str, object] = {
        "--max-queries": limits.queries,
        "--max-words": limits.words,
        "--max-characters": limits.characters,
        "--constrain": limits.constrain or None,
        "--target": limits.target,
        "--confidence": limits.confidence or None,
        "--seed": limits.seed,
        "--workers": workers,
        "--device": "cpu",
    }
    options = [str(part) for name, value in given.items() if value is not None for part in (name, value)]
    done = fresh(
        *("attack", "--victim", victim, "--data", file, "--attack", recipe, "--out", out, "--quiet", *options),
        cwd=Path(__file__).parents[2],
    )
    assert done.code == 0, done.err
    return _run_record(Run.open(out))


def _run_record(run: Run) -> Record:
    failures = [failure.error for failure in run.failures()]
    assert not failures, failures
    summary, names = run.summary, run.label_names
    rates = (summary.clean_accuracy, summary.success_rate, summary.accuracy_under_attack)
    return {
        "samples": summary.samples,
        "attacked": summary.attacked,
        "successes": summary.successes,
        **{
            name: [rate.count, rate.of, *rate.interval]
            for name, rate in zip(("clean accuracy", "success rate", "accuracy under attack"), rates, strict=True)
        },
        "mean queries": summary.queries_mean,
        "mean words changed": summary.words_changed,
        "outcomes": {f"sample {outcome.id}": _outcome_record(outcome, names) for outcome in run.outcomes()},
    }


def _outcome_record(outcome: Outcome, names: Sequence[str]) -> Record:
    return {
        "label": names[outcome.label],
        "status": str(outcome.status),
        "reason": outcome.reason,
        "original": list(outcome.original),
        "perturbed": list(outcome.perturbed),
        "before": [names[outcome.before.label], outcome.before.confidence],
        "after": [names[outcome.after.label], outcome.after.confidence],
        "queries": outcome.queries,
        "checks": outcome.checks,
        "words changed": outcome.words_changed,
    }


def transfer_study(victims: Sequence[str], data: Data, recipe: str, out: Path) -> Record:
    """Craft texts on each victim, try them on all others, and return every cell, as it is and corrected."""
    made = study(victims, data, recipe, out=out, workers=1, options=_CPU, progress=False)
    assert not made.problems, made.problems
    rates = {
        (source, target, corrected): made.rate(source, target, corrected=corrected)
        for source in victims
        for target in victims
        for corrected in (False, True)
    }
    return {
        source: {
            target: [
                rate and [rate.count, rate.of, *rate.interval]
                for rate in (rates[source, target, False], rates[source, target, True])
            ]
            for target in victims
        }
        for source in victims
    }


def mine_rules(victims: Sequence[str], data: Data, out: Path) -> Record:
    """Mine rules, and apply them to a victim over the same texts."""
    kept = RuleFilter(per_word=2)
    book = mine(victims, data, out / "rules.jsonl", kept=kept, options=_CPU, workers=1, progress=False)
    applied = apply_rules(book, data, 0.3, victims[0], options=_CPU, out=out / "applied", progress=False)
    return {
        "labels": list(book.labels),
        "rules": [
            [rule.label, rule.word, rule.substitute, rule.salience, rule.support, rule.right, rule.flips]
            for rule in book.rules
        ],
        "applied": _run_record(applied),
    }


def evaluate_beside(victim: str, against: str, data: Data, recipes: Sequence[str], out: Path) -> Record:
    """Evaluate a victim beside another one and return the figures of both."""
    found = unfool.evaluate(victim, data, recipes, against=against, out=out, options=_CPU, progress=False)
    own = ("attacked", "successes", "queries_mean", "words_changed", "characters_changed")
    sides = ("victim", "base")
    return {
        "clean": {
            side: [*_counts((answers := getattr(found.clean, side)).accuracy), answers.macro_f1] for side in sides
        },
        "attacks": {
            recipe: {side: [getattr(getattr(row, side), key) for key in own] for side in sides}
            for recipe, row in zip(recipes, found.attacks, strict=True)
        },
        "worst case": {side: _counts(getattr(found.worst_case, side)) for side in sides},
        "transfer": {
            f"{row.made_on} to {row.tried_on}, {number % len(recipes)}": [row.fooled, row.texts]
            for number, row in enumerate(found.transfer)
        },
    }


def _counts(rate: Rate) -> list[int]:
    return [rate.count, rate.of]


def harden_net(method: str, victim: str, data: Path, out: Path) -> Record:
    """Train a net of the zoo to withstand attacks; return its accuracies and the settings it was trained by."""
    hardened = unfool.harden(
        method, victim, str(data), out, epochs=4, lr=3e-2, batch=16, device="cpu", progress=False
    )
    chosen = ("n", "epochs", "lr", "batch", "keep", "epoch", "validation", "test")
    told = hardened.to_json()
    return {name: told[name] for name in chosen}
