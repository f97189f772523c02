"""What a victim attends to before and after an attack (Hsieh et al., 2019, Figures 1 and 2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from unfool.attacks.parts.rank import AttentionRow, word_attention
from unfool.engine import Predictor, answered_labels
from unfool.errors import UserError
from unfool.text import Text
from unfool.victims import Attention
from unfool_papers.analysis.figure import SHADES, Figure
from unfool_papers.analysis.look import look
from unfool_papers.analysis.pairs import places

_MOST_WORDS = 32
"""Longer texts are shown around the first change."""


class WordAttention(NamedTuple):
    """A word of a text with the attention it gets; None where the victim does not read so far."""

    word: str
    attention: float | None


class AttentionShift(NamedTuple):
    """The attention each word gets before and after an attack, as one victim sees it."""

    victim: str
    where: str
    """Which layer and head of how many; empty where there is but one."""
    before: tuple[WordAttention | None, ...]
    """A word a row; None where only the other text has one."""
    after: tuple[WordAttention | None, ...]
    changed: tuple[bool, ...]
    answers: tuple[str, str]
    """What the victim answers before and after, with its confidence."""

    @property
    def moved(self) -> float:
        """How much attention moved, between 0 and 1: half the sum of the words' differences."""
        pairs = zip(self.before, self.after, strict=True)
        return sum(abs(_weight(a) - _weight(b)) for a, b in pairs) / 2

    @property
    def name(self) -> str:
        """The victim, with layer and head."""
        return self.victim.removeprefix("zoo:") + (f", {self.where}" if self.where else "")


def attention_shift(
    victim: Predictor,
    original: Text,
    adversarial: Text,
    *,
    layer: int = 0,
    head: int | None = None,
    row: AttentionRow = "cls",
) -> AttentionShift:
    """Return the attention each word gets before and after an attack; a word's is the sum over its tokens.

    Args:
        victim: One that shows its attention, such as ``open_victim("zoo:LSTM-Attention@yelp_polarity")``.
        original: The text.
        adversarial: What the attack made of it (`fooling_pairs` gives both for the successes of a run).
        layer: Which layer's attention; -1 is the last.
        head: Which head's; the mean over heads where None, as in the paper.
        row: Whose attention: ``cls``, the first token's, or ``column_mean``, the mean over all tokens.

    Raises:
        UserError: If the victim shows no attention, or has no such layer or head.
    """
    texts = (original, adversarial)
    seen = look(victim, "attention", texts, "attention before and after an attack")
    told = [
        word_attention(found, len(text), layer=layer, head=head, row=row)
        for found, text in zip(seen, texts, strict=True)
    ]
    answers = victim.check([text.strings for text in texts]).result()
    for error in answers.errors.values():
        raise error
    said = [f"{victim.labels[int(answered_labels(each))]} ({each.max():.0%})" for each in answers.values]
    pairs = places(original, adversarial)

    def words(side: int) -> tuple[WordAttention | None, ...]:
        return tuple(None if (at := place[side]) is None else _word(texts[side], told[side], at) for place in pairs)

    return AttentionShift(
        repr(victim),
        _where(seen[0], layer, head),
        words(0),
        words(1),
        tuple(place.changed for place in pairs),
        (said[0], said[1]),
    )


def attention_figure(shifts: Sequence[AttentionShift], name: str = "attention") -> Figure:
    """Draw the words before and after an attack on the colour of their attention, the changed ones boxed.

    Args:
        shifts: A panel each: several victims under one attack, or one victim under several.
        name: What the figure's file is called.
    """
    if not shifts:
        raise UserError(
            "there is no attention to draw; give at least one attention_shift(victim, original, adversarial)"
        )
    rows = [cell for number, shift in enumerate(shifts) for cell in _cells(number, shift)]
    most = max((cell["attention"] or 0 for cell in rows), default=0)
    moved = ", ".join(f"{shift.name} {shift.moved:.1%}" for shift in shifts)
    cut = any(len(shift.changed) > _MOST_WORDS for shift in shifts)
    caption = (
        "Each word on the colour of the attention it gets, before the attack (left) and after it (right); the word "
        "the attack changed is boxed. What is missing to 1 goes to punctuation and to tokens that are no words. "
        f"Half the sum of the words' differences: {moved}."
        + (f" Of longer texts, {_MOST_WORDS} words around the first change are shown." if cut else "")
    )
    panels = [_panel(number, shift, most) for number, shift in enumerate(shifts)]
    chart = {"hconcat": panels, "spacing": 40, "config": {"view": {"stroke": None}}}
    return Figure(name, "Attention before and after the attack", caption, rows, chart)


def _weight(word: WordAttention | None) -> float:
    return (word and word.attention) or 0.0


def _word(text: Text, told: dict[int, float], position: int) -> WordAttention:
    return WordAttention(text.words[position], told.get(position))


def _where(found: Attention, layer: int, head: int | None) -> str:
    layers, heads = found.weights.shape[:2]
    in_layer = f"layer {layer % layers + 1} of {layers}" if layers > 1 else ""
    in_head = f"head {head % heads + 1} of {heads}" if head is not None and heads > 1 else ""
    return ", ".join(filter(None, (in_layer, in_head)))


def _cells(panel: int, shift: AttentionShift) -> list[dict[str, Any]]:
    first = max(0, shift.changed.index(True) - _MOST_WORDS // 2) if True in shift.changed else 0
    shown = range(min(first, max(0, len(shift.changed) - _MOST_WORDS)), len(shift.changed))[:_MOST_WORDS]
    return [
        {
            "panel": panel,
            "place": place,
            "text": side,
            "word": word.word if word else "–",
            "attention": word.attention if word else None,
            "changed": shift.changed[place],
        }
        for place in shown
        for side, word in (("original", shift.before[place]), ("adversarial", shift.after[place]))
    ]


def _panel(number: int, shift: AttentionShift, most: float) -> dict[str, Any]:
    shade = {
        "field": "attention",
        "type": "quantitative",
        "scale": {**SHADES, "domain": [0, most or 1]},
        "legend": {"title": "attention", "format": ".2f", "gradientLength": 120} if number == 0 else None,
    }
    ink = {"condition": {"test": f"datum.attention > {0.55 * most}", "value": "white"}, "value": "#111"}
    here = {"filter": f"datum.panel == {number}"}
    both = {
        "x": {
            "field": "text",
            "type": "nominal",
            "sort": ["original", "adversarial"],
            "axis": {
                "orient": "top",
                "title": None,
                "labelAngle": 0,
                "domain": False,
                "ticks": False,
                "labelPadding": 17,
                "labelExpr": f"[datum.label, datum.label == 'original' ? {_quoted(f'says {shift.answers[0]}')} : "
                f"{_quoted(f'says {shift.answers[1]}')}]",
            },
        },
        "y": {"field": "place", "type": "ordinal", "axis": None},
    }
    return {
        "title": {"text": shift.name, "fontSize": 12, "anchor": "middle"},
        "width": {"step": 136},
        "height": {"step": 20},
        "transform": [here],
        "encoding": both,
        "layer": [
            {"mark": {"type": "rect", "stroke": "#dddddd"}, "encoding": {"color": shade}},
            {
                "transform": [{"filter": "datum.changed"}],
                "mark": {"type": "rect", "filled": False, "stroke": "#d2222d", "strokeWidth": 2.5},
            },
            {
                "mark": {"type": "text", "align": "left", "xOffset": -60, "limit": 82},
                "encoding": {"text": {"field": "word"}, "color": ink},
            },
            {
                "transform": [{"filter": "isValid(datum.attention)"}],
                "mark": {"type": "text", "align": "right", "xOffset": 60, "font": "monospace"},
                "encoding": {
                    "text": {"field": "attention", "type": "quantitative", "format": ".3f"},
                    "color": ink,
                },
            },
        ],
    }


def _quoted(text: str) -> str:
    """Return a string as an expression of Vega takes it."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
