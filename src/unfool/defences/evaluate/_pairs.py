"""Two victims on the same texts: which one is right where the other is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from unfool.stats import mcnemar


class Paired(NamedTuple):
    """How often only one of two is right, and how likely that is were they equally good (McNemar, exact)."""

    texts: int
    only_victim: int
    only_base: int
    p_value: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return self._asdict()


def paired(victim: Mapping[int, bool], base: Mapping[int, bool]) -> Paired:
    """Compare two records of success by the ids they share."""
    shared = victim.keys() & base.keys()
    only_victim = sum(victim[number] and not base[number] for number in shared)
    only_base = sum(base[number] and not victim[number] for number in shared)
    return Paired(len(shared), only_victim, only_base, mcnemar(only_victim, only_base))
