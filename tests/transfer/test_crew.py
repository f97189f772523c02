"""A crew that has no more time, or no more memory."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from unfool.transfer._crew import Crew


def wait(shared: None, seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def test_a_crew_that_is_out_of_time_says_so_and_ends_its_processes() -> None:
    began = time.monotonic()
    with pytest.raises(TimeoutError), Crew(2, None) as crew:
        list(crew.do(wait, [60.0, 60.0], seconds=0.5))
    assert time.monotonic() - began < 30


class OutOfMemoryError(RuntimeError):
    """What torch raises where a GPU is full, known by its name."""


def need_memory(folder: Path, job: str) -> str | None:
    """Find the memory full, the greedy job always, the unlucky one while others are at work."""
    if job == "greedy" or (job == "unlucky" and not (folder / "modest").exists()):
        raise OutOfMemoryError("tried to allocate 42 MiB; free: none")
    if job == "unluckier" and not (folder / "modest").exists():
        raise RuntimeError("cuDNN error: CUDNN_STATUS_ALLOC_FAILED")
    if job == "modest":
        time.sleep(1)
        (folder / "modest").touch()
    return os.environ.get("PYTORCH_CUDA_ALLOC_CONF")


def test_what_finds_a_gpu_full_is_done_again_when_the_others_are_done(tmp_path: Path) -> None:
    with Crew(2, tmp_path) as crew:
        done = {each.job: each for each in crew.do(need_memory, ["modest", "unlucky", "unluckier", "greedy"])}
    assert list(done) == ["modest", "unlucky", "unluckier", "greedy"]
    assert done["unlucky"].problem is None
    assert done["unluckier"].problem is None
    assert done["greedy"].problem == "the GPU's memory is full; use fewer workers and --resume"
    assert done["modest"].result == "expandable_segments:True"
