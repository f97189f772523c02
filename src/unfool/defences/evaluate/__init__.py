"""Evaluating defences honestly."""

from unfool.defences.evaluate._evaluate import evaluate
from unfool.defences.evaluate._premade import premade

__all__ = ["evaluate", "premade"]
