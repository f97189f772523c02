"""How well rules work: by class of model, by budget, by size of the ensemble they were mined with, by text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from unfool import data as data_room
from unfool.engine import Outcome, Predictor, Status
from unfool.labels import data_numbers
from unfool.rules import MinedRules, RuleBook, RuleFilter, apply_rules, recipe_name
from unfool.runs import Run, is_run
from unfool.stats import whole_share
from unfool.storage import JSON
from unfool.text import Text, diff
from unfool.transfer import file_name, traits
from unfool.victims import Options, open_victim

ALL = "ALL"
_CLASSES = {"word": "Word", "character": "Character", "word and character": "ELMo", "sub-word": "BERT"}
CLASSES = (ALL, *_CLASSES.values())
"""The rows of the paper's tables 5 and 9."""


class Success(NamedTuple):
    """Means over models, in percent: texts that fall, and words changed in those."""

    models: int
    success: float
    words: float


class FoolsMost(NamedTuple):
    """A text that rules turn against models: against how many of those that had it right."""

    id: int
    label: int
    """Numbered as in the data set."""
    text: str
    """With ``[word → substitute]`` for what the last model to fall needed; others fell to the first of these."""
    fooled: int
    right: int


def books_by_size(mined: MinedRules, sizes: Iterable[int], kept: RuleFilter | None = None) -> dict[int, RuleBook]:
    """Return the rules of the first two, three, … models of one mining (table 9)."""
    return {size: mined.book(kept, models=range(size)) for size in sizes}


def judged_folders(books: Iterable[str], folder: str | Path, victim: str) -> dict[str, Path]:
    """Return where the runs lie in which a victim judges books, by the books' names."""
    return {book: Path(folder) / book / file_name(victim) for book in books}


def judge_all(
    books: Mapping[str, RuleBook],
    data: data_room.Dataset,
    victim: str | Predictor,
    folder: str | Path,
    *,
    budget: float = 0.3,
    least: int = 1,
    n: int | None = None,
    seed: int = 0,
    options: Options | None = None,
) -> dict[str, Run]:
    """Have one victim judge several books, and go on where that was stopped.

    Texts left without a result are tried again. A run that was made with another book, other texts or another
    budget is refused as `judge` refuses it.

    Args:
        books: The books, by name.
        data: The texts.
        victim: The judge, by name or opened; it is opened only where something is left to judge.
        folder: Where the runs go: a folder for each book, in it one for each victim.
        budget: The share of a text's words that may change.
        least: Words that may change in any text, however short.
        n: How many texts, drawn by the seed; all where None.
        seed: Draws them.
        options: How to open a victim given by name.
    """
    name = victim if isinstance(victim, str) else repr(victim)
    folders = judged_folders(books, folder, name)
    texts: dict[str, JSON] = {
        "n": len(data.sample(n, seed)),
        "seed": seed,
        "fingerprint": data.fingerprint,
        "editable": [field.name for field in data[0].text.fields if field.editable],
    }
    todo = [
        name
        for name, book in books.items()
        if not _is_judged(folders[name], {"attack": recipe_name(book, budget, least), **texts})
    ]
    model = open_victim(victim, options) if todo and isinstance(victim, str) else victim
    for book in todo:
        place = folders[book]
        apply_rules(
            books[book],
            data,
            budget,
            model,
            least=least,
            n=n,
            seed=seed,
            options=options,
            out=place,
            resume=is_run(place),
            progress=False,
        )
    return {book: Run.open(place) for book, place in folders.items()}


def by_class(runs: Mapping[str, Run]) -> dict[str, Success]:
    """Return means over the models of each class (table 5).

    Args:
        runs: One run a victim, by the victim's name; victims of no class count in ``ALL`` alone.
    """
    found: dict[str, list[tuple[float, float | None]]] = {name: [] for name in CLASSES}
    for victim, run in runs.items():
        rate, words = run.summary.success_rate.value, run.summary.words_changed
        made_of = traits(victim)
        for name in (ALL, *([_CLASSES[made_of.input_form]] if made_of else ())):
            if rate is not None:
                found[name].append((100 * rate, words))
    return {name: _means(values) for name, values in found.items() if values}


def by_budget(runs: Sequence[Run], budgets: Iterable[float], least: int = 1) -> dict[float, float]:
    """Return the mean success over models, in percent, for budgets up to the one of the runs (table 10).

    A text is stopped at the fewest changes that fool, so runs at the largest budget tell all smaller ones.
    """
    outcomes = [[each for each in run.outcomes() if each.status is not Status.SKIPPED] for run in runs]
    return {
        budget: _mean([100 * _fallen(each, budget, least) / len(each) for each in outcomes if each])
        for budget in budgets
    }


def fool_most(runs: Iterable[Run], most: int = 3) -> list[FoolsMost]:
    """Return the texts that a book of rules turns against most models (table 1); of equals, those changed least."""
    attacked: dict[int, list[Outcome]] = {}
    for run in runs:
        numbers = data_numbers(run.config)
        for outcome in run.outcomes():
            if outcome.status is not Status.SKIPPED:
                attacked.setdefault(outcome.id, []).append(replace(outcome, label=numbers[outcome.label]))
    found = []
    for id, outcomes in attacked.items():
        fooled = [each for each in outcomes if each.status is Status.SUCCESS]
        if fooled:
            last = max(fooled, key=lambda each: each.words_changed)
            told = FoolsMost(
                id, last.label, replacements(last.original, last.perturbed), len(fooled), len(outcomes)
            )
            found.append((-len(fooled), last.words_changed, id, told))
    return [told for *_, told in sorted(found)[:most]]


def replacements(original: Sequence[str], perturbed: Sequence[str]) -> str:
    """Return a text with ``[word → substitute]`` where it was changed."""
    fields = zip(original, perturbed, strict=True)
    return " / ".join(_marked(Text.of(old), Text.of(new)) for old, new in fields)


def _marked(old: Text, new: Text) -> str:
    told, at = "", 0
    for change in diff(old, new).changes:
        told += _stretch(old, at, change.position) + old.gaps[change.position]
        told += f"[{' '.join(change.before)} → {' '.join(change.after)}]"
        at = change.position + len(change.before)
    return told + _stretch(old, at, len(old)) + old.gaps[-1]


def _stretch(text: Text, start: int, stop: int) -> str:
    return "".join(text.gaps[place] + text.words[place] for place in range(start, stop))


def _is_judged(folder: Path, wanted: Mapping[str, JSON]) -> bool:
    return is_run(folder) and (run := Run.open(folder)).whole and wanted.items() <= run.config.items()


def _fallen(outcomes: Sequence[Outcome], budget: float, least: int) -> int:
    fooled = (outcome for outcome in outcomes if outcome.status is Status.SUCCESS)
    return sum(each.words_changed <= max(least, whole_share(budget, each.words)) for each in fooled)


def _means(values: Sequence[tuple[float, float | None]]) -> Success:
    changed = [words for _, words in values if words is not None]
    return Success(len(values), _mean([rate for rate, _ in values]), _mean(changed))


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 1) if values else math.nan
