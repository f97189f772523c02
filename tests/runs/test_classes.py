"""Figures label by label."""

from __future__ import annotations

import json
from dataclasses import replace

from unfool.engine import NOTHING_PROPOSED, Outcome, Status, Verdict
from unfool.runs import Summary, summarise
from unfool.stats import Rate


def outcomes(outcome: Outcome) -> list[Outcome]:
    """Of label 1 three fooled, one not, two skipped; of label 0 one not fooled; of label 7 nothing tried, twice."""
    failed = replace(outcome, status=Status.FAILED, reason="query budget")
    skipped = replace(outcome, status=Status.SKIPPED, before=Verdict(0, 0.7))
    untried = replace(failed, label=7, before=Verdict(7, 0.9), reason=NOTHING_PROPOSED)
    return [
        *[outcome] * 3,
        failed,
        skipped,
        skipped,
        replace(failed, label=0, before=Verdict(0, 0.9)),
        untried,
        untried,
    ]


def test_each_right_label_has_its_own_figures(outcome: Outcome) -> None:
    summary = summarise(outcomes(outcome))
    zero, one, seven = summary.classes
    assert (zero.label, one.label, seven.label) == (0, 1, 7)
    assert (one.samples, one.skipped, one.attacked, one.successes) == (6, 2, 4, 3)
    assert (one.clean_accuracy, one.success_rate) == (Rate(4, 6), Rate(3, 4))
    assert one.answers == {0: 2, 1: 4}
    assert (zero.clean_accuracy, zero.success_rate) == (Rate(1, 1), Rate(0, 1))
    assert (seven.untried, seven.telling, one.telling) == (2, False, True)
    for total in ("samples", "skipped", "attacked", "successes"):
        assert sum(getattr(found, total) for found in summary.classes) == getattr(summary, total)


def test_they_survive_json(outcome: Outcome) -> None:
    summary = summarise(outcomes(outcome))
    plain = json.loads(json.dumps(summary.to_dict()))
    assert Summary.from_dict(plain) == summary
    assert plain["classes"][1]["success_rate"]["value"] == 0.75
    assert plain["classes"][2]["success_rate"]["value"] is None  # nothing was tried


def test_a_summary_of_an_older_version_has_none(outcome: Outcome) -> None:
    plain = summarise(outcomes(outcome)).to_dict()
    del plain["classes"]
    assert Summary.from_dict(plain).classes == ()
