"""A server on one address of this machine."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address

from unfool.app._guard import App, Guard
from unfool.errors import UserError, not_installed

LOCAL = frozenset({"127.0.0.1", "::1", "localhost"})
"""Names by which only this machine is reached."""


@dataclass(frozen=True)
class Place:
    """Where a server is reached."""

    host: str = "127.0.0.1"
    port: int = 8000
    """0 takes any that is free."""

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


def serve(app: App, place: Place, ready: Callable[[str], None], password: str | None = None) -> None:
    """Serve an app of pages until the user stops it.

    Args:
        app: What answers.
        place: Where.
        ready: Told the address once it is taken.
        password: What every visitor must give; None where links are personal, or nobody else gets here.
    """
    hosts = {place.host, *LOCAL} if place.is_local else None
    run(Guard(app, hosts, password), place, ready)


def run(app: App, place: Place, ready: Callable[[str], None]) -> None:
    """Serve what guards itself until the user stops it; ``ready`` is told the address once it is taken."""
    try:
        import uvicorn
    except ModuleNotFoundError:
        raise not_installed("pages are served with uvicorn", "app") from None
    config = uvicorn.Config(
        app, log_config=None, access_log=False, server_header=False, lifespan="off",
        ws="none", timeout_graceful_shutdown=3,
    )  # fmt: skip
    with _bound(place) as listening:
        name = f"[{place.host}]" if ":" in place.host else place.host
        ready(f"http://{name}:{listening.getsockname()[1]}")
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listening])


def _bound(place: Place) -> socket.socket:
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    try:
        return socket.create_server((place.host, place.port), family=family, backlog=1024)
    except (OSError, OverflowError) as error:
        raise UserError(
            f"cannot serve at {place.host} port {place.port}: {error}; choose another --port"
        ) from error
