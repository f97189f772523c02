"""Lines of a file, none held in memory that is longer than any text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, AnyStr, Generic

MOST_A_ROW = 10_000_000
"""Characters of a CSV row, bytes of a line of JSON, bytes of a text in parquet."""


class TooLong(ValueError):
    """A row longer than any text that can be attacked."""

    def __init__(self, length: int) -> None:
        super().__init__(too_long(length))


def too_long(length: int) -> str:
    """Say that a row is too long."""
    return f"a row of {length / 1e6:,.1f} MB; a text has at most {MOST_A_ROW // 1_000_000} MB"


class Lines(Generic[AnyStr]):
    """The lines of a stream, one row or several lines of one.

    Raises:
        TooLong: From `__next__`, where the row has become too long; what comes next is the line behind it.
    """

    def __init__(self, stream: IO[AnyStr]) -> None:
        self._stream: IO[AnyStr] = stream
        self._row = 0

    def new_row(self) -> None:
        """Begin to count anew."""
        self._row = 0

    def __iter__(self) -> Iterator[AnyStr]:
        return self

    def __next__(self) -> AnyStr:
        line = self._stream.readline(MOST_A_ROW)
        if not line:
            raise StopIteration
        self._row += len(line)
        if self._row < MOST_A_ROW:
            return line
        while len(line) == MOST_A_ROW:  # so much of a line that goes on
            line = self._stream.readline(MOST_A_ROW)
            self._row += len(line)
        raise TooLong(self._row)
