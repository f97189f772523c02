"""The words a net takes a misspelt word for, where it makes words of characters (HotFlip's Table 4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.text import Text, diff, edit_distance
from unfool.victims import Spells
from unfool_papers.analysis.figure import Figure
from unfool_papers.analysis.look import look
from unfool_papers.analysis.outcomes import Outcomes, successes_of

_AT_ONCE = 256
_HIGHWAY = 1
_PLACES = 4
_PURPOSE = "the neighbours of perturbed words"
Matrix = NDArray[np.float32]


class Near(NamedTuple):
    """A word and its cosine."""

    word: str
    cosine: float


class Perturbed(NamedTuple):
    """A changed word, and the words of the vocabulary nearest to what it was and to what it became."""

    original: str
    perturbed: str
    cosine: float
    """Of the two."""
    near_original: tuple[Near, ...]
    """Nearest first, the word itself left out."""
    near_perturbed: tuple[Near, ...]
    """Nearest first; the original is among them where the net still takes the one for the other."""

    @property
    def strayed(self) -> bool:
        """Whether the original is not among the neighbours of what it became."""
        return all(near.word.lower() != self.original.lower() for near in self.near_perturbed)


def perturbed_words(run: Outcomes) -> list[tuple[str, str]]:
    """Return the words an attack changed where it succeeded, each with what it became, the commonest first.

    Raises:
        UserError: If no text fooled the victim.
    """
    counts: dict[tuple[str, str], int] = {}
    for outcome in successes_of(run, _PURPOSE):
        for old, new in zip(outcome.original, outcome.perturbed, strict=True):
            for change in diff(Text.of(old), Text.of(new)).changes:
                if len(change.before) == len(change.after) == 1:
                    pair = (change.before[0], change.after[0])
                    counts[pair] = counts.get(pair, 0) + 1
    return sorted(counts, key=lambda pair: -counts[pair])


def nearest_words(
    victim: Predictor,
    pairs: Iterable[tuple[str, str]],
    *,
    vocabulary: Sequence[str] | None = None,
    k: int = 5,
) -> list[Perturbed]:
    """Return the words of a vocabulary nearest, by cosine, to words and to what an attack made of them.

    Each word is read by itself, at the first layer that stands for whole words: in ``zoo:CharCNN-LSTM-Adam@…`` the
    output of the highway layers, which does not depend on the words around it.

    Args:
        victim: A net that reads characters.
        pairs: Words and what they became; `perturbed_words` takes them from a run. Those that the net reads as
            several words, such as *well-known*, are left out.
        vocabulary: The words to look among; those the victim was trained on if None.
        k: How many neighbours.

    Raises:
        UserError: If the victim reads no characters, shows no hidden states or has no vocabulary, or if no pair
            is one of single words.
    """
    if not isinstance(victim, Spells):
        raise UserError(
            f"{_PURPOSE} needs a net that reads characters, and {victim!r} does not; use zoo:CharCNN-LSTM-Adam@DATA"
        )
    words = list(dict.fromkeys(victim.vocabulary if vocabulary is None else vocabulary))
    if not words:
        raise UserError(f"{_PURPOSE} are looked up in a vocabulary, and {victim!r} has none; give one")
    given = list(pairs)
    asked = [pair for pair in given if all(_is_one(victim, word) for word in pair)]
    if given and not asked:
        raise UserError(
            f"{given[0]} is not one word and what became of it, nor is any other pair; give some that are"
        )
    known = [word for word in words if _is_one(victim, word)]
    if not known:
        raise UserError(
            f"{_PURPOSE} are looked for among words, and {words[0]!r} is not one to {victim!r}, nor is any "
            "other; give a vocabulary of single words"
        )
    directions = _directions(victim, known)
    found = []
    for start in range(0, len(asked), _AT_ONCE):
        some = asked[start : start + _AT_ONCE]
        old, new = (_directions(victim, [pair[side] for pair in some]) for side in (0, 1))
        near_old, near_new = (_nearest(each, directions, known, k + 1) for each in (old, new))
        cosines = (old * new).sum(axis=1)
        for number, (original, perturbed) in enumerate(some):
            found.append(
                Perturbed(
                    original,
                    perturbed,
                    round(float(cosines[number]), _PLACES),
                    _without(original, near_old[number])[:k],
                    _without(perturbed, near_new[number])[:k],
                )
            )
    return found


def neighbour_table(found: Sequence[Perturbed], *, columns: int = 8) -> Figure:
    """Return such words as a table: on top what became what, below its neighbours, nearest first.

    As in the paper, words come first whose original is not among the neighbours of what they became, and of these
    the ones with the fewest characters changed.

    Args:
        found: What `nearest_words` returned.
        columns: How many words are shown.

    Raises:
        UserError: If there is none.
    """
    if not found:
        raise UserError(f"{_PURPOSE}: no word was changed; give a run with successes")
    strayed = sum(each.strayed for each in found)
    ranked = sorted(found, key=lambda each: (not each.strayed, edit_distance(each.original, each.perturbed)))
    shown = ranked[:columns]
    k = max(len(each.near_perturbed) for each in shown)
    rows = [
        {
            "pair": f"{each.original} → {each.perturbed}",
            "original": each.original,
            "perturbed": each.perturbed,
            "rank": rank,
            "word": near.word,
            "cosine": near.cosine,
        }
        for each in shown
        for rank, near in enumerate(each.near_perturbed, start=1)
    ]
    return Figure(
        "nearest-words",
        "What a changed word reads like",
        f"The {k} words nearest by cosine to each changed word. For {strayed} of {len(found)} changed words "
        f"({strayed / len(found):.0%}) the original is not among them.",
        rows,
        _chart(rows),
    )


def _is_one(victim: Spells, word: str) -> bool:
    """Whether something is one word, and one to the net."""
    text = Text.of(word)
    return len(text) == 1 and len(set(victim.characters.spell(text).runs.tolist())) == 1


def _directions(victim: Predictor, words: Sequence[str]) -> Matrix:
    """Return the unit vector of each word."""
    parts = []
    for start in range(0, len(words), _AT_ONCE):
        texts = [Text.of(word) for word in words[start : start + _AT_ONCE]]
        seen = look(victim, "hidden", texts, _PURPOSE)
        vectors = np.stack([one.states[_HIGHWAY, one.words >= 0].mean(axis=0) for one in seen])
        parts.append(
            vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.finfo(np.float32).tiny)
        )
    return np.concatenate(parts)


def _nearest(asked: Matrix, directions: Matrix, words: Sequence[str], k: int) -> list[list[Near]]:
    cosines = np.round(asked @ directions.T, _PLACES)
    best = np.argsort(-cosines, axis=1, kind="stable")[:, :k]
    return [
        [Near(words[column], float(cosines[row, column])) for column in columns]
        for row, columns in enumerate(best.tolist())
    ]


def _without(word: str, near: Iterable[Near]) -> tuple[Near, ...]:
    return tuple(each for each in near if each.word != word)


def _chart(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "width": {"step": 110},
        "height": {"step": 24},
        "encoding": {
            "x": {
                "field": "pair",
                "type": "nominal",
                "sort": None,
                "title": None,
                "axis": {
                    "orient": "top",
                    "labelAngle": 0,
                    "labelFontWeight": "bold",
                    "labelLimit": 108,
                    "labelPadding": 17,
                    "labelExpr": "[split(datum.label, ' → ')[0] + ' →', split(datum.label, ' → ')[1]]",
                },
            },
            "y": {"field": "rank", "type": "ordinal", "title": "nearest", "axis": {"grid": False}},
        },
        "layer": [
            {
                "mark": {"type": "rect", "stroke": "white"},
                "encoding": {
                    "color": {
                        "field": "cosine",
                        "type": "quantitative",
                        "scale": {"domain": [0, 1], "range": ["white", "#9ecae1"], "interpolate": "rgb"},
                        "legend": {"title": "cosine"},
                    }
                },
            },
            {
                "mark": {"type": "text", "limit": 104},
                "encoding": {"text": {"field": "word", "type": "nominal"}},
            },
        ],
    }
