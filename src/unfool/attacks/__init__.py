"""Attacks: shared parts (rank, propose, constrain, search) and recipes, one short file each."""

from unfool.attacks._attack import Attack, attack, attacks, find_attack

__all__ = ["Attack", "attack", "attacks", "find_attack"]
