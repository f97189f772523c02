"""Exports, read back by the readers people have."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from unfool.engine import Outcome, Status, Verdict
from unfool.errors import UserError
from unfool.runs import Run, export, mark_changes


@pytest.fixture
def run(tmp_path: Path, outcome: Outcome) -> Run:
    with Run.create(tmp_path / "run", {"labels": ["bad", "good"]}) as run:
        run.record(outcome)
        run.record(replace(outcome, id=1, original=('"a",\r\nb\ud800\0',), perturbed=("\u2028;",)))
        run.record(replace(outcome, id=2, status=Status.FAILED, reason="query budget", after=Verdict(1, 0.6)))
        run.record(replace(outcome, id=3, status=Status.SKIPPED, before=Verdict(0, 0.7), after=Verdict(0, 0.7)))
        run.finish()
    return run


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_csv(run: Run, tmp_path: Path) -> None:
    export(run, "csv", tmp_path / "out.csv")
    rows = read_csv(tmp_path / "out.csv")
    assert [row["status"] for row in rows] == ["success", "success", "failed", "skipped"]
    assert rows[1]["original_text"] == '"a",\r\nb\ufffd\0'
    assert rows[0]["confidence_before"] == "0.9"
    assert list(rows[0]) == run.table().column_names


NAMES = ("label_name", "label_name_before", "label_name_after")


def test_jsonl_is_the_run_s_own_log_and_names(run: Run, tmp_path: Path) -> None:
    export(run, "jsonl", tmp_path / "out.jsonl")
    exported = read_jsonl(tmp_path / "out.jsonl")
    for row in exported:
        for name in NAMES:
            del row[name]
    assert exported == read_jsonl(run.folder / "outcomes.jsonl")


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_labels_are_named(run: Run, tmp_path: Path, form: str) -> None:
    from pyarrow import parquet

    export(run, form, tmp_path / "out")
    read: dict[str, Callable[[Path], list[dict[str, Any]]]] = {
        "csv": read_csv,
        "jsonl": read_jsonl,
        "parquet": lambda path: parquet.read_table(path).to_pylist(),
    }
    named = [tuple(row[name] for name in NAMES) for row in read[form](tmp_path / "out")]
    assert named == [("good", "good", "bad")] * 2 + [("good", "good", "good"), ("good", "bad", "bad")]


def test_labels_without_names_are_their_numbers(tmp_path: Path, outcome: Outcome) -> None:
    with Run.create(tmp_path / "run", {}) as run:
        run.record(outcome)
    assert run.table().column("label_name_after").to_pylist() == ["0"]


def test_parquet(run: Run, tmp_path: Path) -> None:
    from pyarrow import parquet

    export(run, "parquet", tmp_path / "out.parquet")
    assert parquet.read_table(tmp_path / "out.parquet").equals(run.table())


def test_textattack_log(run: Run, tmp_path: Path) -> None:
    export(run, "textattack", tmp_path / "log.csv")
    rows = read_csv(tmp_path / "log.csv")
    assert rows[0] == {
        "original_text": "A [[good]] film.",
        "perturbed_text": "A [[decent]] film.",
        "original_score": str(1 - 0.9),
        "perturbed_score": "0.6",
        "original_output": "1",
        "perturbed_output": "0",
        "ground_truth_output": "1",
        "num_queries": "12",
        "result_type": "Successful",
    }
    assert [row["result_type"] for row in rows] == ["Successful", "Successful", "Failed", "Skipped"]
    assert "<SPLIT>" in rows[1]["original_text"]


def test_textattack_log_of_pairs(tmp_path: Path, outcome: Outcome) -> None:
    pair = replace(
        outcome,
        field_names=("premise", "hypothesis"),
        original=("A dog runs.", "It moves fast."),
        perturbed=("A dog runs.", "It moves very quick."),
    )
    with Run.create(tmp_path / "run", {}) as run:
        run.record(pair)
    export(run, "textattack", tmp_path / "log.csv")
    (row,) = read_csv(tmp_path / "log.csv")
    assert row["original_text"] == "[[[[Premise]]]]: A dog runs.<SPLIT>[[[[Hypothesis]]]]: It moves [[fast]]."
    assert row["perturbed_text"].endswith(": It moves [[very]] [[quick]].")


def test_unknown_format(run: Run, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="'parket'; did you mean 'parquet'"):
        export(run, "parket", tmp_path / "out")


def test_a_place_that_cannot_be_written(run: Run, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot write .*out.csv"):
        export(run, "csv", tmp_path / "none" / "out.csv")
    for folder in (tmp_path, Path("."), Path("/")):
        with pytest.raises(UserError, match=r"cannot write .*: Is a directory; choose another place"):
            export(run, "csv", folder)


@pytest.mark.parametrize(
    ("original", "perturbed"),
    [
        ("a b c", "a c"),
        ("a c", "a b c"),
        ("a, b; c!", "x, y z; c?"),
        ("", "new"),
        ("gone", ""),
        ("same  text \n", "same  text \n"),
    ],
)
def test_marked_pieces_give_the_texts_back(outcome: Outcome, original: str, perturbed: str) -> None:
    marked = mark_changes(replace(outcome, original=(original,), perturbed=(perturbed,)))
    assert "".join(piece.string for piece in marked.original[0]) == original
    assert "".join(piece.string for piece in marked.perturbed[0]) == perturbed


def test_marks_after_an_insertion_sit_on_the_right_words(outcome: Outcome) -> None:
    marked = mark_changes(replace(outcome, original=("a b c d",), perturbed=("a new b c x",)))
    assert [piece.string for piece in marked.original[0] if piece.changed] == ["d"]
    assert [piece.string for piece in marked.perturbed[0] if piece.changed] == ["new", "x"]


@pytest.mark.parametrize(
    ("original", "perturbed", "gone", "come"),
    [
        ("a costly divorce, no", "a co%tly {i#or:e, no", ["costly", "divorce"], ["co%tly", "{i#or:e"]),
        ("her (own) skin", "he& (own) .kin", ["her", "skin"], ["he&", ".kin"]),
        ("this is a film", "this is % film", ["a"], ["%"]),
        ("one, two. three", "uno, dos y tres. three", ["one", "two"], ["uno", "dos", "y", "tres"]),
        ("and/or", "but/if", ["and", "or"], ["but", "if"]),
    ],
)
def test_marks_in_a_word_are_part_of_what_changed(
    outcome: Outcome, original: str, perturbed: str, gone: list[str], come: list[str]
) -> None:
    marked = mark_changes(replace(outcome, original=(original,), perturbed=(perturbed,)))
    assert [piece.string for piece in marked.original[0] if piece.changed] == gone
    assert [piece.string for piece in marked.perturbed[0] if piece.changed] == come
    assert "".join(piece.string for piece in marked.perturbed[0]) == perturbed


def test_fields_are_compared_each_for_itself(outcome: Outcome) -> None:
    pair = replace(outcome, field_names=("a", "b"), original=("x y", "y z"), perturbed=("x", "y y z"))
    marked = mark_changes(pair)
    assert [[piece for piece in field if piece.changed] for field in marked.original] == [[("y", True)], []]
    assert [piece.string for piece in marked.perturbed[1] if piece.changed] == ["y"]
