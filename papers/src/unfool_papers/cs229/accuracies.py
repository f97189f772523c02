"""Figure 8: the accuracy of each model before an attack and under each, on the same reviews."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unfool.stats import wilson
from unfool_papers.analysis import Figure
from unfool_papers.study.bars import Bar, bars
from unfool_papers.study.record import Record

CLEAN = "clean"


def accuracies(records: Sequence[Record], reported_of: str, reported: Mapping[str, float]) -> Figure:
    """Draw all rows, a panel for each attack; what a model has right before any is the same in all of its rows.

    Args:
        records: The rows.
        reported_of: The model that the report has numbers of.
        reported: Its accuracies, by attack.
    """
    shares = {}
    for each in records:
        model = each["victim"].removeprefix("zoo:").partition("@")[0]
        for panel, share in ((CLEAN, each["clean accuracy %"]), (each["attack"], each["accuracy under attack %"])):
            low, high = wilson(round(share * each["n"] / 100), each["n"])
            said = reported.get(panel) if model == reported_of else None
            shares[panel, model] = Bar(panel, model, share, 100 * low, 100 * high, said)
    panels = list(dict.fromkeys((CLEAN, *(panel for panel, _ in shares))))
    return bars(
        "accuracies",
        "Accuracy before an attack and under each (Figure 8)",
        "The share of the reviews drawn that a model has right, before an attack (clean) and under it.",
        sorted(shares.values(), key=lambda bar: panels.index(bar.panel)),
        "right, %",
    )
