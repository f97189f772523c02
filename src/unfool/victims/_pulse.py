"""Whether a server that lets requests wait is still there."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

_FEWEST = 3
_TIMEOUTS_WAITED = 2


class Pulse:
    """Counts the requests that timed out since any request was answered, over all threads.

    Args:
        timeout: How long a request may take.
    """

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

        It is where nothing was answered for the time of two such requests, nor a probe then: one text may make a
        server hang that answers about all others.

        Args:
            began: When the request was sent, by `time.monotonic`.
            probe: Asks what the server has answered before, and says whether it answers now.
        """
        with self._counting:
            self._since = began if self._silent == 0 else min(self._since, began)
            self._silent += 1
        with self._feeling:  # one thread probes for all
            if began < self._gone_at:
                return True
            with self._counting:
                waited = time.monotonic() - self._since
                if self._silent < _FEWEST or waited < _TIMEOUTS_WAITED * self._timeout:
                    return False
            if probe():
                return False
            self._gone_at = time.monotonic()
            return True
