"""What a page's example prints, when it is run."""

from __future__ import annotations

import os
import re
import subprocess
import sysconfig
import tempfile

_PARAGRAPHS = 2
_CHANGES_WITH_TIME = re.compile(r"^\d[\d.]* seconds.*\n?|, \d[\d.]* seconds$", re.MULTILINE)
_WIDTH = "110"


def printed(commands: str) -> str:
    """Run commands in an empty folder and return the start of what they print: the figures and one text."""
    scripts = sysconfig.get_path("scripts")
    surroundings = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "COLUMNS": _WIDTH}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", commands],
            cwd=folder,
            env=surroundings,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise SystemExit(f"the example failed with {done.returncode}:\n{commands}\n{done.stderr}")
    return shortened(done.stdout)


def shortened(said: str) -> str:
    """Return the first paragraphs, without what differs from run to run."""
    stable = _CHANGES_WITH_TIME.sub("", said).replace("\r", "")
    paragraphs = re.split(r"\n\s*\n", stable.strip("\n"))
    kept = "\n\n".join(paragraphs[:_PARAGRAPHS])
    lines = [line.rstrip() for line in kept.splitlines()]
    return "\n".join([*lines, "…"] if len(paragraphs) > _PARAGRAPHS else lines)
