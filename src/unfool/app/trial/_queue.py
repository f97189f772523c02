"""Searches that wait for a place: some at once, a few more in line."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

from unfool.app.trial._search import Event, Search, Wish
from unfool.app.trial._shelf import Shelf
from unfool.app.trial._turns import Turns
from unfool.errors import UserError

_AT_ONCE, _IN_LINE = 8, 32


class Busy(UserError):
    """There are more searches than the server takes."""


class Queue:
    """Runs searches, first come first served; those that have begun take turns at every question.

    Args:
        shelf: The victims that are listed.
        seconds: The longest that one attack may take.
    """

    def __init__(self, shelf: Shelf, seconds: float) -> None:
        self._shelf, self._seconds = shelf, seconds
        self._threads = ThreadPoolExecutor(_AT_ONCE, "search")
        self._turns = Turns()
        self._searches = 0
        self._lock = Lock()

    def add(self, wish: Wish, tell: Callable[[Event], None]) -> Search:
        """Take what a visitor asks for; tell, in a thread of the search's own, of all that happens.

        Raises:
            Busy: There are too many.
        """
        with self._lock:
            if self._searches >= _AT_ONCE + _IN_LINE:
                raise Busy("too many people search at this moment; try again in a minute")
            tell({"type": "waiting", "others": self._searches})
            self._searches += 1
        search = Search(wish, self._shelf, self._turns, self._seconds, tell)
        self._threads.submit(self._run, search, tell)
        return search

    def _run(self, search: Search, tell: Callable[[Event], None]) -> None:
        try:
            last = search.run()
        finally:
            # First of all: a visitor who reads that it ended may ask again at once, and is not one of the others.
            with self._lock:
                self._searches -= 1
        if last:
            tell(last)
