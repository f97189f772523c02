"""Calls code that came with a victim: apart from ours, and in batches that survive a failure."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from unfool.engine import described
from unfool.errors import UserError, VictimError
from unfool.victims._victim import Input, require_one_each


class Aside:
    """Runs a victim's code; a block is ``with aside():``.

    Its prints go to the error stream, since results are printed to the other one. It may change the current
    directory: it finds itself there again at its next turn, and everybody else stays where they were.
    """

    def __init__(self) -> None:
        self._place: str | None = None
        """The directory the victim has gone to; None if it has stayed."""

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Run a block of the victim's code."""
        ours = _current_directory()
        with _printing_aside():
            if self._place:
                with suppress(OSError):
                    os.chdir(self._place)
            try:
                yield
            finally:
                theirs = _current_directory()
                self._place = theirs if theirs != ours else None
                if self._place and ours:
                    os.chdir(ours)


_lock = threading.Lock()
_inside = 0
_before: TextIO = sys.stdout


@contextmanager
def _printing_aside() -> Iterator[None]:
    """Swap the stream once for all threads inside: each that swapped it back would do so under the others."""
    global _inside, _before
    with _lock:
        if not _inside:
            _before, sys.stdout = sys.stdout, sys.stderr
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                sys.stdout = _before


def _current_directory() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # somebody has removed it
        return None


BATCH = 64
"""Most texts a victim is asked about in one call, by default."""

Rows = NDArray[Any] | list[Any]
"""One row a text, or a `VictimError` in its place."""


class Batches:
    """Asks about any number of texts, at most so many a call.

    A batch that fails, because memory is full or for any other reason, is asked again in halves, down to single
    texts. If a text fails alone, it is to blame, and the size of batches stays. If none does, the size is to blame:
    when that happens twice in a row, batches stay as small as the largest that worked. No answer depends on it.
    """

    def __init__(self, victim: str, ask: Callable[[Sequence[Input]], Rows], most: int) -> None:
        if most < 1:
            raise UserError(f"{victim} cannot take batch={most}; give 1 or more")
        self._victim, self._ask, self.size = victim, ask, most
        self._in_doubt = False

    def rows(self, inputs: Sequence[Input]) -> Rows:
        """Return one row a text."""
        parts: list[Rows] = []
        start = 0
        while start < len(inputs):
            batch = inputs[start : start + self.size]
            parts += self._answered(batch)
            start += len(batch)
        if all(isinstance(part, np.ndarray) for part in parts):
            return np.concatenate(parts) if parts else []
        return [row for part in parts for row in part]

    def _answered(self, batch: Sequence[Input]) -> list[Rows]:
        worked: list[int] = []
        parts = self._halved(batch, worked)
        if sum(worked) < len(batch):  # a text failed alone
            return parts
        if len(parts) == 1:
            self._in_doubt &= len(batch) < self.size
        elif self._in_doubt:
            self.size, self._in_doubt = max(worked), False
        else:
            self._in_doubt = True
        return parts

    def _halved(self, batch: Sequence[Input], worked: list[int]) -> list[Rows]:
        """Return the rows of a batch in parts, and add the size of each part that worked."""
        try:
            rows = self._ask(batch)
            require_one_each(self._victim, rows, len(batch))
        except VictimError as error:
            fault = error
        except UserError:
            raise
        except (Exception, SystemExit) as error:
            # The error itself is let go of: it holds on to what filled the memory.
            fault = VictimError(f"{self._victim} {_what_happened(error)}")
            if len(batch) == 1:
                fault.__cause__ = error
        else:
            worked.append(len(batch))
            return [rows]
        if len(batch) == 1:
            return [[fault]]
        middle = (len(batch) + 1) // 2
        return self._halved(batch[:middle], worked) + self._halved(batch[middle:], worked)


def _what_happened(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"called sys.exit({'' if error.code is None else repr(error.code)})"
    return f"raised {described(error)}"
