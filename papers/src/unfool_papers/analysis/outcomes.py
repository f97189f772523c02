"""The outcomes a figure is made of: a run's, or any."""

from __future__ import annotations

from collections.abc import Iterable

from unfool.engine import Outcome, Status
from unfool.errors import UserError
from unfool.runs import Run

Outcomes = Run | Iterable[Outcome]


def outcomes_of(source: Outcomes) -> Iterable[Outcome]:
    """Return the outcomes of a run, or those given."""
    return source.outcomes() if isinstance(source, Run) else source


def successes_of(source: Outcomes, purpose: str) -> list[Outcome]:
    """Return the outcomes in which the victim was fooled.

    Args:
        source: A run or outcomes.
        purpose: What they are for, as the subject of an error.

    Raises:
        UserError: If there is none.
    """
    found = [outcome for outcome in outcomes_of(source) if outcome.status is Status.SUCCESS]
    if not found:
        given = f"{source!r} has" if isinstance(source, Run) else "the outcomes have"
        raise UserError(f"{purpose} is about texts that fooled the victim, and {given} none; give another run")
    return found
