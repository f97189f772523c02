"""The comparison of all attacks forgets none."""

from __future__ import annotations

from bench.compare_attacks import FAMILIES, LEFT_OUT

from unfool.attacks import ATTACKS


def test_every_attack_is_compared_or_left_out_for_a_reason() -> None:
    compared = [attack.partition(":")[0] for attacks in FAMILIES.values() for attack in attacks]
    assert sorted([*compared, *LEFT_OUT]) == sorted(ATTACKS.names())
