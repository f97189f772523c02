"""The stored texts that fooled a source: all that a target is asked about."""

from __future__ import annotations

import hashlib
import random
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from unfool.engine import Status
from unfool.labels import data_numbers
from unfool.runs import Run

_SOURCES_IN_MEMORY = 128


class FoolingTexts(NamedTuple):
    """Texts that fooled a source, in order of the samples' ids; labels are numbered as in the data set."""

    ids: tuple[int, ...]
    gold: tuple[int, ...]
    originals: tuple[tuple[str, ...], ...]
    perturbed: tuple[tuple[str, ...], ...]
    digest: str
    """Known again by this: answers to other texts are none to these."""


def fooling_texts(folder: Path, keep: int | None, seed: int) -> FoolingTexts:
    """Read the successes of a run; at most ``keep`` of them, drawn by the seed."""
    return _read(folder, keep, seed, _version(folder))


def digest_of_texts(folder: Path, keep: int | None, seed: int) -> str:
    """Return the digest that `fooling_texts` would give, kept for any number of runs."""
    return _digest(folder, keep, seed, _version(folder))


def _version(folder: Path) -> tuple[int, int]:
    written = (folder / "outcomes.jsonl").stat()
    return written.st_mtime_ns, written.st_size


@cache
def _digest(folder: Path, keep: int | None, seed: int, version: tuple[int, int]) -> str:
    return _read(folder, keep, seed, version).digest


@lru_cache(maxsize=_SOURCES_IN_MEMORY)
def _read(folder: Path, keep: int | None, seed: int, version: tuple[int, int]) -> FoolingTexts:
    run = Run.open(folder)
    fooled = sorted(outcome.id for outcome in run.outcomes() if outcome.status is Status.SUCCESS)
    if keep is not None and keep < len(fooled):
        fooled = sorted(random.Random(seed).sample(fooled, keep))
    wanted = set(fooled)
    found = sorted((outcome for outcome in run.outcomes() if outcome.id in wanted), key=lambda outcome: outcome.id)
    numbers = data_numbers(run.config)
    gold = tuple(numbers[outcome.label] for outcome in found)
    digest = hashlib.sha256()
    for outcome in found:
        digest.update(repr((outcome.id, outcome.original, outcome.perturbed)).encode())
    return FoolingTexts(
        tuple(fooled),
        gold,
        tuple(outcome.original for outcome in found),
        tuple(outcome.perturbed for outcome in found),
        digest.hexdigest()[:16],
    )
