"""The two jobs of a study: craft on one source, and ask one target about the texts that fooled each source."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from unfool.data import Dataset
from unfool.engine import Predictor, Status, leading
from unfool.errors import RESUME, UserError
from unfool.generation import LABELS, JudgedByItself, find_goal, open_generator
from unfool.job import attack
from unfool.labels import check_labels, data_numbers
from unfool.runs import Run, is_finished, is_run
from unfool.storage import JSON
from unfool.transfer._study import Cell, Places
from unfool.victims import EncodedVictim, Input, Options, in_label_order, open_victim
from unfool.zoo.victim_names import model_folders

_TEXTS_A_CALL_ON_GPU = 16_384
"""A GPU wants many texts at a time; elsewhere a source at a time is as fast, and a kill costs less."""
_SOURCES_IN_MEMORY = 128


class FoolingTexts(NamedTuple):
    """Texts that fooled a source, in order of the samples' ids; labels are numbered as in the data set."""

    gold: tuple[int, ...]
    originals: tuple[tuple[str, ...], ...]
    perturbed: tuple[tuple[str, ...], ...]
    digest: str
    """Tells these texts from others: answers about others do not count for them."""


class Plan(NamedTuple):
    """What all jobs of a study share."""

    places: Places
    data: Dataset
    attack: str
    n: int | None
    keep: int | None
    seed: int
    options: Options
    bars: bool
    from_label: Sequence[str] | None = None
    goal: str | None = None

    @property
    def labels(self) -> Sequence[str]:
        """The data's labels; of sources, whether the goal is reached."""
        return LABELS if self.goal else self.data.labels

    def open(self, target: str) -> Predictor:
        """Open a victim to be asked about texts that were crafted on others."""
        options = self.options.unless_named("fp32")  # nothing is searched for here
        if self.goal:
            return JudgedByItself(open_generator(target, options), find_goal(self.goal))
        return open_victim(target, options)

    def texts(self, source: str) -> FoolingTexts:
        """Return the texts that fooled a source, once its run is finished."""
        return fooling_texts(self.places.run(source), self.keep, self.seed)

    def digest(self, source: str) -> str | None:
        """Return the digest of those texts, or None if the run is not finished."""
        folder = self.places.run(source)
        return _digest(folder, self.keep, self.seed, _version(folder)) if is_finished(folder) else None


def fooling_texts(folder: Path, keep: int | None, seed: int) -> FoolingTexts:
    """Return the texts of a finished run that fooled its source; at most ``keep`` of them, drawn by the seed."""
    return _fooling_texts(folder, keep, seed, _version(folder))


def _version(folder: Path) -> tuple[int, int]:
    written = (folder / "outcomes.jsonl").stat()
    return written.st_mtime_ns, written.st_size


@cache
def _digest(folder: Path, keep: int | None, seed: int, version: tuple[int, int]) -> str:
    """Return the digest of a source's texts; it is kept for any number of sources, the texts are not."""
    return _fooling_texts(folder, keep, seed, version).digest


@lru_cache(maxsize=_SOURCES_IN_MEMORY)
def _fooling_texts(folder: Path, keep: int | None, seed: int, version: tuple[int, int]) -> FoolingTexts:
    run = Run.open(folder)
    fooled = sorted(outcome.id for outcome in run.outcomes() if outcome.status is Status.SUCCESS)
    if keep is not None and keep < len(fooled):
        fooled = random.Random(seed).sample(fooled, keep)
    wanted = set(fooled)
    found = sorted((outcome for outcome in run.outcomes() if outcome.id in wanted), key=lambda outcome: outcome.id)
    numbers = data_numbers(run.config)
    digest = hashlib.sha256()
    for outcome in found:
        digest.update(repr((outcome.id, outcome.original, outcome.perturbed)).encode())
    return FoolingTexts(
        tuple(numbers[outcome.label] for outcome in found),
        tuple(outcome.original for outcome in found),
        tuple(outcome.perturbed for outcome in found),
        digest.hexdigest()[:16],
    )


class Target(NamedTuple):
    """A target and the sources it is to be asked about."""

    name: str
    sources: Sequence[str]


def craft(plan: Plan, source: str) -> str | None:
    """Attack a source, or go on with that; return what to say about samples without a result, if there are any."""
    folder = plan.places.run(source)
    if is_run(folder) and Run.open(folder).whole:
        return None
    run = attack(
        source,
        plan.data,
        plan.attack,
        n=plan.n,
        seed=plan.seed,
        from_label=plan.from_label,
        goal=plan.goal,
        options=plan.options,
        out=folder,
        resume=is_run(folder),
        progress=plan.bars,
    )
    failures = list(run.failures())
    return f"{len(failures)} samples have no result: {failures[0].error}" if failures else None


def craft_touches(places: Places, source: str) -> list[Path]:
    """Return the files and folders that crafting on a source reads or writes."""
    return [places.run(source), *model_folders(source)]


def fill(plan: Plan, target: Target) -> list[str]:
    """Ask a target about the stored texts of every source that it has not answered about yet.

    Returns:
        What kept cells from being filled.
    """
    column = plan.places.column(target.name)
    there = column.cells()
    digests = {source: digest for source in target.sources if (digest := plan.digest(source))}
    todo = [source for source, digest in digests.items() if source not in there or there[source].texts != digest]
    if not todo:
        return []
    run = plan.places.run(target.name)
    known: set[JSON] = {cell.fingerprint for cell in there.values()}
    if is_run(run):
        known.add(Run.open(run).config["victim_fingerprint"])
    victim = plan.open(target.name)
    fingerprint = getattr(victim, "fingerprint", None)
    if known - {fingerprint}:
        raise UserError(
            "its files changed since texts were crafted on it or its first cells were filled; remove "
            f"{column.path} and, if it is a source, {run}, then add {RESUME}"
        )
    answers, problems = _TargetAnswers(victim, plan.labels), list[str]()
    on_gpu = isinstance(victim, EncodedVictim) and victim.device.type == "cuda"
    for group in _groups(plan, todo, _TEXTS_A_CALL_ON_GPU if on_gpu else 1):
        cells, unanswered = _cells(answers, group, fingerprint)
        column.add(cells)
        problems += unanswered
    return problems


def fill_touches(places: Places, target: Target) -> list[Path]:
    """Return the files and folders that asking a target reads or writes."""
    runs = dict.fromkeys(map(places.run, (target.name, *target.sources)))
    return [places.column(target.name).path, *runs, *model_folders(target.name)]


def _cells(
    answers: _TargetAnswers, group: dict[str, FoolingTexts], fingerprint: str | None
) -> tuple[list[Cell], list[str]]:
    """Ask about the texts of some sources; return their cells, and what kept some from being filled."""
    answers.ask([text for found in group.values() for text in (*found.originals, *found.perturbed)])
    cells, problems = list[Cell](), list[str]()
    for source, found in group.items():
        try:
            before, after = (answers.labels(side, found.gold) for side in (found.originals, found.perturbed))
        except _Unanswered as error:
            problems.append(f"no answer about a text of {source}: {error}")
        else:
            cells.append(Cell(source, found.digest, fingerprint, found.gold, before, after))
    answers.forget([text for found in group.values() for text in found.perturbed])
    return cells, problems


def _groups(plan: Plan, todo: Sequence[str], texts: int) -> Iterator[dict[str, FoolingTexts]]:
    """Put the texts of sources together until there are so many, and let go of them before the next."""
    group = dict[str, FoolingTexts]()
    for source in todo:
        group[source] = plan.texts(source)
        if sum(len(found.gold) for found in group.values()) >= texts:
            yield group
            group = {}
    if group:
        yield group


class _Unanswered(Exception):
    """The victim gave no answer about a text."""


class _TargetAnswers:
    """A target's answers by text, each asked once, labels numbered as in the data set."""

    def __init__(self, victim: Predictor, data_labels: Sequence[str]) -> None:
        check_labels("the data", data_labels, repr(victim), victim.labels)
        self._victim, self._labels = in_label_order(victim, data_labels), len(data_labels)
        self._answers: dict[Input, tuple[int, ...] | str] = {}

    def ask(self, texts: Sequence[Input]) -> None:
        """Ask about texts that are new: rendered, at full precision, as the engine confirms a success."""
        new = [text for text in dict.fromkeys(texts) if text not in self._answers]
        if not new:
            return
        answers = self._victim.check(new).result()
        for number, row in enumerate(leading(answers.values)):
            error = answers.errors.get(number)
            first = tuple(label if label < self._labels else -1 for label in np.flatnonzero(row).tolist())
            self._answers[new[number]] = str(error) if error else first

    def labels(self, texts: Sequence[Input], gold: Sequence[int]) -> list[int]:
        """Return the answers about texts that were asked. Of labels that tie, the right one counts."""
        labels = list[int]()
        for text, right in zip(texts, gold, strict=True):
            first = self._answers[text]
            if isinstance(first, str):
                raise _Unanswered(first)
            labels.append(right if right in first else first[0])
        return labels

    def forget(self, texts: Sequence[Input]) -> None:
        """Let go of texts that few other sources share."""
        for text in texts:
            self._answers.pop(text, None)
