"""Adversarial training with Key*, the black-box rival of HotFlip (Ebrahimi et al., 2018)."""

from __future__ import annotations

from unfool.attacks import find_attack
from unfool.defences.harden._method import Plan, Training, method
from unfool.defences.harden.recipes.adversarial import against


@method
def black_box(training: Training, *, budget: float = 0.2, draws: int = 1, n: int | None = None) -> Plan:
    """Beside the data, train on texts with random characters flipped, those flips kept that raised the loss.

    Args:
        training: What there is to train with.
        budget: The share of characters that may be changed, at least one; a fifth, as for HotFlip's own training.
        draws: Flips drawn for each that may be kept.
        n: How many samples are attacked for an epoch, others each time (default: all).
    """
    return against(training, find_attack(f"key-star:budget={budget},draws={draws}"), n, "changed")
