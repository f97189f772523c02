"""A run in which the attack proposed nothing says so: before the run, before the figures, and by its exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.end_to_end.command import VADER, unfool

GERMAN = [
    "Das war die schlechteste Serie, die ich je gesehen habe.",
    "Ein Film, den man nicht vergisst.",
]


def data(folder: Path, texts: list[str], label: str) -> Path:
    path = folder / "texts.csv"
    path.write_text("text,label\n" + "".join(f'"{text}",{label}\n' for text in texts), encoding="utf-8")
    return path


def test_all_stop_words(tmp_path: Path, wordnet: None) -> None:
    texts = data(tmp_path, [":) the and of which", ":) to the of a", ":) that this of"], "positive")
    options = ("attack", "--victim", VADER, "--data", texts, "--attack", "pwws", "--out", tmp_path / "run")
    done = unfool(*options, cwd=tmp_path)
    assert done.code == 4, done
    assert done.out.startswith("note: pwws proposed no change for 3 of 3 texts")
    assert "nothing was tried" in done.out
    assert " 0.0%" not in done.out
    told = json.loads(unfool(*options, "--resume", "--json", cwd=tmp_path).out)
    assert told["success_rate"]["value"] is None
    assert told["remarks"][0].startswith("pwws proposed no change for 3 of 3 texts")
    shown = unfool("show", tmp_path / "run", cwd=tmp_path)
    assert shown.code == 0
    assert shown.out.startswith("note: pwws proposed no change for 3 of 3 texts")


@pytest.mark.parametrize("command", ["attack", "try"])
def test_another_language(tmp_path: Path, wordnet: None, command: str) -> None:
    note = "note: pwws reads English, and these texts look German: what it puts in may make no sense there."
    if command == "try":
        done = unfool("try", "--victim", VADER, "--attack", "pwws", GERMAN[0], cwd=tmp_path)
        assert done.out.startswith(note)
        return
    options = ("--victim", VADER, "--data", data(tmp_path, GERMAN, "negative"), "--attack", "pwws")
    done = unfool("attack", *options, "--out", tmp_path / "run", cwd=tmp_path)
    assert done.code == 0, done
    assert note in done.err.splitlines()
    assert " ".join(done.out.split()).startswith(note)
