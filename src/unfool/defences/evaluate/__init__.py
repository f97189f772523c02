"""Evaluating defences honestly."""

from unfool.defences.evaluate._answers import Answers, ask_labels
from unfool.defences.evaluate._evaluate import evaluate
from unfool.defences.evaluate._pairs import paired
from unfool.defences.evaluate._premade import premade
from unfool.defences.evaluate._robust import attacked

__all__ = ["Answers", "ask_labels", "attacked", "evaluate", "paired", "premade"]
