"""How far each word's state moves in each layer when a word is changed (Hsieh et al., 2019, Figure 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Predictor
from unfool.errors import UserError
from unfool_papers.analysis.figure import SHADES, Figure
from unfool_papers.analysis.look import look, word_states
from unfool_papers.analysis.mean import Mean
from unfool_papers.analysis.outcomes import Outcomes
from unfool_papers.analysis.pairs import Pair, fooling_pairs, places

PAIRS_AT_ONCE = 32
"""States of all layers take far more room than answers."""
_MOST_WORDS = 40
"""Longer texts are shown around the first change."""


class EmbeddingVariation(NamedTuple):
    """The L2 norm of the change of each word's state, by layer."""

    victim: str
    words: tuple[str, ...]
    """The words in order; a changed one as ``old → new``."""
    changed: tuple[bool, ...]
    norms: NDArray[np.float64]
    """[layers, words]; layer 0 is the input. NaN where the victim reads the word in one of the texts only."""

    @property
    def spread(self) -> list[float]:
        """By layer, the share of the words that moved; see `share_moved`."""
        return [share_moved(norms) for norms in self.norms]


def embedding_variations(victim: Predictor, pairs: Iterable[Pair]) -> list[EmbeddingVariation]:
    """Return how far each word's state moves, by layer, for every pair of texts.

    A word's state is the mean over its tokens.

    Args:
        victim: One that shows its hidden states: ``hf:…`` or a net of the zoo.
        pairs: Originals with their adversarial texts; `fooling_pairs` gives those of a run.

    Raises:
        UserError: If the victim shows no hidden states.
    """
    return [
        EmbeddingVariation(
            repr(victim),
            tuple(moved.words),
            tuple(moved.changed),
            np.linalg.norm(moved.after - moved.before, axis=2),
        )
        for moved in paired_states(victim, pairs, "embedding variation")
    ]


def spread_by_layer(victim: Predictor, source: Outcomes) -> list[Mean]:
    """Return for each layer, the input first, the share of the words that moved: the mean over the successes.

    Texts of which no word moved in a layer do not count there; where none did in any text, the mean is NaN.

    The paper holds that in a self-attentive net the change is sparse after the first layer and dense in the last,
    and dense throughout in a recurrent one: this puts a number on it.

    Args:
        victim: The victim the run attacked, opened.
        source: The run, or its outcomes.

    Raises:
        UserError: If the victim shows no hidden states, or nothing fooled it.
    """
    spreads = np.array([each.spread for each in embedding_variations(victim, fooling_pairs(source))])
    kept = spreads[~np.isnan(spreads[:, -1])]
    if not len(kept):
        raise UserError(f"{victim!r} reads none of the words that were changed; give texts it reads to the end")
    return [Mean.of(layer[~np.isnan(layer)]) for layer in kept.T]


def share_moved(norms: NDArray[np.float64]) -> float:
    """Return the share of the words that effectively moved: (Σv)² / nΣv².

    1 where all moved as far, 1/n where one of n moved alone; NaN where none did.
    """
    told = norms[~np.isnan(norms)]
    squares = float((told**2).sum())
    return float(told.sum()) ** 2 / (len(told) * squares) if squares else float("nan")


def embedding_variation_figure(
    variations: Sequence[EmbeddingVariation], name: str = "embedding-variation"
) -> Figure:
    """Draw heat maps, words across and layers upwards, the changed word boxed.

    Args:
        variations: A panel each, such as one text under attack on several victims. Each has a colour scale of its
            own: states of different nets have different sizes.
        name: What the figure's file is called.
    """
    if not variations:
        raise UserError("there is nothing to draw; give at least one of embedding_variations(victim, pairs)")
    rows = [cell for number, each in enumerate(variations) for cell in _cells(number, each)]
    told = "; ".join(
        f"{each.victim.removeprefix('zoo:')}, from the input up: " + ", ".join(map(_told, each.spread))
        for each in variations
    )
    caption = (
        "L2 norm of the change of each word's state, by layer, when one word changes; that word is boxed. "
        f"Share of the words that effectively moved – {told}. Colours are scaled for each net by itself."
    )
    chart = {
        "vconcat": [_panel(number, each) for number, each in enumerate(variations)],
        "resolve": {"scale": {"color": "independent", "x": "independent", "y": "independent"}},
        "spacing": 25,
    }
    return Figure(name, "How far one changed word moves the others", caption, rows, chart)


class PairedStates(NamedTuple):
    """States of the same words in two texts, [layers, words, dimensions]."""

    words: list[str]
    changed: list[bool]
    before: NDArray[np.float64]
    after: NDArray[np.float64]


def paired_states(victim: Predictor, pairs: Iterable[Pair], purpose: str) -> Iterator[PairedStates]:
    """Yield for each pair the states of its words before and after; NaN where one of the texts lacks the word."""
    listed = list(pairs)
    for start in range(0, len(listed), PAIRS_AT_ONCE):
        some = listed[start : start + PAIRS_AT_ONCE]
        texts = [text for pair in some for text in pair]
        found = look(victim, "hidden", texts, purpose)
        for number, pair in enumerate(some):
            before, after = (word_states(found[2 * number + side], pair[side]) for side in (0, 1))
            yield _paired(pair, before, after)


def _paired(pair: Pair, before: NDArray[np.float64], after: NDArray[np.float64]) -> PairedStates:
    aligned = places(pair.original, pair.adversarial)
    words = [
        _label(
            None if place.before is None else pair.original.words[place.before],
            None if place.after is None else pair.adversarial.words[place.after],
        )
        for place in aligned
    ]
    chosen = [_picked(states, [p[side] for p in aligned]) for side, states in enumerate((before, after))]
    return PairedStates(words, [place.changed for place in aligned], chosen[0], chosen[1])


def _picked(states: NDArray[np.float64], positions: list[int | None]) -> NDArray[np.float64]:
    nowhere = np.full_like(states[:, :1], np.nan)
    extended = np.concatenate([states, nowhere], axis=1)
    return extended[:, [-1 if position is None else position for position in positions]]


def _label(old: str | None, new: str | None) -> str:
    return (old or "") if old == new else f"{old or '–'} → {new or '–'}"


def _told(share: float) -> str:
    return "–" if np.isnan(share) else f"{share:.0%}"


def _cells(panel: int, variation: EmbeddingVariation) -> list[dict[str, Any]]:
    count = len(variation.words)
    middle = variation.changed.index(True) if True in variation.changed else 0
    first = max(0, min(middle - _MOST_WORDS // 2, count - _MOST_WORDS))
    return [
        {
            "panel": panel,
            "layer": layer,
            # Words come twice in a text, and an axis holds a name once.
            "word": f"{place:04d} {variation.words[place]}",
            "norm": None if np.isnan(norms[place]) else round(float(norms[place]), 4),
            "changed": variation.changed[place],
        }
        for layer, norms in enumerate(variation.norms)
        for place in range(first, min(first + _MOST_WORDS, count))
    ]


def _panel(number: int, variation: EmbeddingVariation) -> dict[str, Any]:
    words = {
        "field": "word",
        "type": "ordinal",
        "axis": {"title": None, "labelAngle": -40, "labelExpr": "slice(datum.label, 5)", "labelLimit": 160},
    }
    layers = {
        "field": "layer",
        "type": "ordinal",
        "sort": "descending",
        "axis": {"title": "layer", "labelExpr": "datum.value == 0 ? 'input' : datum.label"},
    }
    shade = {
        "field": "norm",
        "type": "quantitative",
        "scale": {**SHADES, "domainMin": 0},
        "legend": {"title": "change (L2)", "gradientLength": 70},
    }
    return {
        "title": {"text": variation.victim.removeprefix("zoo:"), "fontSize": 12, "anchor": "start"},
        "width": {"step": 26},
        "height": {"step": 20},
        "transform": [{"filter": f"datum.panel == {number}"}],
        "encoding": {"x": words},
        "layer": [
            {"mark": {"type": "rect", "stroke": "#dddddd"}, "encoding": {"y": layers, "color": shade}},
            {
                "transform": [{"filter": "datum.changed && datum.layer == 0"}],
                "mark": {"type": "rect", "filled": False, "stroke": "#d2222d", "strokeWidth": 2.5},
            },
        ],
    }
