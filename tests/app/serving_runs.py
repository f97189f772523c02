"""Runs served as their owner serves them: by a command in a process of its own."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.end_to_end.command import command, surroundings


@contextmanager
def serving_runs(folder: Path, *more: object) -> Iterator[str]:
    """Serve the runs below a folder until the end of the ``with``, and give the address."""
    words = command("app", folder, "--port", 0, *more)
    process = subprocess.Popen(words, env=surroundings({}), stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
