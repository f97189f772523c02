"""One deadline for all of a request: connecting, sending, waiting, and every byte of the answer.

httpx counts its time-outs anew for every piece: a server that drips one byte at a time would keep us for ever.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from ssl import SSLContext
from typing import Any

import httpcore
import httpx

_NEVER = float("inf")


class Deadline:
    """Cuts off whatever a client's connections do in a thread once the time it was given is over."""

    def __init__(self, client: httpx.Client) -> None:
        self._until = threading.local()
        # httpx has no public place for the backend that opens connections, neither plain ones nor those by a proxy.
        for transport in (client._transport, *client._mounts.values()):
            if isinstance(transport, httpx.HTTPTransport):
                pool: Any = transport._pool
                pool._network_backend = _Backend(pool._network_backend, self)

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Give what this thread does inside so many seconds."""
        self._until.time = time.monotonic() + seconds
        try:
            yield
        finally:
            self._until.time = _NEVER

    def left(self, timeout: float | None, over: type[httpcore.TimeoutException]) -> float | None:
        """Return how long one step may take; raise ``over`` if no time is left."""
        until: float = getattr(self._until, "time", _NEVER)
        if until == _NEVER:
            return timeout
        left = until - time.monotonic()
        if left <= 0:
            raise over("timed out")
        return left if timeout is None else min(timeout, left)


class _Backend(httpcore.NetworkBackend):
    def __init__(self, plain: httpcore.NetworkBackend, deadline: Deadline) -> None:
        self._plain, self._deadline = plain, deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        left = self._deadline.left(timeout, httpcore.ConnectTimeout)
        return _Stream(self._plain.connect_tcp(host, port, left, local_address, socket_options), self._deadline)

    def sleep(self, seconds: float) -> None:
        self._plain.sleep(seconds)


class _Stream(httpcore.NetworkStream):
    def __init__(self, plain: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._plain, self._deadline = plain, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._plain.read(max_bytes, self._deadline.left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._plain.write(buffer, self._deadline.left(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._plain.close()

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        left = self._deadline.left(timeout, httpcore.ConnectTimeout)
        return _Stream(self._plain.start_tls(ssl_context, server_hostname, left), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._plain.get_extra_info(info)
