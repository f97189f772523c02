"""unfool as its users meet it: a command in a process of its own."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.preloaded import SURROUNDINGS, Process

from unfool import resources
from unfool.errors import UserError

UNFOOL = Path(sysconfig.get_path("scripts")) / "unfool"
REVIEWS = Path(__file__).with_name("reviews.csv")
VADER = "py:unfool.victims.vader:probabilities"
RESULTS = ("outcomes.jsonl", "summary.json")


class Finished(NamedTuple):
    """How a command ended and what it said."""

    code: int
    out: str
    err: str


def unfool(*arguments: object, cwd: Path, **environment: str) -> Finished:
    """Run a command to its end."""
    process = start(*arguments, cwd=cwd, **environment)
    out, err = process.communicate(timeout=300)
    return Finished(process.returncode, out, err)


def fresh(*arguments: object, cwd: Path, **environment: str) -> Finished:
    """Run a command to its end in a process that has imported nothing yet."""
    done = subprocess.run(
        command(*arguments), cwd=cwd, env=surroundings(environment), capture_output=True, text=True, timeout=300
    )
    return Finished(done.returncode, done.stdout, done.stderr)


def shell(commands: str, cwd: Path, **environment: str) -> Finished:
    """Run commands as a reader who copies them, up to the first that fails; what they leave behind is ended."""
    path = f"{UNFOOL.parent}{os.pathsep}{os.environ['PATH']}"
    with (cwd / "stdout").open("w+") as out, (cwd / "stderr").open("w+") as err:
        # Files, not pipes: a server started in the background would hold a pipe open.
        process = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", commands],
            cwd=cwd,
            env=surroundings({"PATH": path, **environment}),
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        try:
            code = process.wait(timeout=300)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
        out.seek(0)
        err.seek(0)
        return Finished(code, out.read(), err.read())


def start(*arguments: object, cwd: Path, **environment: str) -> Process:
    """Start a command and return while it runs."""
    return Process(UNFOOL, [*map(str, arguments)], cwd, surroundings(environment))


def command(*arguments: object) -> list[str]:
    """Return the command line."""
    return [str(UNFOOL), *map(str, arguments)]


def attack(victim: str, recipe: str, out: object, *more: object, data: object = REVIEWS) -> list[object]:
    """Return the arguments of an attack whose results never move, and that says no more than it must."""
    given = ["--victim", victim, "--data", data, "--attack", recipe, "--out", out, "--dtype", "fp32", "--quiet"]
    return ["attack", *given, *more]


def surroundings(environment: Mapping[str, str]) -> dict[str, str]:
    """Return this environment with one thread a process, no hub, and what is given."""
    return {**os.environ, **SURROUNDINGS, **environment}


def results(run: Path) -> dict[str, bytes]:
    """Return the files that must not depend on how a run came about."""
    return {name: (run / name).read_bytes() for name in RESULTS}


def fetch_or_skip(resource: str) -> None:
    """Make sure that commands find a resource, or skip the test where it cannot be had."""
    try:
        resources.get(resource)
    except UserError as error:
        pytest.skip(f"the resource {resource} cannot be had here: {error}")


def lines(path: Path) -> int:
    """Count the lines of a file, which may not be there yet."""
    return path.read_bytes().count(b"\n") if path.exists() else 0
