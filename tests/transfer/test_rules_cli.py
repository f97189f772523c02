"""The commands as users meet them: the whole way, and a kill in the middle."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest
from tests.end_to_end.command import REVIEWS, VADER, fetch_or_skip, start, unfool
from tests.report.pages import blocks

from unfool.rules import Rule, RuleBook, write_rules

SLEEPY = """
import os, time
from unfool.victims.vader import labels, probabilities

def sleepy(texts):
    time.sleep(float(os.environ.get("PAUSE", 0)) if texts != [""] else 0)
    return probabilities(texts)
"""


@pytest.fixture(autouse=True, scope="module")
def _wordnet() -> None:
    fetch_or_skip("wordnet")


def test_mine_show_apply_and_audit(tmp_path: Path) -> None:
    made = unfool(
        "rules", "mine", "--victims", VADER, VADER, "--data", REVIEWS, "--out", "rules.jsonl", cwd=tmp_path
    )
    assert made.code == 0, made.err
    assert "mining" in made.err
    assert "rules: rules.jsonl" in made.out
    told = unfool("rules", "show", "rules.jsonl", "--n", 2, "--json", cwd=tmp_path)
    shown = json.loads(told.out)
    assert shown["members"] == [VADER]
    assert len(shown["rules"]) == 4
    assert all(len(rule["pmi"]) == 2 for rule in shown["rules"])
    assert "PMI" in unfool("rules", "show", "rules.jsonl", cwd=tmp_path).out
    named = shown["rules"][0]["word"].title()
    assert "→" in unfool("rules", "show", "rules.jsonl", "--word", named, cwd=tmp_path).out
    options = ("rules", "apply", "--rules", "rules.jsonl", "--data", REVIEWS, "--max-words", 0.3)
    blind = unfool(*options, "--out", "new.jsonl", cwd=tmp_path)
    assert blind.code == 0, blind.err
    assert "texts changed: new.jsonl" in blind.out
    judged = unfool(*options, "--victim", VADER, "--out", "run", "--quiet", "--json", cwd=tmp_path)
    assert json.loads(judged.out)["successes"] > 0
    assert unfool("show", "run", cwd=tmp_path).code == 0
    assert unfool("export", "run", cwd=tmp_path).code == 0
    audited = unfool(
        "rules",
        "audit",
        "--victim",
        VADER,
        "--data",
        REVIEWS,
        "--out",
        "page.html",
        "--json",
        "--quiet",
        cwd=tmp_path,
    )
    assert json.loads(audited.out)["findings"]
    assert blocks((tmp_path / "page.html").read_text(encoding="utf-8"))["about"]["audits"][0]["findings"]
    weighed = unfool(
        "rules",
        "importance",
        "--victims",
        VADER,
        "--text",
        "a good film",
        "--label",
        "positive",
        "--json",
        cwd=tmp_path,
    )
    values = json.loads(weighed.out)["models"][VADER]
    assert values[1] > 0 == values[0] == values[2]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("mine", "--data", REVIEWS, "--out", "r"), "name the victims"),
        (("mine", "--victims", VADER, "--data", "nowhere.csv", "--out", "r"), "nowhere.csv"),
        (("show", "nowhere.jsonl"), "nowhere.jsonl"),
        (("importance", "--victims", VADER, "--text", " …", "--label", "positive"), "' …' has no words"),
        (("audit", "--victim", VADER, "--data", REVIEWS, "--out", "."), "name the page to write"),
        (("apply", "--rules", REVIEWS, "--data", REVIEWS, "--max-words", "0.3"), "line 1"),
    ],
)
def test_mistakes_are_told_in_one_line(tmp_path: Path, arguments: tuple[object, ...], said: str) -> None:
    ended = unfool("rules", *arguments, cwd=tmp_path)
    assert ended.code == 2
    assert said in ended.err
    assert len(ended.err.strip().splitlines()) == 1


def test_rules_for_other_labels_are_told_in_one_line(tmp_path: Path) -> None:
    write_rules(RuleBook(("bad",), (Rule("bad", "dull", "slow"),)), tmp_path / "rules.jsonl")
    options = (
        "rules",
        "apply",
        "--rules",
        "rules.jsonl",
        "--data",
        REVIEWS,
        "--max-words",
        0.3,
        "--out",
        "new.jsonl",
    )
    ended = unfool(*options, cwd=tmp_path)
    assert (ended.code, len(ended.err.strip().splitlines())) == (2, 1)
    assert "the rules are for the labels bad, the data has 0, 1; use data with these labels" in ended.err


def test_a_judge_that_does_not_answer_is_told(tmp_path: Path) -> None:
    (tmp_path / "dumb.py").write_text(
        "labels = ('negative', 'positive')\ndef answer(texts):\n    raise ValueError('no idea')\n"
    )
    write_rules(RuleBook(("bad", "good"), (Rule("bad", "dull", "slow"),)), tmp_path / "rules.jsonl")
    judged = unfool(
        "rules", "apply", "--rules", "rules.jsonl", "--data", REVIEWS, "--max-words", 0.3, "--n", 2,
        "--victim", "py:dumb:answer", "--out", "run", "--quiet", cwd=tmp_path,
    )  # fmt: skip
    assert judged.code == 2
    assert judged.err.startswith(
        f"Labels of {REVIEWS} and rules.jsonl matched in order: data 0 → model bad, data 1"
    )
    assert (
        "no answer about any of the 2 samples: py:dumb:answer raised ValueError: no idea at dumb.py:3" in judged.err
    )


def test_killed_resumed_and_shared_out_give_the_same_file(tmp_path: Path) -> None:
    (tmp_path / "victim.py").write_text(SLEEPY)
    options = ("rules", "mine", "--victims", "py:victim:sleepy", "--data", REVIEWS, "--quiet", "--out")
    process = start(*options, "killed.jsonl", cwd=tmp_path, PAUSE="0.3")
    deadline = time.monotonic() + 60
    parts = tmp_path / "killed.jsonl.parts"
    while not list(parts.glob("*.parquet")) and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert list(parts.glob("*.parquet"))
    assert not (tmp_path / "killed.jsonl").exists()
    resumed = unfool(*options, "killed.jsonl", "--resume", cwd=tmp_path)
    assert resumed.code == 0, resumed.err
    shared = unfool(*options, "shared.jsonl", "--workers", 2, cwd=tmp_path)
    assert shared.code == 0, shared.err
    whole = unfool(*options, "whole.jsonl", cwd=tmp_path)
    assert whole.code == 0, whole.err
    wanted = (tmp_path / "whole.jsonl").read_bytes()
    assert (tmp_path / "killed.jsonl").read_bytes() == wanted
    assert (tmp_path / "shared.jsonl").read_bytes() == wanted


def test_replacements_without_an_answer_are_told(tmp_path: Path) -> None:
    (tmp_path / "moody.py").write_text(
        "from unfool.victims.vader import labels, probabilities as asked\n"
        "def probabilities(texts):\n"
        "    if any('film' in text for text in texts):\n"
        "        raise RuntimeError('not that again')\n"
        "    return asked(texts)\n"
    )
    (tmp_path / "data.csv").write_text(
        "text,label\na good story,positive\na good movie,positive\na good film,positive\na bad story,negative\n"
    )
    given = ("--data", "data.csv", "--quiet")
    audited = unfool(
        "rules", "audit", "--victim", "py:moody:probabilities", *given, "--out", "a.html", cwd=tmp_path
    )
    assert audited.code == 3, audited.err
    assert "replacements have no answer and count in no figure" in audited.err
    (shown,) = blocks((tmp_path / "a.html").read_text())["about"]["audits"]
    assert shown["texts"] > shown["answered"]
    assert shown["right_before"]["value"] == 1  # three of the three that were answered
    mined = unfool("rules", "mine", "--victims", "py:moody:probabilities", *given, "--out", "r.jsonl", cwd=tmp_path)
    assert mined.code == 3, mined.err
    assert "replacements have no answer and count in no figure" in mined.err
