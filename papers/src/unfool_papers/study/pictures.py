"""Figures as a part of a study: what cannot be drawn is told, and keeps no other from being drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from unfool.errors import UserError
from unfool.runs import Run
from unfool_papers.study.plan import Part, Section, Work

if TYPE_CHECKING:
    from unfool_papers.analysis import Figure

Draw = Callable[[], "Figure"]


def pictures(title: str, draws: Callable[[Work], Iterable[tuple[str, Draw]]]) -> Part:
    """Return a part that draws what ``draws`` names."""
    return Part(title, partial(_drawn, draws))


def run_of(work: Work, attack: str, victim: str, confidence: float = 0.0) -> Run:
    """Return the run of a row.

    Raises:
        UserError: If it is not there.
    """
    sure = f" at {confidence:g}" if confidence else ""
    for name, run in work.runs.items():
        if name.startswith(f"{attack}{sure} on {victim},"):
            return run
    raise UserError(f"there is no run of {attack}{sure} on {victim}")


def _drawn(draws: Callable[[Work], Iterable[tuple[str, Draw]]], work: Work) -> Section:
    figures, notes = [], []
    for what, draw in draws(work):
        work.say(what)
        try:
            figures.append(draw())
        except UserError as problem:
            notes.append(f"{what}: not drawn, {problem}")
    return Section(figures=figures, notes=notes)
