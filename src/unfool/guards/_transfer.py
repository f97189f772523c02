"""What gets past one guard, tried on another: nobody searches there, each text is asked about once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from unfool.guards._figures import Bypass
from unfool.guards._profile import Profile
from unfool.stats import Rate


@dataclass(frozen=True)
class Transferred:
    """How another guard bears texts that were changed against the audited one."""

    guard: Profile
    misses: Rate
    """Harmful texts that pass it as they are."""
    attacks: tuple[tuple[str, Rate], ...]
    """Of the bypasses of texts that it blocks as they are, those that get past it, too, attack by attack."""
    union: Rate
    """Of the texts with a bypass that it blocks as they are, those of which any bypass gets past it, too."""
    queries: int
    """Texts that it was asked about."""

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "guard": vars(self.guard),
            "misses": self.misses.to_dict(),
            "attacks": {name: rate.to_dict() for name, rate in self.attacks},
            "union": self.union.to_dict(),
            "queries": self.queries,
        }


def transferred(
    guard: Profile, bypasses: Sequence[Bypass], harmful: Iterable[str], blocked: dict[str, bool]
) -> Transferred:
    """Count what gets past another guard.

    Args:
        guard: The other guard.
        bypasses: All bypasses of the audited guard.
        harmful: All harmful texts as they are.
        blocked: Whether the other guard blocks a text, of all texts that it answers about.
    """
    plain = [blocked[text] for text in harmful if text in blocked]
    tried = [each for each in bypasses if blocked.get(each.original) and each.changed in blocked]
    past = [each for each in tried if not blocked[each.changed]]
    names = list(dict.fromkeys(each.attack for each in bypasses))
    return Transferred(
        guard,
        Rate(plain.count(False), len(plain)),
        tuple(
            (
                name,
                Rate(sum(each.attack == name for each in past), sum(each.attack == name for each in tried)),
            )
            for name in names
        ),
        Rate(len({each.id for each in past}), len({each.id for each in tried})),
        len(blocked),
    )
