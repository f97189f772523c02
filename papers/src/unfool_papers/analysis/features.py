"""Texts as rows of numbers: by their words' vectors, by their words, or by what a victim makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.text import Text
from unfool_papers.analysis.look import look

Matrix = NDArray[np.float64]
_AT_ONCE = 512


def mean_vectors(texts: Sequence[Text]) -> Matrix:
    """Return the mean of the 50-d GloVe vectors of each text's words; zeros where none is known."""
    from unfool.lexicon import glove

    known = glove(50)
    rows = np.zeros((len(texts), known.matrix.shape[1]))
    for number, text in enumerate(texts):
        found = [known.index[word] for word in map(str.lower, text.words) if word in known]
        if found:
            rows[number] = known.matrix[found].mean(axis=0)
    return rows


def word_weights(texts: Sequence[Text]) -> Any:
    """Return the TF-IDF weights of each text's words as a sparse matrix, without words of fewer than three texts.

    Raises:
        UserError: If scikit-learn is not installed, or no word is common enough.
    """
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
    except ImportError:
        raise UserError("TF-IDF weights need scikit-learn: pip install 'unfool[sklearn]'") from None
    reader = TfidfVectorizer(analyzer=lambda text: [word.lower() for word in text.words], min_df=3)
    try:
        return reader.fit_transform(texts)
    except ValueError:
        raise UserError(
            f"no word is in three of the {len(texts)} texts; give more texts, or by='vectors'"
        ) from None


def decided_by(victim: Predictor, texts: Sequence[Text]) -> Matrix:
    """Return the vector by which a victim decides about each text."""
    found = []
    for start in range(0, len(texts), _AT_ONCE):
        some = look(
            victim, "summaries", texts[start : start + _AT_ONCE], "a projection by what a victim decides by"
        )
        found += [summaries.vectors[0] for summaries in some]
    return np.array(found, dtype=np.float64)


def features(texts: Sequence[Text], by: Literal["vectors", "words"] | Predictor) -> tuple[Any, str]:
    """Return one row a text, and what the columns are in words."""
    if by == "vectors":
        return mean_vectors(texts), "the mean GloVe vector of each text's words"
    if by == "words":
        return word_weights(texts), "the TF-IDF weights of each text's words"
    if isinstance(by, str):
        raise UserError(f"texts cannot be projected by {by!r}; give 'vectors', 'words' or a victim")
    return decided_by(by, texts), f"the vectors {by!r} decides by"
