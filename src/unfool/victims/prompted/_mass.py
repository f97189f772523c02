"""How much of a language model's belief goes to each label, and how much to none of them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_DRESS = " \t\r\n▁Ġ\"'`*_.,:;!#-()[]{}"
"""What may stand around a label, and is no part of it."""
_SHORTEST_START = 3
"""Letters from which on a token counts as a label's start: many sentences begin with *In*, as *injection* does."""
_SHOWN = 3
_THOUGHT = re.compile(r"^.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_THINKING = re.compile(r"^\s*<think(?:ing)?>", re.IGNORECASE)


class Position(NamedTuple):
    """A token that a model wrote, and the log-probabilities that a server tells there, its own among them."""

    token: str
    told: Mapping[str, float]


class Mass(NamedTuple):
    """The probability that a model's answer begins with each label, over all its ways to write them."""

    labels: tuple[float, ...]
    unseen: tuple[int, ...]
    """Labels of which no way to write them was told: they lie outside the tokens that the server tells."""
    others: tuple[tuple[str, float], ...]
    """The likeliest beginnings that are no label."""

    @property
    def outside(self) -> float:
        """What goes to no label, or is not told."""
        return max(0.0, 1 - sum(self.labels))

    @property
    def probabilities(self) -> tuple[float, ...]:
        """The labels' shares among themselves."""
        total = sum(self.labels)
        return tuple(mass / total for mass in self.labels)

    @property
    def instead(self) -> str:
        """What came instead of a label, for a person."""
        return ", ".join(f"{token!r} {share:.0%}" for token, share in self.others) or "nothing that is told"


def label_mass(positions: Sequence[Position], labels: Sequence[str]) -> Mass:
    """Add up the probabilities of all tokens that are a label, or its start, where the answer begins.

    Tokens that only dress an answer (spaces, quotes, asterisks) are passed: what follows counts as much as they are
    likely. The token that was written counts as a label's start only if the text goes on to spell the label.
    """
    found, others = [0.0] * len(labels), dict[str, float]()
    reached = 1.0
    for number, position in enumerate(positions):
        written = "".join(each.token for each in positions[number:])
        for token, logprob in position.told.items():
            share = reached * math.exp(min(logprob, 0.0))
            if not bare(token):
                continue
            label = _label_of(token, labels, written if token == position.token else None)
            if label is None:
                others[token] = others.get(token, 0.0) + share
            else:
                found[label] += share
        if bare(position.token):
            break
        reached *= math.exp(min(position.told.get(position.token, 0.0), 0.0))
    likeliest = sorted(others.items(), key=lambda item: -item[1])[:_SHOWN]
    unseen = tuple(number for number, mass in enumerate(found) if mass == 0)
    return Mass(tuple(found), unseen, tuple(likeliest))


def named_label(text: str, labels: Sequence[str]) -> int | None:
    """Return the label that an answer begins with, once its thoughts are left out; None if it is none."""
    answer = bare(_THOUGHT.sub("", text))
    starts = [
        number for number, label in enumerate(labels) if re.match(rf"{re.escape(label.casefold())}(?!\w)", answer)
    ]
    return max(starts, key=lambda number: len(labels[number])) if starts else None


def is_thinking(text: str) -> bool:
    """Whether an answer begins with thoughts."""
    return bool(_THINKING.match(text))


def is_cut_short(text: str) -> bool:
    """Whether an answer ends before its thoughts do."""
    return is_thinking(text) and not _THOUGHT.match(text)


def bare(token: str) -> str:
    """Return a token without what dresses it, in lower case."""
    return token.strip(_DRESS).casefold()


def _label_of(token: str, labels: Sequence[str], written: str | None) -> int | None:
    if written is not None:
        return named_label(written, labels)
    start, names = bare(token), [label.casefold() for label in labels]
    if start in names:
        return names.index(start)
    begun = [number for number, name in enumerate(names) if name.startswith(start)]
    return begun[0] if len(begun) == 1 and len(start) >= _SHORTEST_START else None
