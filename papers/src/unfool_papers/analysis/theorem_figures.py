"""Theorem 1 and its recurrent counterpart, drawn."""

from __future__ import annotations

import math
from typing import Any

from unfool_papers.analysis.figure import Figure
from unfool_papers.analysis.theorem import CHOSEN, RANDOM, TIGHT, TheoremCheck

_BOUND, _GAUSSIAN = "the theorem's bound", "Gaussian bound"
_COLOURS = {_BOUND: "#d2222d", _GAUSSIAN: "#e39a1c", CHOSEN: "#7a3fa0", TIGHT: "#1f5fa8", RANDOM: "#5aa469"}
_DASHES = {_BOUND: [6, 3], _GAUSSIAN: [2, 2], CHOSEN: [1, 0], TIGHT: [1, 0], RANDOM: [1, 0]}
_LEAST = 1e-4
"""Smaller numbers are not drawn."""
_FEWEST = 5
"""A share that rests on fewer scores is not drawn."""
_POWERS = {"values": [1, 0.1, 0.01, 0.001, 0.0001], "format": "~r"}


def theorem_figure(check: TheoremCheck, name: str = "theorem-1") -> Figure:
    """Draw the mean change of a score against the dimensions, and its tail, each beside the theorem's bound."""
    widest = max(each.dimensions for each in check.scores)
    rows: list[dict[str, Any]] = [
        {"panel": "mean", "series": each.setting, "x": each.dimensions, "y": each.mean.value}
        for each in check.scores
    ]
    rows += [
        {"panel": "mean", "series": _BOUND, "x": d, "y": 1 / math.sqrt(d)}
        for d in sorted({each.dimensions for each in check.scores})
    ]
    seldom = _FEWEST / (check.settings["draws"] * (check.settings["words"] - 1))
    tails = [tail for tail in check.tails if tail.dimensions == widest]
    rows += [
        {"panel": "tail", "series": tail.setting, "x": tail.times, "y": tail.measured}
        for tail in tails
        if tail.measured >= seldom
    ]
    for tail in tails:
        if tail.setting == TIGHT:
            rows.append({"panel": "tail", "series": _BOUND, "x": tail.times, "y": tail.markov})
            rows += [{"panel": "tail", "series": _GAUSSIAN, "x": tail.times, "y": tail.gaussian}] * (
                tail.gaussian >= _LEAST
            )
    chart = {
        "hconcat": [
            _panel("mean", "dimensions d", "mean change of a score / Cδ", "Mean", {"type": "log", "base": 2}),
            _panel(
                "tail",
                "ε, in multiples of Cδ/√d",
                "share that changes by ε or more",
                f"Tail, d = {widest}",
            ),
        ],
        "spacing": 30,
    }
    return Figure(name, "Theorem 1: how far one changed word moves a score", _caption(check), rows, chart)


def word_change_figure(check: TheoremCheck, name: str = "theorem-1-words") -> Figure:
    """Draw how far each word moves in the next layer, self-attentive and recurrent, against its distance."""
    rows = [
        {"layer": each.layer, "offset": each.offset, "change": each.change}
        for each in check.words
        if each.change >= _LEAST
    ]
    layers = list(check.moved)
    said = ", ".join(f"{layer}: {mean.value:.0%}" for layer, mean in check.moved.items())
    caption = (
        "Change of a word's embedding one layer up, as a share of its norm, against its distance from the changed "
        f"word; d = {check.settings['d of the layers']}, {check.settings['words']} words, the mean of "
        f"{check.settings['draws']} draws; below {_LEAST:g} not drawn. Share of the words that effectively moved – "
        f"{said}. A recurrent layer leaves the words before the changed one as they are; how far it carries a "
        "change depends on its gain. A layer of self-attention by itself moves all words alike, since each takes "
        "in the changed word's value; only with its input added, as in transformers, is its change sparse."
    )
    blues, reds = ["#1f5fa8", "#6fb1e0"], ["#f2b36b", "#dd7a2c", "#a63c10"]
    series = {
        "field": "layer",
        "type": "nominal",
        "title": None,
        "sort": layers,
        "scale": {"domain": layers, "range": blues + reds},
        "legend": {"symbolStrokeWidth": 3, "labelLimit": 220},
    }
    dashes = {
        "field": "layer",
        "sort": layers,
        "scale": {"domain": layers, "range": [[1, 0], [1, 0], [2, 2], [6, 3], [1, 0]]},
        "legend": None,
    }
    chart = {
        "width": 420,
        "height": 260,
        "mark": {"type": "line", "strokeWidth": 2.2, "clip": True},
        "encoding": {
            "x": {
                "field": "offset",
                "type": "quantitative",
                "title": "position, counted from the changed word",
                "axis": {"grid": False, "labelFlush": False},
            },
            "y": {
                "field": "change",
                "type": "quantitative",
                "title": "change of the embedding / its norm",
                "scale": {"type": "log", "domain": [_LEAST, 2]},
                "axis": _POWERS,
            },
            "color": series,
            "strokeDash": dashes,
        },
    }
    return Figure(name, "What one changed word moves, one layer up", caption, rows, chart)


def _caption(check: TheoremCheck) -> str:
    by_setting = {name: [each for each in check.scores if each.setting == name] for name in (RANDOM, TIGHT, CHOSEN)}
    keeps = {name: all(each.holds for each in some) for name, some in by_setting.items()}
    loose = {name: [each.looseness for each in some] for name, some in by_setting.items()}
    slopes = check.slopes
    holds = "holds" if keeps[RANDOM] and keeps[TIGHT] else "does not hold"
    broken = [each.dimensions for each in by_setting[CHOSEN] if not each.holds]
    chosen = (
        f"it is broken from d = {min(broken)} on, by up to {1 / min(loose[CHOSEN]):.1f} times"
        if broken
        else "it is kept here, too"
    )
    return (
        f"As assumed (words uniform on the sphere, Δ drawn without them) the bound Cδ/√d on the mean {holds}: it "
        f"is {min(loose[TIGHT]):.2f} to {max(loose[TIGHT]):.2f} times the mean for the tightest weights "
        f"(W_Q = W_K = 1) and {min(loose[RANDOM]):.1f} to {max(loose[RANDOM]):.1f} times for random ones. The mean "
        f"goes with d to the power {slopes[TIGHT]:.2f} and {slopes[RANDOM]:.2f}. The tail falls far faster than "
        "Cδ/(ε√d); 2 exp(−dε²/2C²δ²), which also holds on a sphere, is nearer. An attacker, who sees the text "
        f"before choosing Δ, is not bound: with Δ along the sum of the other words {chosen} "
        f"({check.settings['words']} words; power {slopes[CHOSEN]:.2f})."
    )


def _panel(panel: str, x: str, y: str, title: str, scale: dict[str, Any] | None = None) -> dict[str, Any]:
    names = list(_COLOURS)
    series = {
        "field": "series",
        "type": "nominal",
        "title": None,
        "sort": names,
        "scale": {"domain": names, "range": list(_COLOURS.values())},
        "legend": {
            "orient": "bottom",
            "columns": 5,
            "symbolType": "stroke",
            "symbolSize": 300,
            "symbolStrokeWidth": 3,
            "labelLimit": 240,
        },
    }
    dashes = {
        "field": "series",
        "sort": names,
        "scale": {"domain": names, "range": list(_DASHES.values())},
        "legend": None,
    }
    return {
        "title": {"text": title, "fontSize": 12, "anchor": "start"},
        "width": 290,
        "height": 230,
        "transform": [{"filter": f"datum.panel == '{panel}'"}],
        "mark": {"type": "line", "strokeWidth": 2.2},
        "encoding": {
            "x": {
                "field": "x",
                "type": "quantitative",
                "title": x,
                "axis": {"grid": False, "labelFlush": False},
                "scale": scale or {},
            },
            "y": {
                "field": "y",
                "type": "quantitative",
                "title": y,
                "scale": {"type": "log", "nice": False, "domain": [_LEAST if panel == "tail" else 0.002, 1]},
                "axis": _POWERS,
            },
            "color": series,
            "strokeDash": dashes,
        },
    }
