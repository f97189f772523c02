"""A service that works out each distinct string once, and rows of tokens in batches by length."""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, Self, TypeVar

from unfool.engine import Later

T = TypeVar("T")
_KEPT_STRINGS = 50_000


def by_length(lengths: Sequence[int], most: int, least: float = math.inf) -> Iterator[list[int]]:
    """Yield the numbers of rows in batches, the shortest rows first.

    Args:
        lengths: The tokens of each row.
        most: A batch has so many tokens at most, padding counted, or one row.
        least: A batch of so many tokens keeps the device busy: it ends before the next longer row.
    """
    batch: list[int] = []
    width = 0
    for number in sorted(range(len(lengths)), key=lengths.__getitem__):
        longer = lengths[number]
        is_full = (len(batch) + 1) * longer > most or (longer > width and len(batch) * width >= least)
        if batch and is_full:
            yield batch
            batch = []
        batch.append(number)
        width = longer
    if batch:
        yield batch


class StringService(ABC, Generic[T]):
    """A request is a list of strings; its answer is a list as long, or what `together` makes of it."""

    def __init__(self) -> None:
        self._kept: dict[str, T] = {}

    def with_nothing_kept(self) -> Self:
        """Return a copy that has answered nothing yet."""
        made = copy.copy(self)
        made._kept = {}
        return made

    @abstractmethod
    def work_out(self, strings: Sequence[str]) -> Iterable[T]:
        """Return one answer a string."""

    def together(self, answers: list[T]) -> Any:
        """Return the answer to one request."""
        return answers

    def launch(self, requests: Sequence[Sequence[str]]) -> Later[list[Any]]:
        """Answer what all samples ask."""
        if len(self._kept) > _KEPT_STRINGS:
            self._kept.clear()
        unknown = [s for s in dict.fromkeys(s for strings in requests for s in strings) if s not in self._kept]
        self._kept.update(zip(unknown, self.work_out(unknown), strict=True))
        return Later.of([self.together([self._kept[string] for string in strings]) for strings in requests])
