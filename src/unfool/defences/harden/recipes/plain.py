"""Training on as before: the baseline a defence is set beside."""

from __future__ import annotations

from unfool.defences.harden._method import Course, Plan, method


@method
def plain(course: Course) -> Plan:
    """Train on the data as they are; with a new start, a second baseline tuned independently of the first.

    Args:
        course: What there is to train with.
    """
    return Plan()
