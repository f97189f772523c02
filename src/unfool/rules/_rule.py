"""Rules as values: which word to put for which other where a text has a certain label, and how well it works."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from unfool.storage import JSON, to_json


class Association(NamedTuple):
    """How strongly a label goes with the word, and with its substitute, in the data."""

    word: float
    substitute: float


class Example(NamedTuple):
    """A place in the data where the rule alone flips the models: what stands before and after the word."""

    id: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Rule:
    """Put ``substitute`` for ``word`` in texts labelled ``label``; case follows the text."""

    label: str
    word: str
    """In lower case."""
    substitute: str
    salience: float = 1.0
    """The priority: how much the label loses by the change, on average over the places where it can be made."""
    support: int = 0
    """Places in the data where the change can be made."""
    right: int = 0
    """Those of them where the models have the text right before."""
    flips: int = 0
    """Those of these where the change alone makes their answer wrong."""
    pmi: Mapping[str, Association] = field(default_factory=dict)
    """By label: pointwise mutual information with the word and with its substitute; see `WordCounts.pmi`."""
    example: Example | None = None


@dataclass(frozen=True)
class RuleBook:
    """Rules, the best first, and where they come from.

    Attributes:
        labels: The labels, in the order of their numbers in the data the rules were mined from.
        rules: The rules.
        origin: How they were made: models, data and settings.
    """

    labels: tuple[str, ...]
    rules: tuple[Rule, ...]
    origin: Mapping[str, JSON] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rules)

    @cached_property
    def digest(self) -> str:
        """What decides how texts are rewritten, in one word: books with the same digest do the same."""
        essence = [[rule.label, rule.word, rule.substitute, rule.salience] for rule in self.rules]
        # Data that call the labels otherwise have them in order.
        return hashlib.sha256(to_json([self.labels, essence])).hexdigest()[:16]
