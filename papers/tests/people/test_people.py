"""The papers' questions to people: asked of a stand-in, sent to two platforms, answered there, and imported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.command import fetch_or_skip, unfool
from tests.rating.conftest import make_run
from tests.rating.test_elsewhere import answer_file, asked

from unfool.rating import Study
from unfool_papers.people import QUESTIONS, ROWS, carry_out, collect, tables

__all__ = ["make_run"]

ALWAYS_GOOD = """
class AlwaysGood:
    labels = ["bad", "good"]
    def __call__(self, texts):
        return [[0.2, 0.8] for _ in texts]

probabilities = AlwaysGood()
"""
SUCCESSES = 4


@pytest.fixture
def people(make_run: Callable[..., Path], tmp_path: Path) -> Path:
    """The papers' studies, over runs made by hand; a stand-in that takes every text for good has voted."""
    fetch_or_skip("smollm2")
    folder = tmp_path / "people"
    (folder / "runs").mkdir(parents=True)
    for name in ROWS:
        make_run(name, SUCCESSES, 2).rename(folder / "runs" / name)
    (tmp_path / "always.py").write_text(ALWAYS_GOOD, "utf-8")
    stand_in = f"py:{tmp_path / 'always.py'}:probabilities"
    asked_of_it = {name: each._replace(stand_in=each.stand_in and stand_in) for name, each in QUESTIONS.items()}
    carry_out(folder, {}, asked_of_it)
    return folder


def cells(folder: Path, name: str) -> list[list[str]]:
    return [list(row) for row in tables(collect(folder, ROWS, QUESTIONS))[name].rows]


def test_people_fill_their_column_and_the_stand_in_keeps_its_own(people: Path, tmp_path: Path) -> None:
    before: dict[str, Any] = {name: cells(people, name) for name in ("Table 3", "Table 4", "HotFlip")}
    lstm, bert = before["Table 3"]
    assert (lstm[1], lstm[4], bert[1], bert[4]) == ("0.6", "52.1", "1.0", "68.8")
    assert {row[place] for row in (lstm, bert) for place in (3, 6)} == {""}
    # Half of the texts are good.
    assert lstm[5].startswith("50.0 [")
    assert [row[2].startswith("50.0 [") for row in before["HotFlip"]] == [True, True]

    for place, platform in enumerate(("potato", "label-studio")):
        _answered(people / "hotflip-label", platform, tmp_path / platform, f"worker-{place}")
    clean, changed = cells(people, "HotFlip")
    assert (clean[3], changed[3]) == ("100.0", "100.0")
    assert [row[:3] for row in (clean, changed)] == [row[:3] for row in before["HotFlip"]]
    assert cells(people, "Table 3") == before["Table 3"]


def _answered(study: Path, platform: str, out: Path, rater: str) -> None:
    """Send a study's questions to a platform, have somebody there answer one part rightly, and take that back."""
    done = unfool("rate", "export", study, "--format", platform, "--out", out, cwd=study)
    assert done.code == 0, done.err
    items = Study.open(study).items
    part = asked(platform, out / f"part-{rater[-1].replace('0', '2')}")
    given = {item: items[int(item.removeprefix("item-"))].right[0] for item in part}
    file = answer_file(platform, given, rater, out)
    taken = unfool("rate", "import", study, file, "--format", platform, cwd=study)
    assert taken.code == 0, taken.err
    assert not taken.out.startswith("0 ")


def test_a_study_that_is_there_keeps_its_votes(people: Path) -> None:
    votes = Study.open(people / "hotflip-label").stand_in_votes()
    carry_out(people, {}, QUESTIONS)  # would ask models that were not trained, had nobody voted
    assert Study.open(people / "hotflip-label").stand_in_votes() == votes
