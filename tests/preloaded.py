"""Processes that find big packages imported already, since a start of PyTorch and transformers takes seconds.

They are forked from a server that has imported packages of others and nothing of unfool: what a command imports of
unfool, reads, writes, catches and leaves behind when it is killed, it does in a process of its own as always.
"""

from __future__ import annotations

import atexit
import json
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from multiprocessing import get_context
from multiprocessing.context import ForkServerContext
from multiprocessing.forkserver import ensure_running
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

PACKAGES = [
    "pandas",
    "pyarrow.parquet",
    "rich.console",
    "safetensors.torch",
    "sklearn.feature_extraction.text",
    "sklearn.linear_model",
    "sklearn.pipeline",
    "skops.io",
    "transformers.models.auto.modeling_auto",
    "transformers.models.auto.tokenization_auto",
    "transformers.models.bert.modeling_bert",
    "transformers.models.bert.tokenization_bert",
    "typer",
    "vaderSentiment.vaderSentiment",
]
SURROUNDINGS = {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
"""What packages look at when they are imported: one thread a process, so that tests leave the machine usable."""


class Process:
    """A script under way, which can be waited for and killed like a `subprocess.Popen`.

    Args:
        script: A script of Python.
        arguments: What it is given.
        cwd: The folder it works in.
        environment: All of its environment.
    """

    def __init__(self, script: Path, arguments: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> None:
        self._folder = TemporaryDirectory()
        given = (str(script), list(arguments), str(cwd), dict(environment), _plain_path(), self._folder.name)
        self._process = _server().Process(target=_run, args=given)
        self._process.start()
        self.pid = self._process.pid or 0

    @property
    def returncode(self) -> int | Any:
        """What it ended with; minus the signal's number if it was killed."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """Return what it ended with, if it did."""
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill it."""
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait until it has ended, and return what it said."""
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("unfool", timeout or 0)
        out, err = (_text(Path(self._folder.name, name)) for name in ("out", "err"))
        return out, err


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.exists() else ""


@cache
def _server() -> ForkServerContext:
    context = get_context("forkserver")
    context.set_forkserver_preload(PACKAGES)
    before = {**os.environ}
    os.environ.update(SURROUNDINGS)
    ensure_running()
    os.environ.clear()
    os.environ.update(before)
    return context


@cache
def _plain_path() -> list[str]:
    """Where a process that is no test finds modules."""
    code = "import json, sys; print(json.dumps(sys.path[1:]))"
    found: list[str] = json.loads(subprocess.check_output([sys.executable, "-c", code]))
    return found


def _run(
    script: str, arguments: list[str], cwd: str, environment: dict[str, str], path: list[str], said: str
) -> None:
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    for number, name in enumerate(("out", "err"), start=1):
        with Path(said, name).open("w") as file:
            os.dup2(file.fileno(), number)
    sys.argv, sys.path = [script, *arguments], [str(Path(script).parent), *path]
    # A shell makes its background jobs, and so all their children, deaf to Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        runpy.run_path(script, run_name="__main__")
    finally:
        atexit._run_exitfuncs()
