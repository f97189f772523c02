"""What an audit finds: misses and false alarms at each threshold, and the cheapest way past the guard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from unfool.guards._profile import Profile
from unfool.stats import Rate

if TYPE_CHECKING:
    from unfool.guards._transfer import Transferred


@dataclass(frozen=True)
class Bypass:
    """A harmful text that is blocked, and what passes in its place."""

    id: int
    attack: str
    original: str
    changed: str
    before: float
    """The guard's probability of blocking, and after the change."""
    after: float
    queries: int
    characters: int
    """Characters changed."""


@dataclass(frozen=True)
class AttackFigures:
    """What one attack does at one threshold."""

    attack: str
    misses: Rate
    """Harmful texts that pass as they are or changed, of those with a result."""
    past: Rate
    """Of the texts that are blocked as they are, those that pass changed."""
    bypasses: tuple[Bypass, ...]
    false_alarms: Rate | None
    """Of the benign texts changed the same way, without those that the attack cannot change; None if it cannot
    change texts without a victim."""
    share: float | None
    """The mean share of words that bypasses change, and benign texts too; None if there are no bypasses, where one
    word in ten changes in benign texts."""
    readable: Rate | None = None
    """Of the bypasses, those that a language model reads as what they were made of; None if none was asked."""

    @property
    def queries(self) -> float | None:
        """The median number of queries of a bypass."""
        return median(each.queries for each in self.bypasses) if self.bypasses else None

    @property
    def characters(self) -> float | None:
        """The median number of characters that a bypass changes."""
        return median(each.characters for each in self.bypasses) if self.bypasses else None

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "attack": self.attack,
            "misses": self.misses.to_dict(),
            "blocked_that_pass": self.past.to_dict(),
            "bypassed": len(self.bypasses),
            "queries": self.queries,
            "characters": self.characters,
            "words_changed": self.share,
            "false_alarms_changed": self.false_alarms.to_dict() if self.false_alarms else None,
            "readable": self.readable.to_dict() if self.readable else None,
        }


@dataclass(frozen=True)
class Line:
    """A threshold, and what the guard does at it."""

    name: str
    """Whose threshold it is: the guard's own, or that of a rate of false alarms."""
    threshold: float
    misses: Rate
    """Harmful texts that pass as they are."""
    false_alarms: Rate
    """Benign texts that are blocked as they are."""
    attacks: tuple[AttackFigures, ...]
    union: Rate
    """Harmful texts that pass as they are or by any of the attacks."""
    readable: Rate | None = None
    """Of the texts that have a bypass, those that the language model reads as they are."""

    @property
    def cheapest(self) -> list[Bypass]:
        """The bypass of each text with the fewest queries; of equal ones, with the fewest changed characters."""
        return self._least(lambda each: (each.queries, each.characters))

    @property
    def smallest(self) -> list[Bypass]:
        """The bypass of each text with the fewest changed characters; of equal ones, with the fewest queries."""
        return self._least(lambda each: (each.characters, each.queries))

    def _least(self, cost: Callable[[Bypass], tuple[int, int]]) -> list[Bypass]:
        found: dict[int, Bypass] = {}
        for each in (bypass for figures in self.attacks for bypass in figures.bypasses):
            if each.id not in found or cost(each) < cost(found[each.id]):
                found[each.id] = each
        return [found[number] for number in sorted(found)]

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "name": self.name,
            "threshold": self.threshold,
            "misses": self.misses.to_dict(),
            "false_alarms": self.false_alarms.to_dict(),
            "attacks": [figures.to_json() for figures in self.attacks],
            "union": self.union.to_dict(),
            "readable": self.readable.to_dict() if self.readable else None,
            "cheapest": [vars(bypass) for bypass in self.cheapest],
            "smallest": [vars(bypass) for bypass in self.smallest],
        }


@dataclass(frozen=True)
class Audit:
    """All that was found about a guard; the first line is its own threshold's."""

    guard: Profile
    harmful: str
    benign: str
    budget: int
    lines: Sequence[Line]
    remarks: Sequence[str]
    also: Sequence[Transferred] = ()

    @property
    def misses(self) -> Rate:
        """The harmful texts that get past the guard at its own threshold, by all attacks together."""
        return self.lines[0].union

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "guard": vars(self.guard),
            "harmful": self.harmful,
            "benign": self.benign,
            "budget": self.budget,
            "misses": self.misses.to_dict(),
            "lines": [line.to_json() for line in self.lines],
            "also": [each.to_json() for each in self.also],
            "remarks": list(self.remarks),
        }
