"""Labels that look crossed: when it is said, and that the option which is printed uncrosses them."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.toys import BagOfWords

import unfool
from unfool.attacks import attack
from unfool.data import load
from unfool.engine import Ask, Floats
from unfool.options import read_names, read_renames
from unfool.runs import ClassFigures, Naming, Run, best_fit, describe_crossed_labels
from unfool.text import Sample, Text
from unfool.victims import Input

WORDS = ["film", "story", "cast", "plot", "scene", "actor", "music", "end", "joke", "hero"]
TEXTS = [f"{one} {two}" for one in WORDS for two in WORDS if one != two][:60]


@attack()
async def idle(sample: Sample, ask: Ask) -> Text:
    """Leave the text as it is."""
    return sample.text


class Named(BagOfWords):
    """A toy with label names of one's own; without any, it calls its labels by their numbers."""

    def __init__(self, labels: Sequence[str]) -> None:
        super().__init__(len(labels))
        self.labels = tuple(labels)

    def kind(self, text: str) -> int:
        return self.label((text,))


class Sulky(Named):
    """Answers the same about everything."""

    def probability_row(self, strings: Input) -> Floats:
        return super().probability_row(("always",))


def written(folder: Path, victim: Named, called: Sequence[str]) -> str:
    """Write the texts with what the victim answers, its labels called otherwise."""
    with (folder / "x.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["text", "label"])
        rows.writerows([text, called[victim.kind(text)]] for text in TEXTS)
    return str(folder / "x.csv")


def attacked(victim: Named, data: object, out: Path) -> Run:
    return unfool.attack(victim, data, idle, out=out, progress=False)


def told_of(run: Run) -> list[str]:
    return [remark for remark in run.remarks() if remark.startswith("Clean accuracy")]


@pytest.mark.parametrize(
    ("theirs", "called", "labels", "option"),
    [
        (["0", "1"], ["pos", "neg"], None, "--labels=pos,neg"),
        (["0", "1", "2"], ["c", "a", "b"], None, "--labels=c,a,b"),
        (["0", "1"], ["1", "0"], None, "--map 0=1,1=0"),
        (["OK", "BAD"], ["spam", "ham"], None, "--map ham=BAD,spam=OK"),
        (["neg", "pos"], ["pos", "neg"], None, "--map neg=pos,pos=neg"),
        (["neg", "pos"], ["1", "0"], None, "--map 0=pos,1=neg"),
        (["neg", "pos"], ["1", "0"], ["neg", "pos"], "--map neg=pos,pos=neg"),
        (["OK", "BAD"], ["pos", "neg"], ["neg", "pos"], "--map neg=pos,pos=neg"),
        (["neg", "so so", "pos"], ["pos", "so so", "neg"], None, None),
        (["one a", "one b"], ["y", "x"], None, "--map 'x=one b,y=one a'"),
    ],
)
def test_the_option_that_is_printed_uncrosses_the_labels(
    tmp_path: Path, theirs: list[str], called: list[str], labels: list[str] | None, option: str | None
) -> None:
    victim = Named(theirs)
    file = written(tmp_path, victim, called)
    run = attacked(victim, load(file, labels=labels), tmp_path / "crossed")
    told = told_of(run)
    if option is None:  # the middle one is right, which is a third: not below chance
        assert told == []
        return
    assert told == [f"Clean accuracy is 0 %: the labels look crossed. With {option} it would be 100 %."]
    key, _, value = shlex.split(option)[0].partition("=")
    value = value or shlex.split(option)[1]
    again = (
        load(file, labels=read_names(value))
        if key == "--labels"
        else load(file, labels=labels, rename=read_renames(value))
    )
    assert attacked(victim, again, tmp_path / "straight").summary.clean_accuracy.value == 1


def test_labels_renamed_before_are_renamed_from_what_is_written(tmp_path: Path) -> None:
    victim = Named(["safe", "injection"])
    file = written(tmp_path, victim, ["True", "False"])
    first = load(file, rename={"True": "injection", "False": "safe"})
    (told,) = told_of(attacked(victim, first, tmp_path / "crossed"))
    assert "With --map True=safe,False=injection it would be 100 %" in told


def test_where_no_order_fits_the_model_is_said_to_be_wrong(tmp_path: Path) -> None:
    victim = Sulky(["a", "b", "c"])
    answer = victim.labels[victim.kind("anything")]
    others = [label for label in victim.labels if label != answer]
    data = [(text, others[number % 2]) for number, text in enumerate(TEXTS)]
    (told,) = told_of(attacked(victim, data, tmp_path / "run"))
    assert told.startswith("Clean accuracy is 0 %: the model is wrong about nearly all texts, and no other order")


@pytest.mark.parametrize("right", [1, 16, 60])
def test_nothing_is_said_of_a_model_that_may_merely_be_bad(tmp_path: Path, right: int) -> None:
    victim = Named(["a", "b"])
    data = [(text, victim.labels[victim.kind(text)]) for text in TEXTS[:right]]
    wrong = [(text, victim.labels[1 - victim.kind(text)]) for text in TEXTS[: right // 2]]
    if right == 1:  # three wrong answers are none to speak of
        data, wrong = [], [(text, victim.labels[1 - victim.kind(text)]) for text in TEXTS[:3]]
    assert told_of(attacked(victim, [*data, *wrong], tmp_path / "run")) == []


def test_texts_of_one_label_say_nothing_of_an_order(tmp_path: Path) -> None:
    victim = Named(["a", "b"])
    data = [(text, "a") for text in TEXTS if victim.kind(text) == 1][:30]
    mixed = [*data, *((text, "a") for text in TEXTS if victim.kind(text) == 0)][:32]
    assert told_of(attacked(victim, mixed, tmp_path / "run")) == []
    (told,) = told_of(attacked(victim, data, tmp_path / "none"))
    assert "labels look crossed" not in told


@pytest.mark.parametrize("mark", [",", "=", " "])
def test_names_that_no_option_can_hold_are_not_put_into_one(mark: str) -> None:
    classes = [ClassFigures(label, answers={1 - label: 20}) for label in (0, 1)]
    odd = [f"a{mark}", f"b{mark}"]
    told = describe_crossed_labels(classes, Naming(odd, odd))
    assert told is not None
    assert "--" not in told
    assert "--map 'a b=c,c=a b'" in str(describe_crossed_labels(classes, Naming(["a b", "c"], ["a b", "c"])))


def test_each_answer_stands_for_one_label_only() -> None:
    answers = {0: {1: 30}, 1: {1: 10, 2: 20}, 3: {0: 25, 3: 5}}
    classes = [ClassFigures(label, answers=given) for label, given in answers.items()]
    fit = best_fit(classes, 5)
    assert fit is not None
    assert dict(fit.answers) == {0: 1, 1: 2, 3: 0, 2: 3, 4: 4}
    assert (fit.accuracy.count, fit.accuracy.of) == (75, 90)
