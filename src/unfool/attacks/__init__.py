"""Attacks: shared parts (rank, propose, constrain, search) and recipes, one short file each."""

from unfool.attacks._attack import ATTACKS, Attack, attack, find_attack, refuse_below
from unfool.attacks._constraint import (
    CONSTRAINTS,
    PROFILES,
    Constraint,
    constraint,
    find_constraints,
    read_constraints,
)
from unfool.attacks._letters import IN_WORDS, LATIN, LOOK_ALIKES

__all__ = [
    "ATTACKS",
    "CONSTRAINTS",
    "IN_WORDS",
    "LATIN",
    "LOOK_ALIKES",
    "PROFILES",
    "Attack",
    "Constraint",
    "attack",
    "constraint",
    "find_attack",
    "find_constraints",
    "read_constraints",
    "refuse_below",
]
