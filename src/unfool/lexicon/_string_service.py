"""A service that answers lists of strings, each distinct string worked out once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, Generic, TypeVar

from unfool.engine import Later

T = TypeVar("T")
_KEPT_STRINGS = 50_000


class StringService(ABC, Generic[T]):
    """A request is a list of strings; its answer is a list as long, or what `together` makes of it."""

    def __init__(self) -> None:
        self._kept: dict[str, T] = {}

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
