"""Propose by Naive Bayes: which words speak for a label, in a text and in the whole dictionary."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Ask
from unfool.errors import UserError
from unfool.labels import match_labels
from unfool.resources import cache_root
from unfool.text import Text
from unfool.victims import Options, open_victim

_STRONGEST = 5


@runtime_checkable
class WeighsWords(Hashable, Protocol):
    """A model that tells what each word is worth, as the zoo's Naive Bayes does."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Label names, one a class."""
        ...

    def sway_of(self, words: list[str], label: int) -> NDArray[np.float64]:
        """Return how strongly each word speaks for a label; minus infinity for what is no word to the model."""
        ...

    def strongest(self, label: int, count: int, *, against: bool = False) -> list[str]:
        """Return the words that sway most towards a label, or away from it."""
        ...


def naive_bayes(name: str | None, ask: Ask) -> WeighsWords:
    """Return the Naive Bayes of a name, such as ``zoo:NB@imdb``, opened once.

    Raises:
        UserError: No name, one of another kind of victim, or a model that knows fewer labels than the victim.
    """
    if name is None:
        raise UserError(
            "this attack learns its words from training texts, and it was given none; "
            "give nb=zoo:NB@DATA or nb=zoo:NB@FILE.csv"
        )
    model = _opened(name, cache_root())
    if len(model.labels) < len(ask.labels):
        raise UserError(
            f"nb={name} knows {len(model.labels)} labels and the victim has {len(ask.labels)}; "
            "name a Naive Bayes of the victim's own data, nb=zoo:NB@DATA"
        )
    return model


def label_in(model: WeighsWords, ask: Ask, label: int) -> int:
    """Return the model's number of one of the victim's labels: by name if it has the victim's names."""
    numbers = match_labels(model.labels, ask.labels)
    return numbers.index(label) if numbers and label in numbers else label


def target_in(model: WeighsWords, ask: Ask) -> int | None:
    """Return the model's number of the label to bring about, or None if any wrong one will do."""
    return None if ask.goal.target is None else label_in(model, ask, ask.goal.target)


@lru_cache(maxsize=8)
def _opened(name: str, trained_below: Path) -> WeighsWords:
    try:
        model = open_victim(name, Options(device="cpu"))
    except UserError as problem:  # its data may not be at hand, and the user need not have named them
        raise UserError(
            f"nb={name}: {problem}; name a Naive Bayes of data at hand, nb=zoo:NB@FILE.csv"
        ) from problem
    if not isinstance(model, WeighsWords):
        raise UserError(f"nb={name} is not a Naive Bayes; name one of the zoo, such as nb=zoo:NB@imdb")
    return model


@lru_cache(maxsize=256)
def opposing_words(model: WeighsWords, label: int, target: int | None) -> list[str]:
    """Return the five words that speak most against a label, or for the target if there is one."""
    if target is not None:
        return model.strongest(target, _STRONGEST)
    return model.strongest(label, _STRONGEST, against=True)


def word_tokens(text: Text) -> tuple[list[int], list[str]]:
    """Return the words between blanks in the fields that may be edited, each with the position it begins at.

    Naive Bayes was trained on texts cleaned of marks, where only blanks, and HTML's line breaks, part words: of
    ``J.R.<br />said`` it reads *jr* and *said*.
    """
    positions: list[int] = []
    tokens: list[str] = []
    for number, field in enumerate(text.fields):
        apart = True
        for position in range(field.start, field.stop) if field.editable else ():
            before, after = text.gaps[position + number : position + number + 2]
            if before.endswith("<") and after.startswith(" />") and text.words[position].lower() == "br":
                apart = True
            elif apart or any(map(str.isspace, before)):
                positions.append(position)
                tokens.append(text.words[position])
                apart = False
            else:
                tokens[-1] += text.words[position]
    return positions, tokens
