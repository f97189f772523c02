"""Runs and studies made by hand, and raters that answer by a rule."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.made_outcomes import outcome

from unfool.engine import Status, Verdict
from unfool.rating import Study
from unfool.runs import Run

LABELS = ["bad", "good"]
MakeRun = Callable[..., Path]


@pytest.fixture
def make_run(tmp_path: Path) -> MakeRun:
    """Make a run of so many successes, and of other texts that the victim has right."""

    def make(name: str, successes: int, others: int = 0, first: int = 0) -> Path:
        with Run.create(tmp_path / name, {"attack": name, "labels": LABELS, "data_labels": LABELS}) as run:
            for number in range(first, first + successes + others):
                fooled = number < first + successes
                text = f"a plain text number {number} to be read by people"
                label = number % 2
                run.record(
                    outcome(
                        text,
                        text.replace("plain", name) if fooled else None,
                        number=number,
                        label=label,
                        status=Status.SUCCESS if fooled else Status.FAILED,
                        before=Verdict(label, 0.9),
                        after=Verdict(1 - label if fooled else label, 0.6),
                    )
                )
            run.finish()
        return tmp_path / name

    return make


Rule = Callable[[Study, int, int, bool], str]
"""What a rater answers, by study, rater, item and whether the pair is shown turned around."""


def rate(study: Study, rule: Rule, most: int | None = None) -> None:
    """Let all raters of a study answer in turn until each has no question left, or so many answers."""
    raters = study.store.raters()
    while raters:
        for rater in list(raters):
            asked = study.store.next(rater)
            if asked is None or (most is not None and asked.place >= most):
                raters.remove(rater)
                continue
            study.store.answer(rater, asked.place, rule(study, rater.number, asked.item, asked.swapped))


def right(study: Study, rater: int, item: int, swapped: bool) -> str:
    """Answer what is right where that is known, else the last answer there is."""
    known = study.items[item].right
    return known[0] if known else study.answers[-1]
