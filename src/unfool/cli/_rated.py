"""What ``unfool rate results`` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from unfool.cli.app import tell
from unfool.cli.printing import print_table
from unfool.errors import counted
from unfool.visible import visible_line

if TYPE_CHECKING:
    from unfool.rating import Results

_COMMENTS = 20
"""So many are printed; the others are in the export."""


def print_results(found: Results) -> None:
    """Print what a study found."""
    who = (
        "people"
        if found.raters == "people"
        else f"a model that stands in for people, {found.stand_in or 'not asked yet'}"
    )
    alpha = "" if found.agreement is None else f"; Krippendorff's alpha {found.agreement:.2f}"
    votes, raters = counted(found.votes, "vote", "votes"), counted(found.counted, "rater", "raters")
    gold = f"; {found.gold.count} of {found.gold.of} answers to gold items right" if found.gold.of else ""
    typer.echo(f"{found.task}, judged by {who}: {votes} of {raters}{alpha}{gold}")
    if found.accuracies:
        _accuracies(found)
    if found.readabilities:
        _readabilities(found)
    if found.scales:
        _scales(found)
    for run, valid in found.valid.items():
        judged = f"{valid.agreed.count} of {valid.agreed.of} judged successes keep their label"
        typer.echo(f"{run}: valid success rate {valid}, of a success rate of {valid.successes}; {judged}")
    _comments(found)
    for out in found.excluded:
        tell(f"excluded: {visible_line(out.rater)} ({out.rule})")
    if found.missing:
        tell(f"{counted(found.missing, 'vote is', 'votes are')} still missing")


def _comments(found: Results) -> None:
    for each in found.comments[:_COMMENTS]:
        about = f"{each.rater} on item {each.item} ({' and '.join(each.versions)}), answer {each.answer}"
        typer.echo(f"{visible_line(about)}: {visible_line(each.comment)}")
    if len(found.comments) > _COMMENTS:
        tell(f"{len(found.comments) - _COMMENTS} more comments: see --json, or `unfool rate export`")


def _accuracies(found: Results) -> None:
    print_table(
        [
            "texts",
            "its accuracy" if found.stand_in else "human accuracy",
            "majority right",
            "undecided",
            "median rater",
        ],
        [
            [
                each.version,
                str(each.votes),
                str(each.majority),
                str(each.undecided),
                "–" if each.median_rater is None else f"{each.median_rater:.1%}",
            ]
            for each in found.accuracies
        ],
    )


def _readabilities(found: Results) -> None:
    several = any(each.strength is not None for each in found.readabilities)
    print_table(
        ["method", "readability", "votes", *(["strength"] if several else [])],
        [
            [
                each.method,
                _between(each.relative, each.low, each.high),
                f"{each.votes.count} of {each.votes.of}",
                *([_between(each.strength, each.strength_low, each.strength_high)] if several else []),
            ]
            for each in found.readabilities
        ],
    )
    if found.no_scale:
        typer.echo(found.no_scale)


def _between(value: float | None, low: float | None, high: float | None) -> str:
    return "–" if value is None else f"{value:.2f} [{low:.2f}, {high:.2f}]"


def _scales(found: Results) -> None:
    print_table(
        ["texts", "mean of 1 to 5", "4 or 5", "votes"],
        [
            [each.version, f"{each.mean:.2f} [{each.low:.2f}, {each.high:.2f}]", str(each.good), str(each.votes)]
            for each in found.scales
        ],
    )
