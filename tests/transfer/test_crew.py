"""A crew that has no more time."""

from __future__ import annotations

import time

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
