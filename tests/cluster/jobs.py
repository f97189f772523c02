"""Jobs that workers on other machines find by name."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

from unfool.errors import UserError


def write(folder: Path, name: str) -> Path:
    """Leave a file that tells how often it was written, and return its path."""
    path = folder / "made" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    times = len(path.read_text()) if path.exists() else 0
    path.write_text("x" * (times + 1))
    return path


def stumble(folder: Path, name: str) -> None:
    """Leave a file, and then fail for a reason or for none."""
    write(folder, name)
    if name == "user":
        raise UserError("the user said so")
    raise ValueError("nobody thought of this")


def where(_: None, seconds: float) -> tuple[Sequence[int], int]:
    """Tell which GPUs are there for this process, and which process it is."""
    import ray

    time.sleep(seconds)
    return ray.get_gpu_ids(), os.getpid()


def home() -> Path:
    """Where the models lie on another machine."""
    return Path(os.environ["UNFOOL_OTHER_HOME"])


def train(_: None, name: str) -> Path:
    """Make a model on the machine that this runs on, unless it is there."""
    place = home() / name
    if not place.exists():
        place.mkdir(parents=True)
        (place / "weights").write_text(f"made by {os.getpid()}")
    return place


def end(_: None, job: str) -> str:
    """End the process, each time, where the job says so."""
    if job == "fatal":
        os._exit(1)
    return job
