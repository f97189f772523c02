"""What a reader must know before the figures of a run: sentences that terminal, page and JSON all show.

To add one, write a function of what is known that returns a sentence or None, and add it to `_REMARKS`. A fact that
was seen while the attack ran, and does not decide its result, travels in the session's environment (`Run.create`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from unfool.runs._crossed import Naming, told_crossed
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


def _labels_crossed(known: Known) -> str | None:
    victims, datas = (known.config.get(key) for key in ("labels", "data_labels"))
    if not isinstance(victims, list) or not isinstance(datas, list) or "labelled_by" in known.config:
        return None
    seen = known.environment
    renamed = seen.get("labels_renamed")
    naming = Naming(
        list(map(str, victims)),
        list(map(str, datas)),
        are_sorted=seen.get("labels_sorted") is True,
        given=seen.get("labels_given") is True,
        renamed={old: str(new) for old, new in renamed.items()} if isinstance(renamed, Mapping) else {},
    )
    return told_crossed(known.summary.classes, naming)


def _labelled_by_victim(known: Known) -> str | None:
    if "labelled_by" not in known.config:
        return None
    found = known.environment.get("left_out")
    left_out = (
        ", ".join(f"{times} {why}" for why, times in found.items() if times) if isinstance(found, Mapping) else ""
    )
    told = "The labels are the victim's own answers: the clean accuracy is 100 % by construction."
    return told + (f" Left out: {left_out}." if left_out else "")


def _without_result(known: Known) -> str | None:
    errors = known.summary.errors
    if not errors:
        return None
    return f"{errors:,} {'sample has' if errors == 1 else 'samples have'} no result and count in no figure."


_REMARKS: tuple[Callable[[Known], str | None], ...] = (
    _labels_crossed,
    _labelled_by_victim,
    _nothing_proposed,
    _without_result,
)
