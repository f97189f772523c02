"""Raters whose votes do not count, and the rule that says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from unfool.rating._draw import Turn
from unfool.rating._items import Item
from unfool.rating._records import Vote
from unfool.stats import Rate

_LEAST_GOLD, _LEAST_SAME = 0.7, 0.5
_ENOUGH = 3
"""Fewer gold items, or items asked again, than this exclude nobody."""


class Excluded(NamedTuple):
    """A rater whose votes do not count, and why."""

    rater: str
    rule: str


def careless(votes: Sequence[Vote], items: Sequence[Item], scale: bool) -> list[Excluded]:
    """Return the raters who get too many gold items wrong, or contradict themselves too often."""
    by_rater: dict[str, list[Vote]] = {}
    for vote in votes:
        by_rater.setdefault(vote.rater, []).append(vote)
    found = ((rater, _rule(given, items, scale)) for rater, given in by_rater.items())
    return [Excluded(rater, rule) for rater, rule in found if rule]


def _rule(votes: Sequence[Vote], items: Sequence[Item], scale: bool) -> str:
    gold = [vote.answer in items[vote.item].right for vote in votes if vote.turn == Turn.GOLD.value]
    first: Mapping[int, str] = {vote.item: vote.answer for vote in votes if vote.turn == Turn.ITEM.value}
    again = [
        _alike(vote.answer, first[vote.item], scale)
        for vote in votes
        if vote.turn == Turn.AGAIN.value and vote.item in first
    ]
    return _below(gold, _LEAST_GOLD, "gold items right") or _below(again, _LEAST_SAME, "repeated items alike")


def _below(right: Sequence[bool], least: float, what: str) -> str:
    rate = Rate(sum(right), len(right))
    if rate.of < _ENOUGH or (rate.value or 0) >= least:
        return ""
    return f"{rate.count} of {rate.of} {what}, fewer than {least:.0%}"


def _alike(one: str, other: str, scale: bool) -> bool:
    return abs(int(one) - int(other)) <= 1 if scale else one == other
