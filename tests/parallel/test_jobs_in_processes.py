"""Workers that have no more time, no more memory, or lose a process."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from unfool.errors import UserError
from unfool.parallel import Cause, Problem, Workers, choose_workers


def wait(shared: None, seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def test_workers_that_are_out_of_time_say_so_and_end_their_processes() -> None:
    began = time.monotonic()
    with pytest.raises(TimeoutError), Workers(2, None) as workers:
        list(workers.do(wait, [60.0, 60.0], ends=began + 0.5))
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
    with Workers(2, tmp_path) as workers:
        done = {each.job: each for each in workers.do(need_memory, ["modest", "unlucky", "unluckier", "greedy"])}
    assert list(done) == ["modest", "unlucky", "unluckier", "greedy"]
    assert done["unlucky"].problem is None
    assert done["unluckier"].problem is None
    assert str(done["greedy"].problem) == "the GPU's memory is full; use fewer workers"
    assert done["modest"].result == "expandable_segments:True"


def end_early(shared: None, job: str) -> str:
    if job == "fatal":
        os._exit(1)
    return job


@pytest.mark.parametrize("place", [0, 7])
def test_a_job_that_ends_its_process_costs_no_other(place: int) -> None:
    jobs = [str(number) for number in range(12)]
    jobs[place] = "fatal"
    with Workers(2, None) as workers:
        done = {each.job: each.result for each in workers.do(end_early, jobs)}
    assert done == {job: job if job != "fatal" else None for job in jobs}


def test_what_comes_after_a_process_that_ended_early_is_done_by_new_ones() -> None:
    with Workers(2, None) as workers:
        (lost,) = workers.do(end_early, ["fatal"])
        assert str(lost.problem) == "its process ended early; use fewer workers"
        assert {done.result for done in workers.do(end_early, ["one", "two"])} == {"one", "two"}


def fault(folder: Path, job: str) -> int:
    """Lose the GPU once, as a process does whose kernel, or whose neighbour's, reads where it must not."""

    def refuse() -> None:
        raise RuntimeError("CUDA error: an illegal memory access was encountered")

    if job == "unlucky" and not (folder / "lost").exists():
        (folder / "lost").touch()
        cuda = SimpleNamespace(is_initialized=lambda: True, synchronize=refuse, empty_cache=refuse)
        sys.modules["torch"] = SimpleNamespace(cuda=cuda)  # type: ignore[assignment]
        refuse()
    return os.getpid()


def test_a_process_that_lost_its_gpu_ends_and_its_job_is_done_by_another(tmp_path: Path) -> None:
    with Workers(2, tmp_path) as workers:
        done = {each.job: each for each in workers.do(fault, ["unlucky", *"abcdef"])}
    assert (tmp_path / "lost").exists()
    assert set(done) == {"unlucky", *"abcdef"}
    assert all(each.problem is None for each in done.values())


def complain(shared: None, job: str) -> str:
    if job == "user":
        raise UserError("mend this")
    raise ValueError("broken")


@pytest.mark.parametrize("number", [1, 2])
def test_a_problem_says_what_went_wrong_and_where(number: int) -> None:
    with Workers(number, None) as workers:
        problems = {done.job: done.problem for done in workers.do(complain, ["user", "bug"])}
    assert problems["user"] == Problem(Cause.USER_ERROR, "mend this")
    bug = problems["bug"]
    assert bug is not None
    assert (bug.cause, str(bug)) == (Cause.BUG, "ValueError: broken")
    assert 'raise ValueError("broken")' in bug.traceback
    assert str(bug.error()).startswith("a worker stopped: ValueError: broken; what was done is kept: use --resume")


@pytest.mark.parametrize("number", [1, 3])
def test_a_job_may_wait_for_others(number: int) -> None:
    done: list[str] = []

    def jobs() -> Iterator[str | None]:
        yield "one"
        while "one" not in done:
            yield None
        yield from ("two", "three")
        while len(done) < 3:
            yield None
        yield "four"

    with Workers(number, None) as workers:
        for each in workers.do(end_early, jobs()):
            done.append(each.job)
    assert (done[0], sorted(done[1:3]), done[3]) == ("one", ["three", "two"], "four")


def test_only_a_gpu_is_shared_unless_the_user_says_so() -> None:
    assert choose_workers(None, on_gpu=False, most=8) == 1
    assert choose_workers(3, on_gpu=False, most=8) == 3
    assert choose_workers(None, on_gpu=True, most=1) == 1
    assert choose_workers(None, on_gpu=True, most=0) == 1
