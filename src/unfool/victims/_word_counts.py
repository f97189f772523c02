"""Vectors of word counts without reading whole texts: each chunk of text is analysed once.

scikit-learn's vectorizers find a text's words anew for every variant of it. Where words end at spaces, the words of
a text are those of its chunks, so a variant's are its base's with one chunk changed: rows of units, as neural
victims have them, whose tokens are words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.victims.tokens import TokenRows, Whole

_PATTERNS = {r"(?u)\b\w\w+\b", r"(?u)\b\w+\b"}
"""Patterns of words that look at nothing beyond a space."""
_PROBES = ("", "A good film, so good: a GOOD film!", "It isn't naïve -- x y, the 2nd plot of the film is so-so .")
Numbers = NDArray[np.int64]


class WordCounts:
    """A fitted vectorizer of words that counts spliced texts; an `Encoder` whose tokens are words.

    Every chunk opens with a number of its own, so that two rows are equal only where their texts are.

    Args:
        vectorizer: A ``CountVectorizer`` or ``TfidfVectorizer`` that `splices`.
    """

    splices = True
    lead = ""
    prefix: tuple[int, ...] = ()
    middle: tuple[int, ...] = ()
    suffix: tuple[int, ...] = ()
    max_length = 1 << 62
    vocabulary: Sequence[str] = ()

    def __init__(self, vectorizer: Any) -> None:
        self._vectorizer = vectorizer
        self._kind = type(vectorizer.transform([""]))
        self._grams = _NGrams(vectorizer.vocabulary_, vectorizer.ngram_range)
        self._read: Callable[[str], str] = vectorizer.build_preprocessor()
        self._words: Callable[[str], list[str]] = vectorizer.build_tokenizer()
        self._stop_words = vectorizer.get_stop_words() or ()
        self._weigh = _weighing(vectorizer)
        self._chunks: dict[str, int] = {}

    def pieces(self, chunks: Sequence[str]) -> list[list[int]]:
        """Return the number of each chunk, and those of its words."""
        ids, unknown = self._grams.words, len(self._grams.words)
        first = unknown + 1
        return [
            [
                first + self._chunks.setdefault(chunk, len(self._chunks)),
                *(
                    ids.get(word, unknown)
                    for word in self._words(self._read(chunk))
                    if word not in self._stop_words
                ),
            ]
            for chunk in chunks
        ]

    def whole(self, inputs: Sequence[tuple[str, ...]]) -> list[Whole]:
        """Read rendered texts as one chunk each."""
        return [Whole(tokens, None) for tokens in self.pieces([string for (string,) in inputs])]

    @property
    def features(self) -> Numbers | None:
        """The feature of each single word, -1 for none and for all words unknown; None where longer ones count."""
        return self._grams.of_single_words() if self._vectorizer.ngram_range == (1, 1) else None

    def matrix(self, rows: TokenRows) -> Any:
        """Return what the vectorizer makes of the texts."""
        row = np.repeat(np.arange(len(rows.lengths)), rows.lengths)
        is_word = rows.tokens <= len(self._grams.words)
        features, row = self._grams.of(rows.tokens[is_word].astype(np.int64), row[is_word])
        ends = np.searchsorted(row, np.arange(len(rows.lengths) + 1)).astype(np.int32)
        shape = (len(rows.lengths), len(self._vectorizer.vocabulary_))
        ones = np.ones(len(features), dtype=self._vectorizer.dtype)
        counts = self._kind((ones, features.astype(np.int32), ends), shape=shape)
        counts.sum_duplicates()
        if self._vectorizer.binary:
            counts.data.fill(1)
        return self._weigh(counts)


def word_counts(vectorizer: Any) -> WordCounts | None:
    """Return what counts as a vectorizer does, or None where spliced texts may be counted otherwise."""
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

    if type(vectorizer) not in (CountVectorizer, TfidfVectorizer) or not hasattr(vectorizer, "vocabulary_"):
        return None
    given = vectorizer.get_params()
    plain = (given["analyzer"], given["tokenizer"], given["preprocessor"], given["input"])
    if plain != ("word", None, None, "content") or given["token_pattern"] not in _PATTERNS:
        return None
    made = WordCounts(vectorizer)
    return made if _counts_alike(made, vectorizer) else None


def _counts_alike(made: WordCounts, vectorizer: Any) -> bool:
    pieces = [[token for piece in made.pieces(re.split(" ", probe)) for token in piece] for probe in _PROBES]
    lengths = np.array([len(tokens) for tokens in pieces])
    tokens = np.array([token for each in pieces for token in each], dtype=np.int32)
    ours, its = made.matrix(TokenRows(tokens, lengths, lengths)), vectorizer.transform(_PROBES)
    return bool((ours != its).nnz == 0)


def _weighing(vectorizer: Any) -> Callable[[Any], Any]:
    """Return what a vectorizer does with counts."""
    from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer

    if not isinstance(vectorizer, TfidfVectorizer):
        return lambda counts: counts
    names = ("norm", "use_idf", "smooth_idf", "sublinear_tf")
    weights = TfidfTransformer(**{name: getattr(vectorizer, name) for name in names})
    weights.n_features_in_ = len(vectorizer.vocabulary_)
    if vectorizer.use_idf:
        weights.idf_ = vectorizer.idf_
    return lambda counts: weights.transform(counts, copy=False)


class _Grams(NamedTuple):
    """The n-grams of one length: those one shorter, times the words, in rising order."""

    codes: Numbers
    features: Numbers
    """The feature of each; -1 for the beginning of a longer one that is none itself."""


class _NGrams:
    """The features of a vocabulary, found word by word: an n-gram is one that is a word shorter, and a word."""

    def __init__(self, vocabulary: dict[str, int], lengths: tuple[int, int]) -> None:
        split = {tuple(gram.split(" ")): feature for gram, feature in vocabulary.items()}
        self.words = {word: n for n, word in enumerate(dict.fromkeys(word for gram in split for word in gram))}
        self._least = lengths[0]
        known: dict[tuple[str, ...], int] = {(): 0}
        self._levels: list[_Grams] = []
        for length in range(1, max(map(len, split), default=0) + 1):
            begun = dict.fromkeys(gram[:length] for gram in split if len(gram) >= length)
            codes = {known[gram[:-1]] * (len(self.words) + 1) + self.words[gram[-1]]: gram for gram in begun}
            order = sorted(codes)
            known = {codes[code]: place for place, code in enumerate(order)}
            features = [split.get(codes[code], -1) for code in order]
            self._levels.append(_Grams(np.array(order, dtype=np.int64), np.array(features, dtype=np.int64)))

    def of_single_words(self) -> Numbers:
        """Return the feature of each word, and -1 for what is none."""
        found = np.full(len(self.words) + 1, -1, dtype=np.int64)
        for level in self._levels[:1]:
            found[level.codes] = level.features
        return found

    def of(self, words: Numbers, row: Numbers) -> tuple[Numbers, Numbers]:
        """Return the features of all rows, one for each time it stands there, and the row of each, in order."""
        begin = np.zeros(len(words), dtype=np.int64)
        at = np.arange(len(words))
        found: list[tuple[Numbers, Numbers]] = []
        for length, level in enumerate(self._levels, start=1):
            inside = at + length - 1 < len(words)
            begin, at = begin[inside], at[inside]
            last = at + length - 1
            same = row[last] == row[at]
            begin, at, last = begin[same], at[same], last[same]
            codes = begin * (len(self.words) + 1) + words[last]
            place = np.minimum(np.searchsorted(level.codes, codes), len(level.codes) - 1)
            known = level.codes[place] == codes
            begin, at = place[known], at[known]
            feature = level.features[begin]
            if length >= self._least:
                found.append((feature[feature >= 0], row[at[feature >= 0]]))
        features, rows = (np.concatenate(parts) for parts in zip(*found, strict=True))
        order = np.argsort(rows, kind="stable")
        return features[order], rows[order]
