"""Attacks: shared parts (rank, propose, constrain, search) and recipes, one short file each."""

from unfool.attacks._attack import Attack, attack, attacks, find_attack
from unfool.attacks._constraint import Constraint, constraint, find_constraints, known_constraints, read_constraints

__all__ = [
    "Attack",
    "Constraint",
    "attack",
    "attacks",
    "constraint",
    "find_attack",
    "find_constraints",
    "known_constraints",
    "read_constraints",
]
