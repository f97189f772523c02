"""Relative embedding variation Re = ‖z − z′‖ / ‖z‖ over the successes of an attack (Hsieh et al., 2019)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from unfool.engine import Predictor
from unfool.errors import UserError, did_you_mean
from unfool.runs import Run
from unfool_papers.analysis.embedding_variation import PAIRS_AT_ONCE, paired_states
from unfool_papers.analysis.figure import Figure
from unfool_papers.analysis.look import look
from unfool_papers.analysis.mean import Mean
from unfool_papers.analysis.outcomes import Outcomes
from unfool_papers.analysis.pairs import Pair, fooling_pairs

Reading = Literal["sentence", "words"]
"""What z is: the vector the victim decides by, or the states of all words in the last layer, end to end."""

PAPER = {"zoo:LSTM-Attention@yelp_polarity": 0.83, "zoo:BERT@yelp_polarity": 0.56}
"""What the paper gives for GS-EC on Yelp; it does not say which embeddings z are."""

_PURPOSE = "relative variation"
_TOLD = {"sentence": "the vector the net decides by", "words": "the last layer's states of all words"}


class RelativeVariation(NamedTuple):
    """Re of every text that fooled a victim."""

    victim: str
    made_on: str
    """The victim the texts were made to fool."""
    reading: Reading
    values: tuple[float, ...]

    @property
    def name(self) -> str:
        """The victim, with where the texts come from if from another."""
        own = self.victim.removeprefix("zoo:")
        return own if self.victim == self.made_on else f"{own}, texts made on {self.made_on.removeprefix('zoo:')}"

    @property
    def mean(self) -> Mean:
        """The mean with its interval."""
        return Mean.of(self.values)

    @property
    def reported(self) -> float | None:
        """The paper's mean for this victim, fooled by its own texts; None where it has none."""
        return PAPER.get(self.victim.split("#")[0]) if self.victim == self.made_on else None

    def to_row(self) -> dict[str, Any]:
        """Return a row of a table, the paper's number beside ours."""
        n, value, low, high = self.mean
        return {
            "victim": self.victim,
            "made on": self.made_on,
            "reading": self.reading,
            "texts": n,
            "Re": round(value, 4),
            "low": None if low is None else round(low, 4),
            "high": None if high is None else round(high, 4),
            "paper": self.reported,
        }


def relative_variation(victim: Predictor, source: Outcomes, reading: Reading = "sentence") -> RelativeVariation:
    """Return Re of each success of a run: how far the victim's embedding of the text moved, as a share of its norm.

    Args:
        victim: The victim, opened: ``hf:…`` or a net of the zoo. It may be another than the run attacked.
        source: The run, or outcomes of an attack on this victim. Only successes count; the paper's attack for this
            is ``gs-ec``.
        reading: What z is, which the paper leaves open: ``sentence``, the vector the victim decides by (of BERT the
            pooled first token, of the LSTM the sum its attention weighs), or ``words``, the states of all words in
            the last layer, end to end, words without a counterpart left out.

    A text whose z is zero, such as one without a word that the victim knows, has no Re and is left out.

    Raises:
        UserError: If the victim does not show what is asked for, or nothing fooled it.
    """
    if reading not in get_args(Reading):
        raise UserError(f"there is no reading {reading!r}{did_you_mean(reading, get_args(Reading))}")
    pairs = fooling_pairs(source)
    values = _of_sentences(victim, pairs) if reading == "sentence" else _of_words(victim, pairs)
    if not values:
        raise UserError(f"{victim!r} knows nothing in the texts that fooled it; give texts it reads")
    made_on = str(source.config["victim"]) if isinstance(source, Run) else repr(victim)
    return RelativeVariation(repr(victim), made_on, reading, tuple(values))


def relative_variation_figure(found: Sequence[RelativeVariation], name: str = "relative-variation") -> Figure:
    """Draw Re of each victim: a stroke a text, the mean with its interval, and the paper's mean.

    Args:
        found: `relative_variation` of each victim, in one reading or in both.
        name: What the figure's file is called.
    """
    if not found:
        raise UserError("there is nothing to draw; give at least one relative_variation(victim, run)")
    rows: list[dict[str, Any]] = []
    for each in found:
        where = {"victim": each.name, "z": _TOLD[each.reading]}
        n, value, low, high = each.mean
        rows += [{**where, "kind": "one text", "Re": round(one, 4)} for one in each.values]
        rows.append({**where, "kind": "mean, 95 % interval", "Re": value, "low": low, "high": high, "texts": n})
        if each.reported is not None:
            rows.append({**where, "kind": "mean in the paper", "Re": each.reported})
    said = "; ".join(
        f"{each.name}, {_TOLD[each.reading]}: {each.mean} over {each.mean.n} texts"
        + ("" if each.reported is None else f" (paper: {each.reported})")
        for each in found
    )
    caption = (
        f"Re = ‖z − z′‖ / ‖z‖ of adversarial texts. {said}. The paper does not say which embedding "
        "z is: its numbers stand beside either reading."
    )
    return Figure(
        name,
        "How far an attack moves the embedding (Re)",
        caption,
        rows,
        _chart(dict.fromkeys(row["z"] for row in rows)),
    )


def _of_sentences(victim: Predictor, pairs: Sequence[Pair]) -> list[float]:
    found: list[float] = []
    for start in range(0, len(pairs), PAIRS_AT_ONCE):
        texts = [text for pair in pairs[start : start + PAIRS_AT_ONCE] for text in pair]
        vectors = [summaries.vectors[0] for summaries in look(victim, "summaries", texts, _PURPOSE)]
        found += _relative(zip(vectors[0::2], vectors[1::2], strict=True))
    return found


def _of_words(victim: Predictor, pairs: Sequence[Pair]) -> list[float]:
    found: list[float] = []
    for moved in paired_states(victim, pairs, _PURPOSE):
        before, after = moved.before[-1], moved.after[-1]
        in_both = ~np.isnan(before).any(axis=1) & ~np.isnan(after).any(axis=1)
        found += _relative([(before[in_both], after[in_both])])
    return found


def _relative(moved: Iterable[tuple[Any, Any]]) -> list[float]:
    norms = [(np.linalg.norm(after - before), np.linalg.norm(before)) for before, after in moved]
    return [float(way / whole) for way, whole in norms if whole]


def _chart(readings: Iterable[str]) -> dict[str, Any]:
    re = {
        "field": "Re",
        "type": "quantitative",
        "title": "Re",
        "scale": {"domainMin": 0},
        "axis": {"labelFlush": False},
    }
    victims = {"field": "victim", "type": "nominal", "title": None, "sort": None, "axis": {"labelLimit": 330}}
    kinds = ["one text", "mean, 95 % interval", "mean in the paper"]
    colour = {
        "field": "kind",
        "type": "nominal",
        "title": None,
        "sort": kinds,
        "scale": {"domain": kinds, "range": ["#8aa9c9", "#111111", "#d2222d"]},
        "legend": {"orient": "bottom", "symbolType": "circle"},
    }

    def of(kind: str, mark: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {"transform": [{"filter": f"datum.kind == '{kind}'"}], "mark": mark, "encoding": {"x": re, **more}}

    layers = [
        of(kinds[0], {"type": "tick", "thickness": 1.2, "opacity": 0.7, "bandSize": 22}, color=colour),
        of(
            kinds[1],
            {"type": "rule", "strokeWidth": 2.5, "color": "#111111"},
            x={**re, "field": "low"},
            x2={"field": "high"},
        ),
        of(kinds[1], {"type": "point", "filled": True, "size": 75, "opacity": 1}, color=colour),
        of(
            kinds[2],
            {"type": "point", "shape": "diamond", "filled": False, "strokeWidth": 2.2, "size": 190, "opacity": 1},
            color=colour,
        ),
    ]
    panels = [
        {
            "title": {"text": f"z: {reading}", "fontSize": 12, "anchor": "start", "frame": "group"},
            "transform": [{"filter": {"field": "z", "equal": reading}}],
            "width": 460,
            "height": {"step": 40},
            "encoding": {"y": victims},
            "layer": layers,
        }
        for reading in readings
    ]
    return {"vconcat": panels, "resolve": {"scale": {"x": "shared"}}}
