"""Labels on the command line: where they come from, what is said of them, and which texts are attacked."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tests.end_to_end.command import Finished, attack, unfool

pytestmark = pytest.mark.usefixtures("word_vectors")

GOOD = [
    "A wonderful film.",
    "I love it.",
    "A great cast and a fine story.",
    "Good fun.",
    "It is great.",
    "Fine work.",
]
BAD = ["The worst film.", "An awful mess.", "Dull and boring.", "A bad joke.", "It is awful.", "Boring to the end."]
VICTIM = """
def {name}(texts):
    rows = []
    for text in texts:
        good = sum(word in text.lower() for word in ("wonderful", "great", "love", "fine", "good"))
        bad = sum(word in text.lower() for word in ("worst", "awful", "dull", "boring", "bad"))
        share = (1 + 3 * good) / (2 + 3 * good + 3 * bad)
        rows.append([{row}])
    return rows
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "straight.py").write_text(VICTIM.format(name="answer", row="1 - share, share"))
    (tmp_path / "crossed.py").write_text(VICTIM.format(name="answer", row="share, 1 - share"))
    for name, labels in {"names": ("positive", "negative"), "truths": ("True", "False")}.items():
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["review", "sentiment"])
            rows.writerows([(text, labels[0]) for text in GOOD] + [(text, labels[1]) for text in BAD])
    (tmp_path / "plain.csv").write_text("\n".join(["review", *GOOD, *BAD, "Neutral words."]))
    (tmp_path / "latin.csv").write_text("review,stars\nUn café great,1\nUn café bad,0\n", encoding="latin-1")
    return tmp_path


def run(place: Path, data: str, *more: object, victim: str = "straight", out: str = "run") -> Finished:
    found = attack(f"py:{victim}:answer", "random:trials=1", out, *more, data=data)
    return unfool(*(part for part in found if part != "--quiet"), cwd=place)


def clean_accuracy(table: str) -> str:
    (row,) = (line.split() for line in table.splitlines() if line.startswith("│ clean accuracy"))
    return row[4]


def test_crossed_labels_are_told_before_the_table_and_the_option_uncrosses_them(place: Path) -> None:
    done = run(place, "names.csv", victim="crossed")
    told, _, table = done.out.partition("┏")
    assert " ".join(told.split()) == (
        "note: Clean accuracy is 0 %: the labels look crossed. With --labels=positive,negative it would be 100 %."
    )
    assert clean_accuracy(table) == "0.0%"
    shown = json.loads(unfool("show", "run", "--json", cwd=place).out)
    assert shown["remarks"][0].startswith("Clean accuracy is 0 %: the labels look crossed.")
    again = run(place, "names.csv", "--labels=positive,negative", victim="crossed", out="again")
    assert clean_accuracy(again.out) == "100.0%"
    assert "crossed" not in again.out


def test_how_labels_were_matched_is_told_before_the_run_and_once(place: Path) -> None:
    done = run(place, "names.csv")
    in_order = (
        "Labels matched in order: data negative → model 0, data positive → model 1; name them with --labels if"
    )
    assert in_order in done.err
    assert done.err.index("Labels matched") < done.err.index("random")
    assert "Labels matched" not in done.out
    named = run(place, "names.csv", "--labels", "negative,positive", out="named")
    assert "Labels matched by name: negative, positive.\n" in named.err


def test_labels_are_renamed_and_only_one_is_attacked(place: Path) -> None:
    renamed = ("--map", "True=positive,False=negative", "--labels", "negative,positive")
    done = run(place, "truths.csv", *renamed, "--from", "positive", "--target", "negative")
    assert done.code == 0, done
    assert "attacks only texts labelled positive: 6 of 12\n" in done.err
    shown = json.loads(unfool("show", "run", "--json", cwd=place).out)
    assert [(found["label"], found["samples"]) for found in shown["classes"]] == [(1, 6)]
    other = run(place, "truths.csv", *renamed, "--from", "negative", "--target", "negative", "--resume")
    assert other.code == 2
    assert "the labels of the texts attacked were positive, and are now negative" in other.err


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--from", "positve"], "no text of names.csv has the label 'positve'; did you mean 'positive'?"),
        (["--map", "positve=1"], "'names.csv' has no label 'positve' to rename; did you mean 'positive'?"),
        (
            ["--map", "positive"],
            "--map positive: 'positive' does not say OLD=NEW; write such as True=injection,False",
        ),
        (["--map", "positive=1,positive=0"], "--map positive=1,positive=0 names 'positive' twice"),
        (["--encoding", "latn-1"], "unknown encoding 'latn-1'; did you mean 'latin-1'?"),
    ],
)
def test_what_cannot_be_meant_is_refused(place: Path, more: list[str], told: str) -> None:
    done = run(place, "names.csv", *more)
    assert done.code == 2
    assert done.err.startswith(f"error: {told}")
    assert not (place / "run").exists()


def test_another_encoding_is_hinted_at_and_read(place: Path) -> None:
    done = run(place, "latin.csv")
    assert "'latin.csv', line 2: invalid UTF-8 (byte 0xe9)" in done.err
    assert "give the file's encoding, such as --encoding latin-1" in done.err
    read = run(place, "latin.csv", "--encoding", "latin-1")
    assert read.code == 0
    assert "columns: text=review (guessed), label=stars (guessed)" in read.err


def test_texts_without_labels_are_attacked_from_the_victim_s_own_answers(place: Path) -> None:
    done = run(place, "plain.csv", "--label", "@victim")
    assert done.code == 0, done
    assert "plain.csv: 12 of 13 samples; columns: text=review (guessed), label=@victim\n" in done.err
    assert "100 % by construction; left out: 1 with a tie between labels\n" in done.err
    assert clean_accuracy(done.out) == "100.0%"
    assert run(place, "plain.csv", "--label", "@victim", "--resume").code == 0
    given = ("--victim", "py:straight:answer", "--data", "plain.csv", "--label", "@victim", "--out", "e")
    elsewhere = unfool("evaluate", *given, cwd=place)
    assert elsewhere.code == 2
    assert elsewhere.err == "error: --label @victim is for `unfool attack` alone; name the column of the labels\n"


def test_figures_of_each_label_are_shown(place: Path) -> None:
    out = run(place, "names.csv").out
    (row,) = (line for line in out.splitlines() if line.startswith("│ positive"))
    assert [cell.strip() for cell in row.split("│")[1:5]] == ["positive", "6", "100.0% [61.0%, 100.0%]", "6"]
