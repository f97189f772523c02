"""How much each word of a text matters to each of several models, and what each substitute of a word would do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unfool.attacks.parts.propose import tag_text, word_synonyms
from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.rules._scores import ScoringModels
from unfool.text import UNCHANGED, Sample, Text, Variants
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

    def unknown(model: Predictor) -> Variants:
        return _with(text, text.editable, [model.unknown] * len(text.editable))

    rows = [_loss(victim, unknown, sample, labels, options) for victim in victims]
    words = tuple(text.words[position] for position in text.editable)
    return _importance(text, None, rows, words)


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
    asked = _with(text, [position] * len(new), new)
    rows = [_loss(victim, lambda _: asked, sample, labels, options) for victim in victims]
    return _importance(text, position, rows, tuple(new))


def _with(text: Text, positions: Sequence[int], words: Sequence[str]) -> Variants:
    """Return the text as it is, then with each of the words in its place."""
    return Variants((text,), [0] * (len(words) + 1), [UNCHANGED, *positions], ["", *words])


def _loss(
    victim: str | Predictor, asked: Any, sample: Sample, labels: Sequence[str], options: Options | None
) -> tuple[str, NDArray[np.float64]]:
    model = as_victim(victim, options)
    scores = ScoringModels([model], labels).launch([asked(model)]).result()
    if not scores.answered[0]:
        raise UserError(f"{model!r} gives no answer about the text itself ({scores.problem}); mend that first")
    values = scores.values[0]
    likelihood = values[:, sample.label] - np.logaddexp.reduce(values, axis=1)
    loss = np.where(scores.answered, likelihood[0] - likelihood, np.nan)[1:]
    return repr(model), loss.round(_DECIMALS) + 0.0


def _importance(
    text: Text, position: int | None, rows: Sequence[tuple[str, NDArray[np.float64]]], words: tuple[str, ...]
) -> Importance:
    values = np.array([values for _, values in rows]).reshape(len(rows), len(words))
    return Importance(str(text), position, tuple(name for name, _ in rows), words, values)
