"""Hardening on a user's own data: its columns, its names of labels, its bad rows."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from tests.end_to_end.command import unfool

from unfool.data import Reading
from unfool.defences.harden import Plan, Training, harden, method
from unfool.errors import UserError
from unfool.victims import open_victim

SETTINGS: dict[str, Any] = {"epochs": 1, "device": "cpu", "progress": False}


@pytest.fixture
def opinions(tmp_path: Path) -> Path:
    """Twenty films with two texts each, and one that nobody can judge."""
    rows = [f"the film is {w} {k},a {w} plot,{stars}" for k in range(10) for w, stars in (("good", 1), ("bad", 0))]
    rows.insert(3, "the film is a film,a plot,unsure")
    file = tmp_path / "mine.csv"
    file.write_text("\n".join(["opinion,summary,stars", *rows, ""]))
    return file


def test_columns_labels_and_bad_rows_are_told_on_the_command_line(
    opinions: Path, nets: dict[str, str], tmp_path: Path
) -> None:
    command = ["harden", "plain", "--victim", nets["words"], "--data", opinions, "--epochs", 1, "--device", "cpu"]
    columns = ["--text", "opinion", "--label", "stars", "--labels", "bad,good"]
    for given, said in (
        ([], "has no column that looks like the text; name it with --text"),
        (["--text", "opinion"], "has no column that looks like the label; name it with --label"),
        (["--text", "opinion", "--label", "points"], "has no column 'points'"),
        (columns, "line 5: label 'unsure' is none of 0=bad, 1=good"),
    ):
        done = unfool(*command, *given, "--out", "hard", cwd=tmp_path)
        assert (done.code, done.out) == (2, "")
        assert said in done.err
        assert not list(tmp_path.glob("hard*"))
    assert "leave them out with --skip-bad" in done.err
    done = unfool(*command, *columns, "--skip-bad", "--out", "hard", "--json", cwd=tmp_path)
    assert done.code == 0
    skipped, taken = done.err.splitlines()
    assert skipped == "skipped line 5: label 'unsure' is none of 0=bad, 1=good"
    assert taken == (
        f"Labels of {opinions} and {nets['words']} matched in order: data bad → model neg, data good → model pos; "
        "name them with --labels if that is wrong."
    )
    told = json.loads(done.out)
    assert told["n"] + told["validation"]["n"] == 20
    recorded = {"text": "opinion", "label": "stars", "labels": ["bad", "good"], "skip_bad": True}
    assert {name: told[name] for name in recorded} == recorded


def test_every_split_is_read_from_the_same_columns(nets: dict[str, str], task: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    for file in task.glob("*.parquet"):
        parquet.write_table(parquet.read_table(file).rename_columns(["opinion", "stars"]), folder / file.name)
    reading = Reading(text="opinion", label="stars")
    mine = harden("plain", nets["words"], str(folder), tmp_path / "one", reading=reading, **SETTINGS)
    usual = harden("plain", nets["words"], str(task), tmp_path / "two", **SETTINGS)
    assert (mine.validation, mine.test) == (usual.validation, usual.test)
    for setting in ("n", "fingerprint"):
        assert mine.settings[setting] == usual.settings[setting]


def test_labels_are_numbered_as_they_are_named(nets: dict[str, str], tmp_path: Path) -> None:
    """The victim's labels are neg and pos: named the other way round, the same ids are the opposite."""
    rows = [f"a {w} film {k},{label}" for k in range(10) for w, label in (("good", 1), ("bad", 0))]
    (tmp_path / "mine.csv").write_text("\n".join(["text,label", *rows, ""]))
    made = {
        order: harden(
            "plain", nets["words"], str(tmp_path / "mine.csv"), tmp_path / order[0], epochs=20, lr=0.05, batch=4,
            keep="last", reading=Reading(labels=order), device="cpu", progress=False,
        )
        for order in (("neg", "pos"), ("pos", "neg"))
    }  # fmt: skip
    assert [hardened.validation.share for hardened in made.values()] == [1.0, 1.0]
    said = [
        int(open_victim(f"zoo:{tmp_path / order[0]}").check([("a good film",)]).result().values[0].argmax())
        for order in made
    ]
    assert said == [1, 0]


def test_a_pair_is_named_and_edit_goes_before_the_reading(
    opinions: Path, nets: dict[str, str], tmp_path: Path
) -> None:
    reading = Reading("opinion", "summary", "stars", edit="opinion", labels=("neg", "pos"), skip_bad=True)
    for number, (edit, kept) in enumerate(((None, "opinion"), ("summary", "summary"))):
        settings = harden(
            "plain", nets["bert"], str(opinions), tmp_path / str(number), edit=edit, reading=reading, **SETTINGS
        ).settings
        assert (settings["edit"], settings["pair"]) == (kept, "summary")


@method
def stopped(training: Training) -> Plan:
    """Begin, and go no further."""
    (training.folder / "checkpoint.safetensors").touch()
    raise UserError("stopped")


def test_other_columns_are_other_settings(opinions: Path, nets: dict[str, str], tmp_path: Path) -> None:
    reading = Reading(text="opinion", label="stars", labels=("neg", "pos"), skip_bad=True)
    out = tmp_path / "hard"
    with pytest.raises(UserError, match="stopped"):
        harden(stopped, nets["words"], str(opinions), out, reading=reading, **SETTINGS)
    other = replace(reading, text="summary")
    with pytest.raises(UserError, match=r"other settings .*text was opinion, and is now summary"):
        harden(stopped, nets["words"], str(opinions), out, reading=other, resume=True, **SETTINGS)
    with pytest.raises(UserError, match="stopped"):
        harden(stopped, nets["words"], str(opinions), out, reading=reading, resume=True, **SETTINGS)


def test_a_bad_row_among_validation_samples_does_not_hide_them_all(
    nets: dict[str, str], task: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    for file in task.glob("*.parquet"):
        rows = parquet.read_table(file).to_pydict()
        if file.stem == "validation":
            rows["text"][2] = None
        parquet.write_table(pa.table(rows), folder / file.name)
    with pytest.raises(UserError, match=r"validation.*: no text in column 'text'; 1 of"):
        harden("plain", nets["words"], str(folder), tmp_path / "one", **SETTINGS)
    usual = harden("plain", nets["words"], str(task), tmp_path / "two", **SETTINGS)
    mine = harden(
        "plain", nets["words"], str(folder), tmp_path / "three", reading=Reading(skip_bad=True), **SETTINGS
    )
    assert mine.validation.n == usual.validation.n - 1
    assert mine.settings["n"] == usual.settings["n"]
