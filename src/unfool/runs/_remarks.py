"""What a reader must know before the figures of a run: sentences that terminal, page and JSON all show.

To add one, write a function of what is known that returns a sentence or None, and add it to `_REMARKS`. A fact that
was seen while the attack ran, and does not decide its result, travels in the session's environment (`Run.create`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from unfool.runs._records import JSON
from unfool.runs._summary import Summary


class Known(NamedTuple):
    """What remarks are made from."""

    summary: Summary
    config: Mapping[str, JSON]
    environment: Mapping[str, JSON]
    """What the sessions of the run noted; where several noted the same, the latest."""


def remarks(known: Known) -> tuple[str, ...]:
    """Return the sentences, the gravest first; none where there is nothing to say."""
    return tuple(sentence for remark in _REMARKS if (sentence := remark(known)))


def _nothing_proposed(known: Known) -> str | None:
    summary = known.summary
    if not summary.untried:
        return None
    attack = str(known.config.get("attack", "the attack")).partition(":")[0]
    counts = f"{attack} proposed no change for {summary.untried:,} of {summary.attacked:,} texts"
    reads, found = (known.environment.get(key) for key in ("attack_language", "text_language"))
    if reads and found and reads != found:
        return f"{counts}: its word lists are {reads}, these texts look {found}."
    return f"{counts}: its word lists have nothing for their words, or the limits of the run allow none of it."


def _without_result(known: Known) -> str | None:
    errors = known.summary.errors
    if not errors:
        return None
    return f"{errors:,} {'sample has' if errors == 1 else 'samples have'} no result and count in no figure."


def _unanswered(known: Known) -> str | None:
    summary = known.summary
    if not summary.unanswered:
        return None
    queries = round((summary.queries_mean or 0) * summary.attacked)
    share = f"{summary.unanswered:,} of {queries:,} variants ({100 * summary.unanswered / max(queries, 1):.2g} %)"
    return (
        f"The victim gave no answer about {share}: the attack went on without them, and none counts as a success."
    )


def _random_answers(known: Known) -> str | None:
    asked = known.summary.random_answers
    return asked.told if asked else None


_REMARKS: tuple[Callable[[Known], str | None], ...] = (
    _nothing_proposed,
    _random_answers,
    _without_result,
    _unanswered,
)
