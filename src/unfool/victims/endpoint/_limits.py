"""How fast requests may be sent, and whether a server that lets them wait is still there."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError

_FEWEST_TIMEOUTS = 3
_TIMEOUTS_WAITED = 2


class Pace:
    """Lets one thread pass at a time, ``rate`` times a second at most; none while a server asks for rest."""

    def __init__(self, rate: float | None) -> None:
        self._interval = 1 / rate if rate else 0.0
        self._free_at = 0.0
        self._lock = threading.Lock()

    def wait(self, stop: threading.Event) -> None:
        """Sleep until it is this thread's turn; raise `CancelledError` if ``stop`` is set before."""
        while (delay := self._take_turn()) > 0:
            if stop.wait(delay):
                raise CancelledError

    def hold(self, seconds: float) -> None:
        """Let nobody pass for a while."""
        with self._lock:
            self._free_at = max(self._free_at, time.monotonic() + seconds)

    def _take_turn(self) -> float:
        with self._lock:
            now = time.monotonic()
            if now < self._free_at:
                return self._free_at - now
            self._free_at = now + self._interval
            return 0.0


class Pulse:
    """Counts the requests that timed out since any request was answered, over all threads."""

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._silent, self._since = 0, 0.0
        self._gone_at = 0.0
        self._counting, self._feeling = threading.Lock(), threading.Lock()

    def answered(self) -> None:
        """Note that a request brought an answer, whatever it was."""
        with self._counting:
            self._silent = 0

    def is_gone(self, began: float, probe: Callable[[], bool]) -> bool:
        """Note a request that timed out, and say whether the server is gone.

        It is if nothing was answered for the time of two such requests, nor a probe then: one text may make a
        server hang that answers about all others.
        """
        with self._counting:
            self._since = began if self._silent == 0 else min(self._since, began)
            self._silent += 1
        with self._feeling:  # one thread probes for all
            if began < self._gone_at:
                return True
            with self._counting:
                waited = time.monotonic() - self._since
                if self._silent < _FEWEST_TIMEOUTS or waited < _TIMEOUTS_WAITED * self._timeout:
                    return False
            if probe():
                return False
            self._gone_at = time.monotonic()
            return True
