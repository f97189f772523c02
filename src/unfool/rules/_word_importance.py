"""How much each word of a text matters to each of several models, and what each substitute of a word would do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unfool.attacks.parts.propose import tag_text, word_synonyms
from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.rules._scores import ScoringModels
from unfool.text import UNCHANGED, Sample, Variants
from unfool.victims import Options, as_victim

_DECIMALS = 4


@dataclass(frozen=True, eq=False)
class Importance:
    """What the gold label's log-likelihood loses, by model and word.

    Attributes:
        text: The text.
        position: The word that is replaced; None if each word is made unknown in turn.
        models: The models.
        words: The words of the text, or the substitutes of one of them.
        values: A row a model, a column a word. NaN if a model gave no answer.
    """

    text: str
    position: int | None
    models: tuple[str, ...]
    words: tuple[str, ...]
    values: NDArray[np.float64]

    def to_json(self) -> dict[str, Any]:
        """Return plain values for a JSON file."""
        values = [[None if np.isnan(value) else value for value in row] for row in self.values.tolist()]
        return {
            "text": self.text,
            "position": self.position,
            "words": list(self.words),
            "models": dict(zip(self.models, values, strict=True)),
        }


def word_importance(
    victims: Sequence[str | Predictor], sample: Sample, labels: Sequence[str], options: Options | None = None
) -> Importance:
    """Return what each model's log-likelihood of the gold label loses when a word becomes unknown (App. C).

    Args:
        victims: The models, by name or opened; those given by name are opened one at a time.
        sample: The text and its label.
        labels: The names of the label numbers.
        options: How to open victims given by name.
    """
    text = sample.text
    words = [text.words[position] for position in text.editable]
    return _measure(victims, sample, labels, options, None, words, lambda model: [model.unknown] * len(words))


def substitute_importance(
    victims: Sequence[str | Predictor],
    sample: Sample,
    position: int,
    labels: Sequence[str],
    substitutes: Sequence[str] | None = None,
    options: Options | None = None,
) -> Importance:
    """Return what each model's log-likelihood of the gold label loses when a word is replaced (App. C).

    Args:
        victims: The models, by name or opened; those given by name are opened one at a time.
        sample: The text and its label.
        position: Which word is replaced.
        labels: The names of the label numbers.
        substitutes: What it is replaced by (default: its WordNet synonyms of the same part of speech).
        options: How to open victims given by name.

    Raises:
        UserError: The text has no such word, or the word has no synonyms.
    """
    text = sample.text
    if position not in text.editable:
        raise UserError(
            f"the text has no word number {position} to replace; it has {len(text.editable)}, from 0 on"
        )
    new = word_synonyms(text.words[position], tag_text(text)[position]) if substitutes is None else substitutes
    if not new:
        raise UserError(f"{text.words[position]!r} has no synonyms here; choose another word")
    return _measure(victims, sample, labels, options, position, new, lambda _: new)


def _measure(
    victims: Sequence[str | Predictor],
    sample: Sample,
    labels: Sequence[str],
    options: Options | None,
    position: int | None,
    words: Sequence[str],
    new_words: Callable[[Predictor], Sequence[str]],
) -> Importance:
    """Ask each model about the text as it is, then with each of its new words: at the position, or each in turn."""
    text = sample.text
    positions = text.editable if position is None else [position] * len(words)
    names, losses = list[str](), list[NDArray[np.float64]]()
    exact = (options or Options()).unless_named("fp32")
    for victim in victims:
        model = as_victim(victim, exact)
        asked = Variants((text,), [0] * (len(words) + 1), [UNCHANGED, *positions], ["", *new_words(model)])
        scores = ScoringModels([model], labels).launch([asked]).result()
        if not scores.answered[0]:
            raise UserError(f"{model!r} gives no answer about the text itself ({scores.problem}); mend that first")
        values = scores.values[0]
        likelihood = values[:, sample.label] - np.logaddexp.reduce(values, axis=1)
        loss = np.where(scores.answered, likelihood[0] - likelihood, np.nan)[1:]
        names.append(repr(model))
        losses.append(loss.round(_DECIMALS) + 0.0)
    return Importance(
        str(text), position, tuple(names), tuple(words), np.array(losses).reshape(len(names), len(words))
    )
