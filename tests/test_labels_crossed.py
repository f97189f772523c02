"""Data and victim number their labels differently, and everything comes out by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import unfool
from tests.toys import BagOfWords
from unfool.attacks import attack
from unfool.data import Dataset, from_texts
from unfool.defences.evaluate import evaluate, load_premade, premade
from unfool.engine import Ask, Status
from unfool.errors import UserError
from unfool.labels import data_numbers
from unfool.report import overlay
from unfool.runs import Run, read_overlays
from unfool.text import Sample, Text

WORDS = ("a", "good", "bad", "fine", "dull", "great", "odd", "old")
TEXTS = [f"{word} film with the plot {other}" for word in WORDS for other in WORDS[:3]]
FILM = ("negative", "neutral", "positive")
Names = dict[int, str]
"""What data call a label, by the victim's number for it, in the order of the data."""
OWN: Names = dict(enumerate(FILM))
BY_NAME: Names = {2: "Positive", 0: "Negative", 1: "Neutral"}
BY_NUMBER: Names = {1: "1", 2: "2"}
CROSSED = pytest.mark.parametrize("names", [BY_NAME, BY_NUMBER], ids=["by name", "by number"])


class Film(BagOfWords):
    def __init__(self, lean: float = 0.0) -> None:
        super().__init__(3, lean=lean)
        self.labels, self.fingerprint = FILM, f"film {lean}"

    def __repr__(self) -> str:
        return f"film {self._lean}"


def films(names: Names) -> Dataset:
    """Texts with the victim's answers as labels, some of them wrong."""
    answers = [(Film().label((text,)) + (number % 7 == 0)) % 3 for number, text in enumerate(TEXTS)]
    kept = [(text, names[answer]) for text, answer in zip(TEXTS, answers, strict=True) if answer in names]
    texts, labels = ([pair[side] for pair in kept] for side in (0, 1))
    return from_texts(texts, labels, names=list(names.values()), name="films")


def called_as_the_victim_does(names: Names) -> Names:
    return {number: FILM[number] for number in sorted(names)}


@attack()
async def swap(sample: Sample, ask: Ask) -> Text:
    """Try some words in the first two places."""
    for place in range(2):
        for word in WORDS:
            trial = sample.text.replace(place, word)
            if await ask.fooled(trial):
                return trial
    return sample.text


def attacked(names: Names, out: Path, **more: Any) -> Run:
    return unfool.attack(Film(), films(names), swap, out=out, progress=False, **more)


def by_name(run: Run) -> list[tuple[object, ...]]:
    names: Any = run.config["labels"]
    return [
        (o.perturbed, names[o.label], names[o.before.label], names[o.after.label], o.status, o.queries)
        for o in run.outcomes()
    ]


@CROSSED
@pytest.mark.parametrize("more", [{}, {"target": "neutral"}, {"target": 1}, {"from_label": "positive"}])
def test_a_run_finds_what_it_finds_with_the_victims_own_numbers(
    tmp_path: Path, names: Names, more: dict[str, Any]
) -> None:
    # The victim's own numbers, without a gap, so that its labels need not be moved.
    expected, run = attacked(OWN, tmp_path / "own", **more), attacked(names, tmp_path / "run", **more)
    texts = {sample.text.strings for sample in films(names)}
    wanted = [found for found, o in zip(by_name(expected), expected.outcomes(), strict=True) if o.original in texts]
    assert by_name(run) == wanted
    assert run.config["data_labels"] == list(names.values())
    assert run.config["labels"] == [FILM[number] for number in [*names, *({0, 1, 2} - {*names})]]
    assert run.config["victim_labels"] == list(FILM)
    assert "victim_labels" not in expected.config
    assert by_name(attacked(names, tmp_path / "run", resume=True, **more)) == wanted


def test_a_run_that_numbered_labels_as_its_victim_is_not_gone_on_with(tmp_path: Path) -> None:
    attacked(BY_NAME, tmp_path / "run")
    file = tmp_path / "run" / "config.json"
    config = json.loads(file.read_text())
    config["labels"] = config.pop("victim_labels")
    file.write_text(json.dumps(config))
    assert data_numbers(Run.open(tmp_path / "run").config) == [1, 2, 0]
    with pytest.raises(UserError, match="labels were negative, neutral, positive, and are now positive, negative"):
        attacked(BY_NAME, tmp_path / "run", resume=True)


@CROSSED
def test_texts_that_fooled_keep_the_datas_names(tmp_path: Path, names: Names) -> None:
    run = attacked(names, tmp_path / "run")
    premade(run, tmp_path / "texts.jsonl")
    kept, data = load_premade(str(tmp_path / "texts.jsonl")), films(names)
    right = {sample.text.strings: data.labels[sample.label] for sample in data}
    originals = [outcome.original for outcome in run.outcomes() if outcome.status is Status.SUCCESS]
    assert [kept.labels[sample.label] for sample in kept] == [right[text] for text in originals]


@CROSSED
def test_importance_is_that_of_the_right_label(tmp_path: Path, names: Names) -> None:
    found = []
    for called in (called_as_the_victim_does(names), names):
        run = attacked(called, tmp_path / called[1])
        overlay(run, victim=Film())
        found.append(read_overlays(run.folder))
    assert found[0] == found[1]


@CROSSED
def test_an_evaluation_gives_the_same_figures(tmp_path: Path, names: Names) -> None:
    premade(attacked(OWN, tmp_path / "run"), tmp_path / "texts.jsonl")
    found = []
    for called in (called_as_the_victim_does(names), names):
        one = evaluate(
            Film(),
            films(called),
            ["key"],
            against=Film(lean=0.4),
            premade=[str(tmp_path / "texts.jsonl")],
            out=tmp_path / called[1],
            progress=False,
        )
        right = [
            (both.victim.accuracy, both.base and both.base.accuracy) for both in (one.clean, *one.premade.values())
        ]
        found.append((right, one.attacks, one.transfer, one.asked_anew, one.worst_case, one.gradients))
    assert found[0] == found[1]
