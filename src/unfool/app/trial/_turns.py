"""Turns at one machine: who asks first goes first, and who goes on stands at the end of the line."""

from __future__ import annotations

from collections import deque
from threading import Condition


class Turns:
    """A lock that hands itself on in order, so that a long search never keeps a short one waiting for its end.

    One search works at a time: victims and word lists need not bear two at once.
    """

    def __init__(self) -> None:
        self._line = deque[object]()
        self._moved = Condition()

    def __enter__(self) -> None:
        """Wait for a turn."""
        place = object()
        with self._moved:
            self._line.append(place)
            self._moved.wait_for(lambda: self._line[0] is place)

    def __exit__(self, *_: object) -> None:
        """End the turn."""
        with self._moved:
            self._line.popleft()
            self._moved.notify_all()

    def pass_on(self) -> None:
        """Let all who wait have a turn, and take the next."""
        self.__exit__()
        self.__enter__()
