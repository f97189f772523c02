"""Adversarial training with any attack, made anew for each epoch."""

from __future__ import annotations

from unfool.attacks import find_attack
from unfool.defences.harden._attacked import Keep, attacked, check_attack
from unfool.defences.harden._method import Course, Plan, method


@method
def adversarial(
    course: Course, *, attack: str = "textfooler", n: int | None = None, keep: Keep = "fooling"
) -> Plan:
    """Before each epoch attack the net as it is then, and train on what fools it beside the data.

    Args:
        course: What there is to train with.
        attack: Any attack by name, its settings with ``+`` between them: ``hotflip:width=1+budget=0.2``.
        n: How many samples are attacked for an epoch, others each time; all where none.
        keep: Whether to train on the texts that ``fooling`` succeeded with, or on all that were ``changed``.
    """
    recipe = find_attack(attack.replace("+", ","))
    check_attack(course, recipe, n)
    return Plan(more=lambda epoch: attacked(course, epoch, recipe, n, keep))
