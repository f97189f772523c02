"""The figures of each right label, on the terminal and on the page."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from unfool.engine import NOTHING_PROPOSED, Outcome, Status, Verdict
from unfool.report import terminal, write
from unfool.runs import Run


def made(folder: Path, outcome: Outcome, labels: int) -> Run:
    """A run of so many labels; of the last but one, nothing was tried; of the last, the attack failed."""
    names = [f"label {number}" for number in range(labels)]
    with Run.create(folder, {"labels": names}) as run:
        for number in range(labels):
            right = replace(outcome, id=number, label=number, before=Verdict(number, 0.9))
            reason = {labels - 1: "query budget", labels - 2: NOTHING_PROPOSED}.get(number, "")
            run.record(replace(right, status=Status.FAILED, reason=reason) if reason else right)
        run.finish()
    return Run.open(folder)


def printed(runs: list[Run]) -> str:
    out = io.StringIO()
    Console(file=out, width=160).print(terminal(runs, examples=0))
    return out.getvalue()


def test_a_terminal_has_a_table_of_a_few_labels(tmp_path: Path, outcome: Outcome) -> None:
    text = printed([made(tmp_path / "run", outcome, 3)])
    rows = [
        [cell.strip() for cell in line.split("│")[1:-1]]
        for line in text.splitlines()
        if line.startswith("│ label ")
    ]
    assert rows == [
        ["label 0", "1", "100.0% [20.7%, 100.0%]", "1", "100.0% [20.7%, 100.0%]"],
        ["label 1", "1", "100.0% [20.7%, 100.0%]", "1", "nothing was tried"],
        ["label 2", "1", "100.0% [20.7%, 100.0%]", "1", "0.0% [0.0%, 79.3%]"],
    ]


def test_of_many_labels_it_says_the_extremes(tmp_path: Path, outcome: Outcome) -> None:
    text = printed([made(tmp_path / "run", outcome, 11)])
    assert (
        "11 labels; the report and --json have the figures of each; "
        "success rates from 0.0% (label 10) to 100.0% (label 0)"
    ) in text
    assert "label 4" not in text


def test_of_one_label_and_of_several_runs_it_has_none(tmp_path: Path, outcome: Outcome) -> None:
    run = made(tmp_path / "run", outcome, 2)
    assert "┃ attacked ┃" in printed([run])
    assert "attacked" not in printed([run, run])
    with Run.create(tmp_path / "one", {}) as one:
        one.record(outcome)
        one.finish()
    assert "attacked" not in printed([Run.open(tmp_path / "one")])


def test_the_page_gets_them(tmp_path: Path, outcome: Outcome) -> None:
    made(tmp_path / "run", outcome, 3)
    write([tmp_path / "run"], tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    about = re.search(r'<script type="application/json" id="about">(.*?)</script>', page, re.DOTALL)
    assert about is not None
    (run,) = json.loads(about[1])["runs"]
    assert [found["samples"] for found in run["summary"]["classes"]] == [1, 1, 1]
    assert "classesOf(runs[0])" in page


def test_a_run_of_an_older_version_is_shown_without_them(tmp_path: Path, outcome: Outcome) -> None:
    made(tmp_path / "run", outcome, 3)
    summary = tmp_path / "run" / "summary.json"
    old = json.loads(summary.read_text())
    del old["classes"]
    summary.write_text(json.dumps(old))
    assert "success rate" in printed([Run.open(tmp_path / "run")])
