"""Answers: taken once, taken back, refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.rating.conftest import MakeRun, rate, right

from unfool.rating import Answered, Refused, Study, new_study, read_votes_file, write_votes


@pytest.fixture
def study(make_run: MakeRun, tmp_path: Path) -> Study:
    return new_study(tmp_path / "study", [make_run("pwws", 10, 3)], "label", gold=3, repeats=1)


def test_a_question_stays_until_it_is_answered(study: Study) -> None:
    rater = study.store.raters()[0]
    asked = study.store.next(rater)
    assert asked is not None
    assert study.store.next(rater) == asked
    study.store.answer(rater, asked.place, "good")
    following = study.store.next(rater)
    assert following is not None
    assert following.place == 1


def test_an_answer_counts_once_and_cannot_change_behind_ones_back(study: Study) -> None:
    rater = study.store.raters()[0]
    study.store.next(rater)
    study.store.answer(rater, 0, "good", "<b>well</b>")
    study.store.answer(rater, 0, "good", "<b>well</b>")
    assert [vote.comment for vote in study.store.votes()] == ["<b>well</b>"]
    with pytest.raises(Refused, match="already"):
        study.store.answer(rater, 0, "bad")
    for place, answer, comment in ((1, "good", ""), (0, "goodish", ""), (0, "good", "x" * 1001), (-1, "good", "")):
        with pytest.raises(Refused):
            study.store.answer(rater, place, answer, comment)


def test_the_last_answer_is_taken_back(study: Study) -> None:
    rater = study.store.raters()[0]
    first = study.store.next(rater)
    study.store.answer(rater, 0, "good")
    second = study.store.next(rater)
    for _ in range(2):
        study.store.undo(rater, 0)
        study.store.undo(rater, 5)
    assert study.store.next(rater) == first
    assert study.store.votes() == []
    study.store.answer(rater, 0, "bad")
    assert study.store.next(rater) == second
    assert [vote.answer for vote in study.store.votes()] == ["bad"]


def test_what_is_asked_again_was_answered_before(study: Study) -> None:
    rate(study, right)
    for rater in study.store.raters():
        mine = [vote for vote in study.store.votes() if vote.rater == rater.name]
        assert sum(vote.turn == "gold" for vote in mine) == 3
        (again,) = (place for place, vote in enumerate(mine) if vote.turn == "again")
        assert mine[again].item in [vote.item for vote in mine[: again - 2] if vote.turn == "item"]
        assert study.store.progress(rater).answered == len(mine)


def test_votes_travel_by_file_once(study: Study, make_run: MakeRun, tmp_path: Path) -> None:
    rate(study, right)
    write_votes(study, tmp_path / "votes.jsonl")
    copy = new_study(tmp_path / "copy", [tmp_path / "pwws"], "label", gold=3, repeats=1, raters=1)
    given = [vote for vote in study.store.votes() if vote.turn != "again"]
    new = copy.take(read_votes_file(copy, tmp_path / "votes.jsonl"))
    assert new == len(given)
    assert copy.take(read_votes_file(copy, tmp_path / "votes.jsonl")) == 0
    taken = copy.store.votes()
    assert sorted(vote[1:4] for vote in taken) == sorted(vote[1:4] for vote in given)
    # Somebody else is called rater-1 here.
    names = {vote.rater for vote in taken}
    assert {name.partition("@")[0] for name in names} == {vote.rater for vote in given}
    assert "rater-1" not in names
    assert study.take(read_votes_file(study, tmp_path / "votes.jsonl")) == 0
    with pytest.raises(Refused, match="before"):
        copy.take([(taken[0].rater, Answered(taken[0].item, "bad" if taken[0].answer == "good" else "good"))])


def test_an_answer_to_the_question_a_rater_has_open_is_taken(study: Study, tmp_path: Path) -> None:
    rater = study.store.raters()[0]
    asked = study.store.next(rater)
    assert asked is not None
    assert study.take([(rater.name, Answered(asked.item, "good", "elsewhere"))]) == 1
    assert [vote[:3] for vote in study.store.votes()] == [(rater.name, asked.item, "good")]
    following = study.store.next(rater)
    assert following is not None
    assert (following.place, following.item == asked.item) == (1, False)


def test_gold_items_answered_elsewhere_are_not_asked_again(study: Study) -> None:
    gold = [item for item in study.items if item.gold]
    rater = study.store.raters()[0]
    assert study.take((rater.name, Answered(item.id, item.right[0])) for item in gold) == len(gold)
    rate(study, right)
    mine = [vote.item for vote in study.store.votes() if (vote.rater, vote.turn) == (rater.name, "gold")]
    assert sorted(mine) == [item.id for item in gold]


def test_what_was_answered_is_there_when_the_study_is_opened_again(study: Study) -> None:
    rate(study, right, most=2)
    votes = study.store.votes()
    assert len(votes) == 12
    assert Study.open(study.folder).store.votes() == votes
