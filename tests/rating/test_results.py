"""Figures as worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from tests.browser.test_report_inert import CORPUS
from tests.end_to_end.command import unfool
from tests.rating.conftest import MakeRun, rate, right

from unfool.rating import Answered, Study, enter, new_study, results
from unfool.report import write
from unfool.runs import Run, Valid, compare
from unfool.stats import Rate


def vote(study: Study, answers: Mapping[int, Sequence[str]]) -> None:
    """Give each item its answers, one a rater."""
    for item, given in answers.items():
        study.take((f"person-{n}", Answered(item, answer)) for n, answer in enumerate(given))


def labels(study: Study) -> dict[str, list[int]]:
    """Return the items of each version, in order."""
    found: dict[str, list[int]] = {}
    for item in study.items:
        found.setdefault(item.versions[0], []).append(item.id)
    return found


def wrong(study: Study, item: int) -> str:
    return next(label for label in study.labels if label not in study.items[item].right)


@pytest.fixture
def judged(make_run: MakeRun, tmp_path: Path) -> Study:
    """Four successes of eight attacked: people see three as before, and are fooled by one."""
    study = new_study(tmp_path / "study", [make_run("pwws", 4, 4)], "label", gold=0)
    by_version = labels(study)
    good = {item: study.items[item].right[0] for each in by_version.values() for item in each}
    votes = {item: [good[item]] * 3 for item in by_version["original"]}
    first, *rest = by_version["pwws"]
    votes |= {item: [good[item], good[item], wrong(study, item)] for item in rest}
    votes[first] = [wrong(study, first), wrong(study, first), good[first]]
    vote(study, votes)
    return study


def test_accuracy_and_valid_success(judged: Study) -> None:
    found = results(judged)
    original, changed = found.accuracies
    assert (original.version, original.votes, original.majority) == ("original", Rate(12, 12), Rate(4, 4))
    assert (changed.version, changed.votes, changed.majority) == ("pwws", Rate(7, 12), Rate(3, 4))
    assert changed.median_rater == 0.75  # 3 of 4, 3 of 4 and 1 of 4
    valid = found.valid["pwws"]
    assert valid == Valid(Rate(3, 4), Rate(4, 8))
    assert valid.value == 3 / 8
    assert valid.interval == Rate(3, 8).interval  # all successes were judged
    assert found.missing == 0


def test_of_some_successes_the_judged_speak_for_the_others() -> None:
    valid = Valid(Rate(9, 10), Rate(50, 100))
    low, high = valid.interval
    assert valid.value == pytest.approx(0.45)
    assert 0.25 < low < 0.45 < high < 0.56
    assert high - low > Rate(45, 100).interval[1] - Rate(45, 100).interval[0]
    assert Valid(Rate(0, 5), Rate(50, 100)).interval[0] == 0


def test_a_tie_is_no_majority(make_run: MakeRun, tmp_path: Path) -> None:
    study = new_study(tmp_path / "study", [make_run("pwws", 1)], "label", gold=0, per_item=2)
    vote(study, {1: ["good", "bad"]})
    (found,) = results(study).accuracies
    assert (found.majority, found.undecided) == (Rate(0, 1), 1)
    assert enter(study) == ["pwws"]
    (entered,) = Run.open(tmp_path / "pwws").votes
    assert (entered.agree, entered.answers) == (None, {"bad": 1, "good": 1})


def test_readability_is_normalised_to_the_best(make_run: MakeRun, tmp_path: Path) -> None:
    study = new_study(tmp_path / "study", [make_run("a", 7), make_run("b", 7)], "readability", gold=0, per_item=20)
    vote(study, {item.id: ["0"] * (16 if item.id else 4) + ["1"] * (4 if item.id else 16) for item in study.items})
    a, b = results(study).readabilities
    assert (a.votes, b.votes) == (Rate(100, 140), Rate(40, 140))
    assert (a.relative, b.relative) == (1, 0.4)
    assert b.low is not None
    assert b.high is not None
    assert b.low < 0.4 < b.high
    assert a.strength is None


def test_three_methods_have_strengths(make_run: MakeRun, tmp_path: Path) -> None:
    runs = [make_run(name, 4) for name in "abc"]
    study = new_study(tmp_path / "study", runs, "readability", gold=0)
    vote(study, {item.id: ["0", "0", "1"] for item in study.items})
    a, b, c = results(study).readabilities
    assert a.strength == 1
    assert b.strength is not None
    assert c.strength is not None
    assert c.strength < b.strength < 1
    assert a.votes == Rate(16, 24)


def test_pairs_of_different_number_count_by_share(make_run: MakeRun, tmp_path: Path) -> None:
    runs = [make_run("a", 9), make_run("b", 9), make_run("c", 3)]  # 9 pairs of a and b, 3 of each other two
    study = new_study(tmp_path / "study", runs, "readability", gold=0, per_item=2)
    vote(study, {item.id: ["0", "1"] for item in study.items})
    found = results(study)
    assert [each.votes for each in found.readabilities] == [Rate(12, 24), Rate(12, 24), Rate(6, 12)]
    for each in found.readabilities:
        assert (each.relative, each.low, each.high) == (1, 1, 1)
        assert each.strength == pytest.approx(1)
    assert found.no_scale == ""


def test_a_method_nobody_beats_has_no_strength_and_is_said(make_run: MakeRun, tmp_path: Path) -> None:
    runs = [make_run(name, 8) for name in "abc"]  # 24 pairs: this once took minutes
    study = new_study(tmp_path / "study", runs, "readability", gold=0)
    votes = {item.id: ["0", "0", "0" if item.versions[0] == "a" else "1"] for item in study.items}
    vote(study, votes)
    found = results(study)
    assert found.no_scale == "a won every vote against b, c: no finite strength"
    assert [each.strength for each in found.readabilities] == [None, None, None]
    assert [each.relative for each in found.readabilities] == pytest.approx([1, 16 / 48, 8 / 48])
    told = unfool("rate", "results", "study", cwd=tmp_path)
    assert (told.code, found.no_scale in told.out) == (0, True)
    done = unfool("rate", "results", "study", "--json", cwd=tmp_path)
    assert json.loads(done.out)["no_scale"] == found.no_scale


def test_methods_that_never_met_have_no_common_scale(make_run: MakeRun, tmp_path: Path) -> None:
    runs = [make_run("a", 4), make_run("b", 4), make_run("c", 4, first=10), make_run("d", 4, first=10)]
    study = new_study(tmp_path / "study", runs, "readability", gold=0)
    vote(study, {item.id: ["0", "0", "1"] for item in study.items})
    found = results(study)
    assert found.no_scale == "a, b and c, d are never compared: no scale holds them all"
    assert {(each.relative, each.low, each.strength) for each in found.readabilities} == {(None, None, None)}
    assert [each.votes for each in found.readabilities] == [Rate(8, 12), Rate(4, 12)] * 2
    assert found.no_scale in unfool("rate", "results", "study", cwd=tmp_path).out


def test_meaning_is_a_mean_of_means(make_run: MakeRun, tmp_path: Path) -> None:
    study = new_study(tmp_path / "study", [make_run("pwws", 2)], "meaning", gold=0)
    vote(study, {0: ["5", "5", "2"], 1: ["1", "2", "3"]})
    (found,) = results(study).scales
    assert (found.mean, found.good, found.version) == (3, Rate(2, 6), "pwws")
    enter(study)
    assert [each.agree for each in Run.open(tmp_path / "pwws").votes] == [True, False]
    assert Run.open(tmp_path / "pwws").valid_success is None


def test_careless_raters_are_named_with_the_rule(make_run: MakeRun, tmp_path: Path) -> None:
    study = new_study(tmp_path / "study", [make_run("pwws", 20, 5)], "label", gold=5, repeats=4)

    def answer(study: Study, rater: int, item: int, swapped: bool) -> str:
        if rater == 2 and study.items[item].gold:
            return wrong(study, item)
        if rater == 3 and not study.items[item].gold:
            turns[item] = turns.get(item, 0) + 1
            return right(study, rater, item, swapped) if turns[item] == 1 else wrong(study, item)
        return right(study, rater, item, swapped)

    turns: dict[int, int] = {}
    rate(study, answer)
    found = results(study)
    assert [tuple(each) for each in found.excluded] == [
        ("rater-2", "0 of 5 gold items right, fewer than 70%"),
        ("rater-3", "0 of 4 repeated items alike, fewer than 50%"),
    ]
    assert (found.counted, found.votes, found.missing) == (4, 80, 40)
    assert found.gold == Rate(20, 20)
    assert all(each.votes.value == 1 for each in found.accuracies)
    study.add_raters(2)
    rate(study, answer)
    assert results(study).missing == 0


def test_what_one_item_has_too_many_another_still_lacks(make_run: MakeRun, tmp_path: Path) -> None:
    study = new_study(tmp_path / "study", [make_run("pwws", 1)], "label", gold=0, per_item=2)
    vote(study, {0: ["good"] * 4})
    assert (results(study).votes, results(study).missing) == (4, 2)


def test_votes_enter_show_report_and_diff(judged: Study, make_run: MakeRun, tmp_path: Path) -> None:
    done = unfool("rate", "results", "study", "--enter", cwd=tmp_path)
    assert done.code == 0, done.err
    assert "valid success rate 37.5%" in done.out
    assert "votes entered into the run pwws" in done.err
    shown = unfool("show", "pwws", cwd=tmp_path)
    assert "valid success rate" in shown.out
    assert "37.5%" in shown.out
    told = json.loads(unfool("show", "pwws", "--json", cwd=tmp_path).out)["valid_success_rate"]
    assert (told["value"], told["agreed"]["count"]) == (0.375, 3)
    make_run("greedy", 4, 4)
    assert "A, valid success rate: 37.5%" in unfool("diff", "pwws", "greedy", cwd=tmp_path).out
    assert compare(Run.open(tmp_path / "greedy"), Run.open(tmp_path / "pwws")).valid_b == Valid(
        Rate(3, 4), Rate(4, 8)
    )
    write([tmp_path / "pwws"], tmp_path / "page.html")
    assert '"valid": {"value": 0.375' in (tmp_path / "page.html").read_text("utf-8")
    assert unfool("rate", "results", "study", "--enter", cwd=tmp_path).code == 0
    assert len(Run.open(tmp_path / "pwws").votes) == 4


def test_pairs_of_methods_do_not_enter_a_run(make_run: MakeRun, tmp_path: Path) -> None:
    new_study(tmp_path / "study", [make_run("a", 2), make_run("b", 2)], "readability", gold=0)
    done = unfool("rate", "results", "study", "--enter", cwd=tmp_path)
    assert done.code == 2
    assert "say nothing of single successes" in done.err


def test_a_study_in_the_terminal(make_run: MakeRun, tmp_path: Path) -> None:
    make_run("pwws", 3, 1)
    made = unfool("rate", "new", "study", "pwws", "--gold", 2, cwd=tmp_path)
    assert made.code == 0, made.err
    assert "only 1 of 2 gold items" in made.err
    assert "6 items and 1 gold items for 6 raters" in made.out
    rate(Study.open(tmp_path / "study"), right)
    assert "18 votes count; 0 are still missing" in unfool("rate", "status", "study", cwd=tmp_path).out
    assert unfool("rate", "export", "study", "--out", "votes.jsonl", cwd=tmp_path).code == 0
    assert "0 new votes" in unfool("rate", "import", "study", "votes.jsonl", cwd=tmp_path).out


def test_comments_are_shown_and_steer_no_terminal(make_run: MakeRun, tmp_path: Path) -> None:
    study = new_study(tmp_path / "study", [make_run("pwws", 6)], "label", gold=0, raters=len(CORPUS))
    for number, comment in enumerate(CORPUS):
        study.take([(f"rater{number}{comment}", Answered(number % 12, "good", comment))])
    study.store.close()
    told = unfool("rate", "results", "study", cwd=tmp_path)
    assert told.code == 0, told.err
    assert "<script>alert(1)</script>" in told.out
    assert f"{len(CORPUS) - 20} more comments" in told.err
    for said in (told.out, told.err):
        assert not [character for character in said if character in "\x00\x1b\u202e\u2066\u200b"]
    assert "\x1b" not in unfool("rate", "status", "study", cwd=tmp_path).out
    found = json.loads(unfool("rate", "results", "study", "--json", cwd=tmp_path).out)["comments"]
    assert [each["comment"] for each in found][:3] == CORPUS[:3]
    assert len(found) == len(CORPUS)
    unfool("rate", "export", "study", "--out", "votes.jsonl", cwd=tmp_path)
    exported = [json.loads(line)["comment"] for line in (tmp_path / "votes.jsonl").read_text("utf-8").splitlines()]
    assert exported == [each["comment"] for each in found]
