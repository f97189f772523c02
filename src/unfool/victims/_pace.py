"""How fast threads may send requests, all together."""

from __future__ import annotations

import threading
import time
from concurrent.futures import CancelledError


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
