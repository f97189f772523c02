"""What unfool finds is what it found when this was recorded, to the text, the label and the query.

Where the findings are meant to change, say so in the commit and record anew: ``python -m tests.golden.make``.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.golden import calls, records
from tests.golden.calls import Record
from tests.golden.others import OTHERS
from tests.golden.runs import MOODS, RUNS, Attacked
from tests.golden.workshop import Workshop, open_workshop

BY_NAME = {run.name: run for run in RUNS}
NARROW = ("pwws", "ga", "hotflip", "jsma-cosine", "asmax-gr-pairs", "key-star-sure")
"""Runs that are also done one sample at a time."""


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    if problem := calls.missing_resource():
        pytest.skip(problem)
    with open_workshop() as made:
        yield made


def assert_as_recorded(name: str, found: Record) -> None:
    told = list(records.differences(records.read(name), found, name))
    assert not told, "\n" + "\n".join(told)


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_a_run_finds_what_it_found(run: Attacked, workshop: Workshop) -> None:
    assert_as_recorded(run.name, workshop.attack(run))


@pytest.mark.parametrize("name", OTHERS)
def test_other_work_finds_what_it_found(name: str, workshop: Workshop) -> None:
    assert_as_recorded(name, OTHERS[name](workshop))


@pytest.mark.parametrize("name", NARROW)
def test_one_sample_at_a_time_finds_the_same(name: str, workshop: Workshop) -> None:
    assert_as_recorded(name, workshop.attack(BY_NAME[name], width=1))


def test_the_command_and_two_processes_find_the_same(workshop: Workshop) -> None:
    assert_as_recorded("pwws", workshop.attack_by_command(BY_NAME["pwws"], workers=2))


@pytest.mark.parametrize("name", ["pwws", "ga", "random"])
def test_what_is_cut_off_and_resumed_ends_in_the_same_bytes(name: str, workshop: Workshop) -> None:
    run, folder = BY_NAME[name], workshop.new()
    workshop.attack(run, out=folder)
    whole = {file: (folder / file).read_bytes() for file in calls.RESULTS}
    lines = whole[calls.OUTCOMES].splitlines(keepends=True)
    (folder / calls.OUTCOMES).write_bytes(b"".join(lines[:5]) + lines[5][: len(lines[5]) // 2])
    assert_as_recorded(name, workshop.attack(run, out=folder, resume=True))
    assert {file: (folder / file).read_bytes() for file in calls.RESULTS} == whole


def test_no_victim_was_ever_undecided() -> None:
    """How a tie is judged may change without a change of what is recorded; functions refuse ties themselves."""
    for run in RUNS:
        for name, outcome in records.read(run.name)["outcomes"].items():
            for _, confidence in (outcome["before"], outcome["after"]):
                assert confidence > 0.5005 or run.victim == MOODS, (run.name, name)


def test_a_difference_is_told_by_run_sample_and_field() -> None:
    recorded = {"outcomes": {"sample 3": {"queries": 41, "after": ["positive", 0.75], "perturbed": ["a film"]}}}
    found = {
        "outcomes": {"sample 3": {"queries": 42, "after": ["positive", 0.7501], "perturbed": ["a plot"], "new": 1}}
    }
    assert list(records.differences(recorded, recorded, "pwws")) == []
    assert list(records.differences(recorded, found, "pwws")) == [
        "pwws, outcomes, sample 3, queries: 41 was recorded, now it is 42",
        "pwws, outcomes, sample 3, after[1]: 0.75 was recorded, now it is 0.7501",
        "pwws, outcomes, sample 3, perturbed: 'a film' was recorded, now it is 'a plot'",
    ]
    assert list(records.differences(recorded, {"outcomes": {}}, "pwws")) == [
        "pwws, outcomes: sample 3 was recorded, and is gone"
    ]
