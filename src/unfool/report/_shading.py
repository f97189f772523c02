"""The weights of words as the page takes them: with each field's words cut out for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

from unfool.engine import Outcome
from unfool.runs import Overlay, Run, Weights
from unfool.storage import to_json
from unfool.text import Text

Shading = tuple[list[int], list[float], list[float | None] | None]
"""Of one field: how long each gap and each word is, in turn; the words' importance; their attention."""


def about(overlays: Mapping[int, Overlay]) -> dict[str, Any] | None:
    """Say what the page may offer; None where the victim was not asked."""
    if not overlays:
        return None
    return {
        "samples": len(overlays),
        "attention": any(overlay.original.attention is not None for overlay in overlays.values()),
    }


def shadings(run: Run, overlays: Mapping[int, Overlay]) -> Iterator[bytes]:
    """Yield JSON in pieces: by the sample's id, the shadings of both its texts, and the beliefs on the way."""
    found = ((outcome, overlays[outcome.id]) for outcome in run.outcomes() if outcome.id in overlays)
    yield b"{"
    for number, (outcome, overlay) in enumerate(found):
        yield (b",\n" if number else b"\n") + f'"{outcome.id}": '.encode() + to_json(_told(outcome, overlay))
    yield b"\n}"


def _told(outcome: Outcome, overlay: Overlay) -> tuple[list[Shading], list[Shading] | None, list[float]]:
    changed = overlay.perturbed and _fields(outcome.perturbed, overlay.perturbed)
    return _fields(outcome.original, overlay.original), changed, overlay.beliefs


def _fields(strings: tuple[str, ...], weights: Weights) -> list[Shading]:
    texts = [Text.of(string) for string in strings]
    stops = list(accumulate(map(len, texts)))
    return [
        (
            _lengths(text),
            weights.importance[stop - len(text) : stop],
            None if weights.attention is None else weights.attention[stop - len(text) : stop],
        )
        for text, stop in zip(texts, stops, strict=True)
    ]


def _lengths(text: Text) -> list[int]:
    # In units of UTF-16, as a browser counts: an emoji is two.
    pairs = zip(text.gaps, text.words, strict=False)
    return [len(part.encode("utf-16-le", "surrogatepass")) // 2 for pair in pairs for part in pair]
