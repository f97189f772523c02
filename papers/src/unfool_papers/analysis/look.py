"""Look into a victim, many texts at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.text import Text
from unfool.victims import Attends, Embeds, Hidden, Summarises

Sight = Literal["attention", "hidden", "summaries"]

_OFFERS: dict[Sight, tuple[type, str, str]] = {
    "attention": (Attends, "attention weights", "a transformer (hf:FOLDER) or zoo:LSTM-Attention@DATA"),
    "hidden": (Embeds, "hidden states", "a neural victim (hf:FOLDER or zoo:MODEL@DATA)"),
    "summaries": (Summarises, "the vector it decides by", "a neural victim (hf:FOLDER or zoo:MODEL@DATA)"),
}


def look(victim: Predictor, sight: Sight, texts: Sequence[Text], purpose: str) -> list[Any]:
    """Return what a victim shows of each text.

    Args:
        victim: The victim.
        sight: What to look at.
        texts: The texts.
        purpose: What it is for, as the subject of an error.

    Raises:
        UserError: If the victim does not offer it.
    """
    kind, what, use = _OFFERS[sight]
    if not isinstance(victim, kind):
        raise UserError(f"{purpose} needs {what}, which {victim!r} does not show; use {use}")
    answers = list(getattr(victim, sight).launch(texts).result())
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer
    return answers


def word_states(hidden: Hidden, text: Text) -> NDArray[np.float64]:
    """Return the states of each word, [layers, words, dimensions]: the mean over its tokens.

    Words that the victim does not read, as those behind its longest input, are NaN.
    """
    layers, _, width = hidden.states.shape
    sums = np.zeros((len(text), layers, width))
    of_a_word = hidden.words >= 0
    np.add.at(sums, hidden.words[of_a_word], hidden.states[:, of_a_word].swapaxes(0, 1))
    tokens = np.bincount(hidden.words[of_a_word], minlength=len(text)).astype(np.float64)
    tokens[tokens == 0] = np.nan
    return np.asarray((sums / tokens[:, None, None]).swapaxes(0, 1))
