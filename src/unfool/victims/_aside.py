"""Where a victim's own code runs: what it prints stays out of the results, and where it goes stays its own."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO


class Aside:
    """Runs a victim's code; a block is ``with aside():``.

    Its prints go to the error stream, since results are printed to the other one. It may change the current
    directory: it finds itself there again at its next turn, and everybody else stays where they were.
    """

    def __init__(self) -> None:
        self._place: str | None = None
        """The directory the victim has gone to; None where it has stayed."""

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
