"""A crew that has no more time, no more memory, or loses a process."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.end_to_end.command import fetch_or_skip
from tests.toys import BagOfWords

from unfool.errors import UserError
from unfool.parallel import Crew
from unfool.rules._crew import Crew as Miners
from unfool.rules._crew import Job
from unfool.rules._parts import Parts
from unfool.rules._scores import Members
from unfool.rules._tally import Placed
from unfool.text import Sample, Text, Variants
from unfool.victims import Options, StringRows


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
    assert done["greedy"].problem == "the GPU's memory is full; use fewer workers"
    assert done["modest"].result == "expandable_segments:True"


def end_early(shared: None, job: str) -> str:
    if job == "fatal":
        os._exit(1)
    return job


@pytest.mark.parametrize("place", [0, 7])
def test_a_job_that_ends_its_process_costs_no_other(place: int) -> None:
    jobs = [str(number) for number in range(12)]
    jobs[place] = "fatal"
    with Crew(2, None) as crew:
        done = {each.job: each.result for each in crew.do(end_early, jobs)}
    assert done == {job: job if job != "fatal" else None for job in jobs}


def test_what_comes_after_a_process_that_ended_early_is_done_by_new_ones() -> None:
    with Crew(2, None) as crew:
        (lost,) = crew.do(end_early, ["fatal"])
        assert lost.problem == "its process ended early; use fewer workers"
        assert {done.result for done in crew.do(end_early, ["one", "two"])} == {"one", "two"}


def test_miners_that_lose_a_process_before_all_is_handed_out_say_so(tmp_path: Path) -> None:
    fetch_or_skip("wordnet")
    others, stretch = set(multiprocessing.active_children()), [Placed(0, Sample(0, Text.of("a good film"), 0))]

    def jobs() -> Iterator[Job]:
        yield Job(0, stretch)
        for process in set(multiprocessing.active_children()) - others:
            process.join(timeout=60)
        yield Job(1, stretch)

    named, labels = ["py:tests.transfer.crowd:fatal"], ("negative", "positive")
    miners = Miners(Parts(tmp_path, {}), Members([], labels), labels, named, Options(), workers=2, ahead=False)
    with pytest.raises(UserError, match="a worker process ended early; what was done is kept"), miners as crew:
        list(crew.work(jobs()))


class Full(BagOfWords):
    """A victim on a GPU that is full."""

    def rows(self, asked: Sequence[Variants]) -> StringRows:
        raise OutOfMemoryError("tried to allocate 42 MiB; free: none")


def test_miners_that_find_a_gpu_full_say_so(tmp_path: Path) -> None:
    fetch_or_skip("wordnet")
    jobs = [Job(0, [Placed(0, Sample(0, Text.of("a good film"), 0))])]
    members = Members([Full()], ("0", "1"))
    miners = Miners(Parts(tmp_path, {}), members, ("0", "1"), (), Options(), workers=1, ahead=False)
    with pytest.raises(UserError, match="the GPU's memory is full; what was done is kept"), miners as crew:
        list(crew.work(jobs))
