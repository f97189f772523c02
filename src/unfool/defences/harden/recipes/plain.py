"""Train on as before: the baseline to compare a defence with."""

from __future__ import annotations

from unfool.defences.harden._method import Plan, Training, method


@method
def plain(training: Training) -> Plan:
    """Train on the data as they are; with a new start, a second baseline tuned independently of the first.

    Args:
        training: What there is to train with.
    """
    return Plan()
