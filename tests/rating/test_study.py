"""What a study asks about, and what it refuses."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tests.rating.conftest import MakeRun, rate, right

from unfool.errors import UserError
from unfool.rating import Study, new_study


def test_label_asks_about_originals_and_changed_texts(make_run: MakeRun, tmp_path: Path) -> None:
    study = new_study(tmp_path / "study", [make_run("pwws", 5, 3)], "label", n=4, gold=10)
    kinds = Counter(item.versions[0] for item in study.items)
    assert kinds == {"original": 4, "pwws": 4, "gold": 4}  # gold: the success not drawn, and three others
    assert all(item.right for item in study.items)
    changed = [item for item in study.items if item.versions == ("pwws",)]
    assert all("pwws" in item.texts[0][0] and item.run == 0 for item in changed)
    assert study.fewest_raters == len(study.store.raters()) == 6


def test_runs_over_the_same_data_share_their_texts(make_run: MakeRun, tmp_path: Path) -> None:
    runs = [make_run("pwws", 9), make_run("greedy", 9)]
    study = new_study(tmp_path / "study", runs, "label", n=3, gold=0)
    assert Counter(item.versions[0] for item in study.items) == {"original": 3, "pwws": 3, "greedy": 3}
    other = new_study(tmp_path / "other", runs, "label", n=3, gold=0, seed=1)
    assert {item.texts for item in study.items} != {item.texts for item in other.items}


def test_readability_pairs_what_both_fooled(make_run: MakeRun, tmp_path: Path) -> None:
    runs = [make_run("a", 5, 5), make_run("b", 5, 5, first=3)]
    study = new_study(tmp_path / "study", runs, "readability", gold=2)
    pairs = [item for item in study.items if not item.gold]
    assert [(item.versions, len(item.texts)) for item in pairs] == [(("a", "b"), 2)] * 2
    gold = [item for item in study.items if item.gold]
    assert all(sorted(i.texts[0][0].split()) == sorted(i.texts[1][0].split()) and i.right == ("0",) for i in gold)
    assert study.fewest_raters == 3


def test_pairs_are_shown_in_either_order(make_run: MakeRun, tmp_path: Path) -> None:
    study = new_study(tmp_path / "study", [make_run("a", 20), make_run("b", 20)], "readability", gold=0)
    swaps = []

    def note(study: Study, rater: int, item: int, swapped: bool) -> str:
        swaps.append(swapped)
        return right(study, rater, item, swapped)

    rate(study, note)
    assert 0.25 < sum(swaps) / len(swaps) < 0.75


@pytest.mark.parametrize(("task", "texts"), [("meaning", 2), ("grammar", 1)])
def test_scales_have_gold_of_both_ends(make_run: MakeRun, tmp_path: Path, task: str, texts: int) -> None:
    study = new_study(tmp_path / "study", [make_run("pwws", 3, 4)], task, gold=4)
    assert {len(item.texts) for item in study.items} == {texts}
    rights = {item.right for item in study.items if item.gold}
    assert rights == ({("4", "5"), ("1", "2")} if task == "meaning" else {("1", "2")})


@pytest.mark.parametrize(
    ("task", "fragment"), [("label", "fooled no victim"), ("readability", "two runs"), ("taste", "unknown task")]
)
def test_what_cannot_be_asked_is_said(make_run: MakeRun, tmp_path: Path, task: str, fragment: str) -> None:
    with pytest.raises(UserError, match=fragment):
        new_study(tmp_path / "study", [make_run("pwws", 0, 3)], task)
    assert not (tmp_path / "study").exists()


def test_a_folder_that_is_none_is_refused(make_run: MakeRun, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no rating study"):
        Study.open(tmp_path)
    run = make_run("pwws", 2)
    new_study(tmp_path / "study", [run], "label")
    with pytest.raises(UserError, match="already"):
        new_study(tmp_path / "study", [run], "label")


def test_a_damaged_study_is_one_line(make_run: MakeRun, tmp_path: Path) -> None:
    new_study(tmp_path / "study", [make_run("pwws", 2)], "label").store.close()
    items = tmp_path / "study" / "items.jsonl"
    lines = items.read_bytes().splitlines(keepends=True)
    items.write_bytes(b"".join(lines[1:]))
    with pytest.raises(UserError, match="items are missing"):
        _ = Study.open(tmp_path / "study").items
    items.write_bytes(b'{"id": 0, "texts": 7}\n')
    with pytest.raises(UserError, match="damaged"):
        _ = Study.open(tmp_path / "study").items


def test_more_raters_get_names_and_tokens_of_their_own(make_run: MakeRun, tmp_path: Path) -> None:
    study = new_study(tmp_path / "study", [make_run("pwws", 2)], "label", raters=2)
    raters = study.add_raters(2)
    assert [rater.name for rater in raters] == ["rater-1", "rater-2", "rater-3", "rater-4"]
    tokens = [rater.token for rater in raters]
    assert len(set(tokens)) == 4
    assert all(token and len(token) >= 32 for token in tokens)
    assert study.store.by_token(str(tokens[2])) == raters[2]
    assert study.store.by_token("") is None
    assert study.store.by_token("\ud800") is None
