"""The outcomes in a run's folder: all, what each cost, or some that are spread evenly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import numpy as np

from unfool.engine import Outcome
from unfool.runs._folder import OUTCOMES
from unfool.runs._records import (
    Cost,
    check_outcome,
    cost_from_line,
    outcome_from_line,
    read_lines,
    read_lines_at,
)
from unfool.storage import Ids, check_fields, index, reading

MEND = "resume the run to mend it"
Read = TypeVar("Read", Outcome, Cost)


def read_outcomes(folder: Path) -> Iterator[Outcome]:
    """Yield each outcome once, in the order of the file."""
    return _each(folder, outcome_from_line, check_outcome)


def read_costs(folder: Path) -> Iterator[Cost]:
    """Yield what each outcome cost, in the order of the file."""
    return _each(folder, cost_from_line, check_fields)


def read_spread(folder: Path, most: int, also: Iterable[int]) -> Iterator[Outcome]:
    """Yield outcomes in order of id: all, or of more than ``most`` so many, evenly spread, and ``also`` those."""
    path = folder / OUTCOMES
    with reading(folder):
        ids, offsets = index(path)
        if len(ids) > most:
            places = np.linspace(0, len(ids) - 1, most).round().astype(np.int64)
            offsets = offsets[np.union1d(places, np.flatnonzero(np.isin(ids, [*also])))]
        yield from read_lines_at(path, offsets.tolist(), outcome_from_line, check_outcome, MEND)


def _each(folder: Path, read: Callable[[bytes], Read], check: Callable[[Read], None]) -> Iterator[Read]:
    seen = Ids()
    with reading(folder):
        for record in read_lines(folder / OUTCOMES, read, check, MEND):
            if record.id not in seen:
                seen.add(record.id)
                yield record
