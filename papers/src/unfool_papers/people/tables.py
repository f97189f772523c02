"""Tables 3 and 4 of Hsieh et al. and HotFlip's human check: the papers' people, a stand-in, and people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unfool.rating import stand_in_name
from unfool_papers.study.plan import Table

_NONE_YET = ""
# Tables 3 and 4 of Hsieh et al., 2019: readability, and human accuracy in percent; the model or method, the run.
PUBLISHED = {
    "Table 3": (
        "table-3-readability",
        {"LSTM": ("lstm-gs-ec", "0.6", "52.1"), "BERT": ("bert-gs-ec", "1.0", "68.8")},
    ),
    "Table 4": (
        "table-4-readability",
        {"GS-GR": ("bert-gs-gr", "0.55", "64.6"), "GS-EC": ("bert-gs-ec", "1.0", "68.8")},
    ),
}
# Section 4.2 of Ebrahimi et al., 2018: the median of the participants' accuracies.
HOTFLIP = {"clean texts": ("original", "87.49"), "changed by HotFlip": ("hotflip", "85.71")}


def tables(found: Mapping[str, Any]) -> dict[str, Table]:
    """Return each table by its name; a column of people who have not voted yet is empty."""
    studies = found["studies"]
    return {
        **{name: _table(name, study, rows, studies) for name, (study, rows) in PUBLISHED.items()},
        "HotFlip": _hotflip(studies["hotflip-label"]),
    }


def _table(name: str, study: str, rows: Mapping[str, tuple[str, str, str]], studies: Mapping[str, Any]) -> Table:
    votes, labels = studies[study], studies["reviews-label"]
    cells = [
        [
            method,
            readability, _relative(votes["model"], run), _relative(votes["people"], run),
            accuracy, _rate(labels["model"], run), _rate(labels["people"], run),
        ]
        for method, (run, readability, accuracy) in rows.items()
    ]  # fmt: skip
    heads = [
        f"{measure}: {who}"
        for measure, found in (("readability", votes), ("right label, %", labels))
        for who in _heads(found)
    ]
    return Table(name, ["", *heads], cells)


def _hotflip(study: Mapping[str, Any]) -> Table:
    cells = [
        [what, paper, _rate(study["model"], version), _median(study["people"], version)]
        for what, (version, paper) in HOTFLIP.items()
    ]
    return Table("HotFlip", ["right label, %", *_heads(study)], cells)


def _heads(study: Mapping[str, Any]) -> tuple[str, ...]:
    return "the paper's people", f"stand-in {stand_in_name(study['model']['name'])}", "people"


def _relative(votes: Mapping[str, Any] | None, run: str) -> str:
    if votes is None or run not in votes["readability"]:
        return _NONE_YET
    found = votes["readability"][run]
    return f"{found['value']:.2f} [{found['low']:.2f}, {found['high']:.2f}]"


def _rate(votes: Mapping[str, Any] | None, version: str) -> str:
    if votes is None or version not in votes["accuracy"]:
        return _NONE_YET
    found = votes["accuracy"][version]
    return f"{100 * found['value']:.1f} [{100 * found['low']:.0f}, {100 * found['high']:.0f}]"


def _median(votes: Mapping[str, Any] | None, version: str) -> str:
    if votes is None or version not in votes["accuracy"]:
        return _NONE_YET
    return f"{100 * votes['accuracy'][version]['median_rater']:.1f}"
