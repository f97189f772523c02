"""Which texts are attacked, with which right labels."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unfool
from tests.toys import BagOfWords, Recording
from unfool.attacks import attack
from unfool.data import from_texts, load
from unfool.defences.evaluate import evaluate
from unfool.engine import Ask
from unfool.errors import UserError, VictimError
from unfool.runs import Run
from unfool.text import Sample, Text
from unfool.victims import Input

WORDS = ["a", "good", "bad", "fine", "dull", "great", "odd", "old"]
TEXTS = [f"{word} film number {number}" for number, word in enumerate(WORDS)]


@attack()
async def idle(sample: Sample, ask: Ask) -> Text:
    """Leave the text as it is."""
    return sample.text


def attacked(victim: BagOfWords, data: object, out: Path, **more: Any) -> Run:
    return unfool.attack(victim, data, idle, out=out, progress=False, **more)


def labelled(classes: int = 2) -> list[tuple[str, str]]:
    return [(text, f"class {number % classes}") for number, text in enumerate(TEXTS)]


@pytest.mark.parametrize("data", ["pairs", "dicts", "frame", "hub"])
def test_data_in_hand_are_attacked(tmp_path: Path, data: str) -> None:
    columns = {"review": TEXTS, "stars": [label for _, label in labelled()]}
    given: Any = labelled()
    if data == "dicts":
        given = [{"review": text, "stars": label} for text, label in labelled()]
    elif data == "frame":
        given = pytest.importorskip("pandas").DataFrame(columns)
    elif data == "hub":
        given = pytest.importorskip("datasets").Dataset.from_dict(columns)
    run = attacked(BagOfWords(), given, tmp_path / "run")
    assert [outcome.original[0] for outcome in run.outcomes()] == TEXTS
    assert [outcome.label for outcome in run.outcomes()] == [0, 1] * 4


def test_only_texts_of_a_label_are_attacked_and_that_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = unfool.attack(
        BagOfWords(), labelled(), idle, out=tmp_path / "run", from_label="class 1", target="class 0"
    )
    assert [outcome.id for outcome in run.outcomes()] == [1, 3, 5, 7]
    assert (run.config["from"], run.config["n"]) == (["class 1"], 4)
    told = capsys.readouterr().err
    assert "Labels matched by name: class 0, class 1." in told
    assert "attacks only texts labelled class 1: 4 of 8" in told


@pytest.mark.parametrize(
    ("given", "ids"),
    [
        ("bad", [0, 2]),
        (["bad"], [0, 2]),
        (["class 0", "good"], [0, 1, 2, 3]),
        ("GOOD", [1, 3]),
        (None, [0, 1, 2, 3]),
    ],
)
def test_labels_go_by_the_victim_s_names_or_the_data_s(
    tmp_path: Path, given: str | Sequence[str] | None, ids: list[int]
) -> None:
    data = [(text, ("bad", "good")[number % 2]) for number, text in enumerate(TEXTS[:4])]
    run = attacked(BagOfWords(), data, tmp_path / "run", from_label=given)
    assert [outcome.id for outcome in run.outcomes()] == ids


def test_samples_are_drawn_from_the_texts_of_the_label(tmp_path: Path) -> None:
    run = attacked(BagOfWords(), labelled(), tmp_path / "run", from_label="class 1", n=3, seed=1)
    assert len(run) == 3
    assert {outcome.label for outcome in run.outcomes()} == {1}


def test_a_label_that_nobody_has_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no text of list has the label 'clas 1'; did you mean 'class 1'"):
        attacked(BagOfWords(), labelled(), tmp_path / "run", from_label="clas 1")
    assert not (tmp_path / "run").exists()


def test_a_resume_from_another_label_is_refused(tmp_path: Path) -> None:
    attacked(BagOfWords(), labelled(), tmp_path / "run", from_label="class 1")
    with pytest.raises(UserError, match="the labels of the texts attacked were class 1, and are now class 0"):
        attacked(BagOfWords(), labelled(), tmp_path / "run", from_label="class 0", resume=True)
    attacked(BagOfWords(), labelled(), tmp_path / "run", from_label=["class 1"], resume=True)


def test_an_evaluation_attacks_from_a_label_too(tmp_path: Path) -> None:
    given: dict[str, Any] = {"out": tmp_path / "e", "from_label": "class 1", "progress": False}
    found = evaluate(BagOfWords(), from_texts(*zip(*labelled(), strict=True)), ["list"], **given)
    assert (found.attacks[0].victim.samples, found.clean.victim.accuracy.of) == (4, 8)
    with pytest.raises(UserError, match="no text of list has the label 'x'"):
        evaluate(BagOfWords(), labelled(), ["list"], **{**given, "out": tmp_path / "f", "from_label": "x"})
    assert not (tmp_path / "f").exists()


class Undecided(Recording):
    """Has no answer about odd films, and two about old ones."""

    def probabilities(self, inputs: Sequence[Input]) -> Any:
        rows = list(np.asarray(super().probabilities(inputs)))
        for number, (text,) in enumerate(inputs):
            if text.startswith("odd"):
                rows[number] = VictimError("cannot say")
            elif text.startswith("old"):
                rows[number] = np.array([0.5, 0.5])
        return rows


def test_texts_without_labels_get_the_victim_s_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    victim = Undecided()
    data = load([{"text": text} for text in TEXTS], label="@victim")
    run = unfool.attack(victim, data, idle, out=tmp_path / "run")
    assert run.summary.clean_accuracy.value == 1
    assert [outcome.id for outcome in run.outcomes()] == [0, 1, 2, 3, 4, 5]
    assert [outcome.label for outcome in run.outcomes()] == [victim.label((text,)) for text in TEXTS[:6]]
    assert {outcome.queries for outcome in run.outcomes()} == {0}
    by_construction = "the victim's own answers: the clean accuracy is 100 % by construction"
    left_out = "1 without an answer, 1 with a tie between labels"
    assert f"labels are {by_construction}; left out: {left_out}" in capsys.readouterr().err
    assert run.remarks()[0] == f"The labels are {by_construction}. Left out: {left_out}."
    assert run.config["labelled_by"] == "victim"


def test_only_the_texts_that_are_drawn_are_asked_about(tmp_path: Path) -> None:
    victim = Recording()
    attacked(victim, from_texts(TEXTS, "@victim"), tmp_path / "run", n=2)
    assert len(set(victim.seen)) == 2


def test_a_label_may_be_chosen_among_the_victim_s_own(tmp_path: Path) -> None:
    victim = BagOfWords()
    run = attacked(victim, from_texts(TEXTS, "@victim"), tmp_path / "run", from_label="class 1")
    assert [outcome.id for outcome in run.outcomes()] == [
        n for n, text in enumerate(TEXTS) if victim.label((text,))
    ]


def test_a_resume_may_find_answers_to_texts_that_had_none(tmp_path: Path) -> None:
    data = from_texts(TEXTS, "@victim")
    attacked(Undecided(), data, tmp_path / "run")
    (tmp_path / "run" / "config.json").write_text(
        (tmp_path / "run" / "config.json").read_text().replace("Undecided", "BagOfWords")
    )
    assert len(attacked(BagOfWords(), data, tmp_path / "run", resume=True)) == 8


def test_a_victim_without_any_answer_is_told(tmp_path: Path) -> None:
    with pytest.raises(VictimError, match="cannot say"):
        attacked(Undecided(), from_texts(["odd film"], "@victim"), tmp_path / "run")
    with pytest.raises(UserError, match=r"answers none of the 1 texts of texts with one label alone"):
        attacked(Undecided(), from_texts(["old film"], "@victim"), tmp_path / "run")


def test_what_needs_labels_refuses_texts_without(tmp_path: Path) -> None:
    unlabelled = from_texts(TEXTS, "@victim")
    with pytest.raises(UserError, match="the texts of the data have no labels"):
        evaluate(BagOfWords(), unlabelled, out=tmp_path / "e", progress=False)
    with pytest.raises(UserError, match="the texts of texts have no labels"):
        unfool.transfer.study(["py:tests.toys:x"], unlabelled, out=tmp_path / "s", progress=False)


def test_a_run_keeps_how_its_labels_came_to_be(tmp_path: Path) -> None:
    data = load([("a", "x"), ("b", "y")], rename={"x": "class 0", "y": "class 1"})
    attacked(BagOfWords(), data, tmp_path / "run")
    (session,) = json.loads((tmp_path / "run" / "environment.json").read_bytes())["sessions"]
    assert session["labels_renamed"] == {"x": "class 0", "y": "class 1"}
