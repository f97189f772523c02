"""Evaluation of a defence: its figures, alone or beside another victim's, and reasons not to trust them."""

from unfool.defences.evaluate._answers import (
    Answers,
    Paired,
    Robustness,
    any_fooled,
    ask_labels,
    paired,
    robustness,
    worst_case,
)
from unfool.defences.evaluate._evaluate import evaluate
from unfool.defences.evaluate._evaluation import (
    AttackFigures,
    Correct,
    Evaluation,
    Sides,
    Transfer,
    UnderAttack,
)
from unfool.defences.evaluate._premade import Premade, load_premade, premade
from unfool.defences.evaluate._probes import Cost, GradientUse, HeldAgain, cost, gradient_use, held_again
from unfool.defences.evaluate._warnings import Fooled, hidden_gradients

__all__ = [
    "Answers",
    "AttackFigures",
    "Correct",
    "Cost",
    "Evaluation",
    "Fooled",
    "GradientUse",
    "HeldAgain",
    "Paired",
    "Premade",
    "Robustness",
    "Sides",
    "Transfer",
    "UnderAttack",
    "any_fooled",
    "ask_labels",
    "cost",
    "evaluate",
    "gradient_use",
    "held_again",
    "hidden_gradients",
    "load_premade",
    "paired",
    "premade",
    "robustness",
    "worst_case",
]
