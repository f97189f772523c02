"""Texts on their first two principal components (the CS229 report's Figure 7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.data import Dataset
from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.stats import Rate
from unfool.text import Sample
from unfool_papers.analysis.features import Matrix, features
from unfool_papers.analysis.figure import Figure

_MOST_DRAWN = 600
_PLACES = 3
_FEWEST = 4


class Projection(NamedTuple):
    """Places on two components, and the share of all variance each explains."""

    places: Matrix
    explained: tuple[float, float]


def project(rows: Any) -> Projection:
    """Return rows, dense or sparse, on their first two principal components.

    Which end of a component is which is chance: the largest weight of each is made positive.
    """
    if isinstance(rows, np.ndarray):
        centred = rows - rows.mean(axis=0)
        spread, ways = np.linalg.eigh(centred.T @ centred)
        axes = ways[:, ::-1][:, :2].T
        places, shares = centred @ axes.T, spread[::-1][:2] / max(spread.sum(), np.finfo(float).tiny)
    else:
        from sklearn.decomposition import PCA

        if rows.shape[1] <= 2:
            raise UserError(
                f"{rows.shape[1]} common words are too few for two components; give more texts, or by='vectors'"
            )
        fitted = PCA(2, svd_solver="arpack", random_state=0)
        places = fitted.fit_transform(rows)
        axes, shares = fitted.components_, fitted.explained_variance_ratio_
    signs = np.sign(axes[np.arange(2), np.abs(axes).argmax(axis=1)])
    return Projection(places * signs, (float(shares[0]), float(shares[1])))


def told_apart(places: Matrix, labels: Sequence[int]) -> Rate:
    """Return how many texts a straight line (for several labels: lines) puts on the right side.

    Least squares draws it by every other text; the texts between are counted.
    """
    gold: NDArray[np.intp] = np.array(labels, dtype=np.intp)
    columns = np.column_stack([np.ones(len(places)), places])
    wanted = np.eye(gold.max() + 1)[gold]
    weights, *_ = np.linalg.lstsq(columns[::2], wanted[::2])
    right = (columns[1::2] @ weights).argmax(axis=1) == gold[1::2]
    return Rate(int(right.sum()), len(right))


def principal_components(
    samples: Dataset | Iterable[Sample],
    *,
    by: Literal["vectors", "words"] | Predictor = "vectors",
    labels: Sequence[str] | None = None,
    seed: int = 0,
) -> Figure:
    """Return a scatter of texts on their first two principal components, coloured by label.

    The caption tells how much variance they explain, and for how many texts a straight line through them tells
    the labels apart: the class separation that the report sees in its picture, as a number.

    Args:
        samples: A data set (the report projects its training set), or labelled texts.
        by: What of a text is projected, which the report leaves open. ``vectors``: the mean of its words' GloVe
            vectors. ``words``: TF-IDF weights. Or a neural victim: the vector it decides by.
        labels: What to call the labels; as the data does, or by number, if None.
        seed: Draws the texts that are shown, 600 at most; all of them are projected and counted.

    Raises:
        UserError: If there are too few texts, or the victim does not show what it decides by.
    """
    chosen = list(samples)
    known = samples.labels if isinstance(samples, Dataset) else None
    most_used = 1 + max((sample.label for sample in chosen), default=0)
    names = [str(name) for name in labels or known or range(most_used)]
    if len(chosen) < _FEWEST:
        raise UserError(f"{len(chosen)} texts are too few for principal components; give {_FEWEST} or more")
    if len(names) < most_used:
        raise UserError(
            f"{len(names)} names ({', '.join(names)}) were given for {most_used} labels; give one for each"
        )
    order = np.random.default_rng(seed).permutation(len(chosen))  # files often hold one label after the other
    shuffled = [chosen[number] for number in order.tolist()]
    rows, what = features([sample.text for sample in shuffled], by)
    places, explained = project(rows)
    gold = [sample.label for sample in shuffled]
    apart, most = told_apart(places, gold), max(np.bincount(gold)) / len(gold)
    shown = [
        {"x": round(float(x), _PLACES), "y": round(float(y), _PLACES), "label": names[label]}
        for (x, y), label in zip(places[:_MOST_DRAWN], gold[:_MOST_DRAWN], strict=True)
    ]
    return Figure(
        "principal-components",
        f"{len(chosen):,} texts on two principal components",
        f"{len(chosen):,} texts by {what}; {len(shown)} are drawn. The two components explain "
        f"{explained[0]:.1%} and {explained[1]:.1%} of the variance. A straight line tells the labels apart for "
        f"{apart} of texts it was not drawn by; the commonest label has {most:.1%}.",
        shown,
        _chart(names, explained),
    )


def _chart(names: Sequence[str], explained: tuple[float, float]) -> dict[str, Any]:
    sides = {
        side: {
            "field": side,
            "type": "quantitative",
            "title": f"component {number} ({share:.1%} of the variance)",
            "scale": {"zero": False},
            "axis": {"grid": False},
        }
        for number, (side, share) in enumerate(zip("xy", explained, strict=True), start=1)
    }
    two = {"range": ["#e45756", "#4c78a8"]} if len(names) <= 2 else {}
    return {
        "width": 440,
        "height": 330,
        "mark": {"type": "circle", "size": 26, "opacity": 0.6, "aria": False},
        "encoding": {
            **sides,
            "color": {
                "field": "label",
                "type": "nominal",
                "title": None,
                "scale": {"domain": list(names), **two},
            },
        },
    }
