"""A study served as its owner serves it: by a command in a process of its own."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx
from tests.end_to_end.command import command, surroundings

from unfool.rating import Study


class Served(NamedTuple):
    """A server's address, the raters' tokens, and its process."""

    url: str
    tokens: list[str]
    process: subprocess.Popen[str]

    def client(self) -> httpx.Client:
        """Return what asks as the server's own page does."""
        return httpx.Client(base_url=self.url, headers={"origin": self.url}, timeout=60, trust_env=False)


@contextmanager
def served(study: Path, port: int = 0) -> Iterator[Served]:
    """Serve a study until the end of the ``with``."""
    process = subprocess.Popen(
        command("rate", "serve", study, "--port", port),
        env=surroundings({}), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        store = Study.open(study).store
        links = [process.stdout.readline().split()[1] for _ in store.raters()]
        store.close()
        yield Served(links[0].partition("/r/")[0], [link.rpartition("/")[2] for link in links], process)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
