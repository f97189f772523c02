"""What a terminal gets: figures, coloured changes, and no power to the texts."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from unfool.engine import Outcome, Status
from unfool.report import terminal
from unfool.runs import Run


def printed(folder: Path, outcomes: list[Outcome], examples: int = 5, color: bool = False) -> str:
    with Run.create(folder, {}) as run:
        for outcome in outcomes:
            run.record(outcome)
        run.finish()
    out = io.StringIO()
    Console(file=out, width=160, force_terminal=color, color_system="standard" if color else None).print(
        terminal([run], examples)
    )
    return out.getvalue()


def test_figures_and_examples(tmp_path: Path, outcome: Outcome) -> None:
    text = printed(tmp_path / "run", [outcome, replace(outcome, id=1, status=Status.FAILED, reason="too dear")])
    assert "50.0% [9.5%, 90.5%]" in text
    assert "33.3 %" in text
    assert "run #0 success: 1 (90%) → 0 (60%), 12 queries\n- A good film.\n+ A decent film." in text
    assert "run #1 failed (too dear)" in text


def test_one_query_is_no_queries(tmp_path: Path, outcome: Outcome) -> None:
    assert "(60%), 1 query\n" in printed(tmp_path / "run", [replace(outcome, queries=1)])


def test_labels_go_by_their_names(tmp_path: Path, outcome: Outcome) -> None:
    with Run.create(tmp_path / "run", {"labels": ["negative", "positive"]}) as run:
        run.record(outcome)
    out = io.StringIO()
    Console(file=out, width=160).print(terminal([run]))
    assert "run #0 success: positive (90%) → negative (60%), 12 queries" in out.getvalue()


def test_figures_of_many_runs_fit_a_narrow_terminal(tmp_path: Path, outcome: Outcome) -> None:
    runs = []
    for name in "abcde":
        with Run.create(tmp_path / name, {}) as run:
            run.record(outcome)
        runs.append(run)
    out = io.StringIO()
    Console(file=out, width=80).print(terminal(runs, examples=0))
    assert out.getvalue().count("12.0") == 5  # queries, once a run
    assert "…" not in out.getvalue()


def test_changed_words_are_coloured(tmp_path: Path, outcome: Outcome) -> None:
    text = printed(tmp_path / "run", [outcome], color=True)
    assert "- A \x1b[31mgood\x1b[0m film." in text
    assert "+ A \x1b[32mdecent\x1b[0m film." in text


def test_markup_and_control_characters_have_no_effect(tmp_path: Path, outcome: Outcome) -> None:
    hostile = "[bold]x[/bold] [/nothing] \x1b[31m \x9b5m \ud800"
    text = printed(tmp_path / "[red]run", [replace(outcome, perturbed=(hostile,))], color=True)
    plain = printed(tmp_path / "run", [replace(outcome, perturbed=(hostile,))])
    assert "[red]run" in text
    assert "+ [bold]x[/bold] [/nothing] ␛[31m \ufffd5m \ufffd" in plain
    assert "\x1b" not in plain


def test_successes_come_first_and_no_more_than_asked(tmp_path: Path, outcome: Outcome) -> None:
    skipped = replace(outcome, status=Status.SKIPPED, perturbed=outcome.original)
    outcomes = [skipped, replace(skipped, id=1), replace(outcome, id=2)]
    text = printed(tmp_path / "run", outcomes, examples=2)
    assert text.index("#2 success") < text.index("#0 skipped")
    assert "#1" not in text
