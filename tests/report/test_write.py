"""The page's data, and the walls around its texts, without a browser."""

from __future__ import annotations

import base64
import hashlib
import re
import sys
import tempfile
from dataclasses import replace
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.report.conftest import MakeRun
from tests.report.pages import blocks, data_of, page_of

import unfool.report
from unfool.engine import Failure, Outcome, Status, Verdict
from unfool.errors import UserError
from unfool.report import draw, write
from unfool.rules import Rule, RuleBook, write_rules
from unfool.runs import Run
from unfool.stats import wilson

HOSTILE = "</script><script>alert(1)</script><!-- \u2028 \0 \ud800 ]]> {{x}} %%data%%"


def test_every_sample_is_there_with_its_changes(tmp_path: Path, make_run: MakeRun, outcome: Outcome) -> None:
    skipped = replace(outcome, id=1, status=Status.SKIPPED, perturbed=outcome.original)
    found = blocks(page_of(tmp_path, make_run("run", [outcome, skipped])))["samples-0"]
    first, second = (dict(zip(found["columns"], row, strict=True)) for row in found["rows"])
    assert first["fields"] == [[["A ", "good", " film."], ["A ", "decent", " film."]]]
    assert (first["label_before"], first["confidence_after"], first["queries"]) == (1, 0.6, 12)
    assert second["fields"] == [[["A good film."], None]]


def test_of_a_large_run_some_samples_are_on_the_page_and_figures_are_of_all(
    tmp_path: Path, make_run: MakeRun, outcome: Outcome
) -> None:
    many, most = 30_001, 20_000
    skipped = replace(outcome, status=Status.SKIPPED, perturbed=outcome.original)
    fell = [replace(outcome, id=number, queries=number) for number in (1, many - 2)]
    held = [replace(skipped, id=number) for number in range(many) if number not in (1, many - 2)]
    found = blocks(page_of(tmp_path, make_run("run", [*fell, *held])))
    ids = [row[0] for row in found["samples-0"]["rows"]]
    assert (len(ids), ids[0], ids[-1]) == (most, 0, many - 1)
    assert {after - before for before, after in pairwise(ids)} == {1, 2}
    (run,) = found["about"]["runs"]
    assert run["summary"]["samples"] == many
    assert [point[:2] for point in run["curves"]["queries"]] == [[1, 0.5], [many - 2, 1.0]]


@given(st.lists(st.tuples(st.text(), st.text()), min_size=1, max_size=5))
def test_the_pieces_give_back_any_text(outcome: Outcome, pairs: list[tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder, Run.create(Path(folder) / "run", {}) as run:
        for number, (original, perturbed) in enumerate(pairs):
            run.record(replace(outcome, id=number, original=(original,), perturbed=(perturbed,)))
        run.finish()
        found = data_of(run)["samples-0"]
    for (original, perturbed), row in zip(pairs, found["rows"], strict=True):
        ((old, new),) = row[found["columns"].index("fields")]
        assert "".join(old) == original
        assert "".join(new if new is not None else old) == perturbed


def test_no_text_can_leave_its_block(tmp_path: Path, make_run: MakeRun, outcome: Outcome) -> None:
    hostile = replace(
        outcome, original=(HOSTILE,), perturbed=(HOSTILE + " x",), reason=HOSTILE, field_names=(HOSTILE,),
        notes={HOSTILE: 1.0},
    )  # fmt: skip
    run = make_run("<script>alert(2)<", [hostile], attack=HOSTILE, labels=[HOSTILE, "b"])
    write_rules(RuleBook(("b",), (Rule("b", "word", "<img/src=x/onerror=alert(3)>"),)), tmp_path / "<b>.jsonl")
    page = page_of(tmp_path, run, tmp_path / "<b>.jsonl")
    plain = page_of(tmp_path, make_run("plain", [outcome]))
    found = blocks(page)
    assert found["about"]["runs"][0]["labels"][0] == HOSTILE
    assert found["samples-0"]["fields"] == [HOSTILE]
    assert found["about"]["rules"][0]["rules"][0]["substitute"].startswith("<img")
    # The same elements as on a page without anything hostile; one more block for nothing, none fewer.
    assert re.findall(r"<(/?\w+)", page) == re.findall(r"<(/?\w+)", plain)
    assert "<!--" not in page


def test_the_policy_names_what_may_run(tmp_path: Path, make_run: MakeRun, outcome: Outcome) -> None:
    page = page_of(tmp_path, make_run("run", [outcome]))
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    rules = dict(rule.split(" ", 1) for rule in unescape(policy).split("; "))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    for kind, tag in (("script-src", "script"), ("style-src", "style")):
        inline = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in inline]
        assert rules[kind].split() == [f"'sha256-{each}'" for each in hashes]


def test_the_page_needs_nothing_from_elsewhere(tmp_path: Path, make_run: MakeRun, outcome: Outcome) -> None:
    page = page_of(tmp_path, make_run("run", [outcome]))
    assert "://" not in page
    assert not re.search(r"\bsrc=|@import|url\(", page)


def test_the_same_runs_give_the_same_page(tmp_path: Path, make_run: MakeRun, outcome: Outcome) -> None:
    run = make_run("run", [outcome])
    assert page_of(tmp_path, run) == page_of(tmp_path, run.folder) == page_of(tmp_path, str(run.folder))


def test_samples_without_a_result_are_told(tmp_path: Path, outcome: Outcome) -> None:
    with Run.create(tmp_path / "run", {}) as run:
        run.record(outcome)
        run.fail(Failure(7, "<timeout>"))
    about = blocks(page_of(tmp_path, run))["about"]["runs"][0]
    assert about["errors"] == [{"id": 7, "error": "<timeout>"}]
    assert about["finished"] is False


def test_labels_that_are_numbers_take_the_names_of_the_data(
    tmp_path: Path, make_run: MakeRun, outcome: Outcome
) -> None:
    by_number = make_run("a", [outcome], labels=["0", "1"], data_labels=["bad", "good"])
    by_name = make_run("b", [outcome], labels=["0", "1"], data_labels=["1", "0"])
    found = blocks(page_of(tmp_path, by_number, by_name))["about"]["runs"]
    assert [run["labels"] for run in found] == [["bad", "good"], ["0", "1"]]


def curves_of(run: Run) -> dict[str, Any]:
    curves: dict[str, Any] = data_of(run)["about"]["runs"][0]["curves"]
    return curves


def test_curves_count_the_attacked_alone(make_run: MakeRun, outcome: Outcome) -> None:
    def sample(number: int, status: Status, queries: int, changed: int) -> Outcome:
        return replace(outcome, id=number, status=status, queries=queries, words=10, words_changed=changed)

    samples = [
        sample(0, Status.SUCCESS, 5, 1),
        sample(1, Status.SUCCESS, 9, 1),
        sample(2, Status.FAILED, 7, 4),
        sample(3, Status.FAILED, 70, 4),
        sample(4, Status.SKIPPED, 0, 0),
    ]
    found = curves_of(make_run("run", samples))
    assert [point[:2] for point in found["queries"]] == [[5, 0.25], [9, 0.5]]
    assert [point[:2] for point in found["words"]] == [[10.0, 0.5]]
    assert found["queries"][-1][2:] == pytest.approx(wilson(2, 4), abs=1e-4)
    assert curves_of(make_run("empty", [])) == {"queries": [], "words": []}


def test_long_curves_keep_their_ends_and_stay_exact(make_run: MakeRun, outcome: Outcome) -> None:
    n = 2000
    found = curves_of(make_run("run", [replace(outcome, id=i, queries=i + 1) for i in range(n)]))["queries"]
    assert len(found) <= 300
    (first, *_), (last, rate, *_) = found[0], found[-1]
    assert (first, last, rate) == (1, n, 1.0)
    assert all(rate == pytest.approx(cost / n, abs=1e-4) for cost, rate, *_ in found)


def test_runs_are_held_against_the_first(make_run: MakeRun, outcome: Outcome) -> None:
    failed = replace(outcome, status=Status.FAILED)
    both = [outcome, replace(outcome, id=1)]
    runs = [
        make_run("a", both),
        make_run("b", [outcome, replace(failed, id=1)]),
        make_run("other", [replace(outcome, original=("Another text.",))]),
    ]
    (pair,) = data_of(*runs)["about"]["against"]
    assert (pair["run"], pair["both"], pair["only_a"], pair["only_b"]) == (1, 1, 1, 0)
    assert pair["effort_a"] == {"queries": 12.0, "words_changed": pytest.approx(100 / 3)}


def test_the_worst_case_is_what_no_attack_takes(make_run: MakeRun, outcome: Outcome) -> None:
    def run(name: str, statuses: list[Status], victim: str = "v") -> Run:
        wrong = replace(outcome, id=9, status=Status.SKIPPED, before=Verdict(0, 0.8))
        each = [replace(outcome, id=i, status=status) for i, status in enumerate(statuses)]
        return make_run(name, [*each, wrong], victim=victim)

    yes, no = Status.SUCCESS, Status.FAILED
    runs = [run("a", [yes, no, no]), run("b", [no, yes, no]), run("alone", [no, no, no], victim="w")]
    (found,) = data_of(*runs)["about"]["worst"]
    assert (found["victim"], found["runs"], found["count"], found["of"]) == ("v", [0, 1], 1, 4)


def test_what_is_no_run_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is not a run folder"):
        write([tmp_path / "none"], tmp_path / "page.html")
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(UserError, match=r"notes\.txt, line 1"):
        write([tmp_path / "notes.txt"], tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


def test_the_folder_of_a_paper_s_study_leads_to_its_runs(tmp_path: Path) -> None:
    for name in ("study.md", "results.json"):
        (tmp_path / name).write_text("{}")
    with pytest.raises(UserError, match=r"holds a paper's study.*it did no runs of its own"):
        write([tmp_path], tmp_path / "page.html")
    run = tmp_path / "runs" / "pwws"
    run.mkdir(parents=True)
    (run / "config.json").write_text("{}")
    with pytest.raises(UserError, match=rf"give its runs: .*runs/…, such as {run}$"):
        write([tmp_path], tmp_path / "page.html")


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot write .*page\.html.*choose another place"):
        write([], tmp_path / "none" / "page.html")


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(UserError, match=r"pip install 'unfool\[report\]'"):
        draw({})


def test_without_the_library_there_is_a_page_without_charts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_run: MakeRun, outcome: Outcome
) -> None:
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    page = page_of(tmp_path, make_run("run", [outcome]))
    assert blocks(page)["samples-0"]["rows"]
    assert "<script></script>" in page
    assert "pip install 'unfool[report]'" in page


def test_our_scripts_never_make_html_of_strings(tmp_path: Path) -> None:
    folder = Path(unfool.report.__file__).parent / "page"
    scripts = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.js")}
    page = page_of(tmp_path)
    assert all(script in page for script in scripts.values())
    forbidden = re.compile(r"(inner|outer)HTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc")
    assert not [name for name, text in scripts.items() if forbidden.search(text)]
