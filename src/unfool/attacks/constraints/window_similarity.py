"""A constraint: what stands around each change means the same to a sentence encoder (Morris et al., 2020)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from unfool.attacks import constraint
from unfool.attacks.parts.constrain import SHORT_TEXT, text_window
from unfool.engine import Ask, Floats
from unfool.lexicon.encoders import sentence_encoder
from unfool.text import Text, diff


@constraint(cost=3, between=(-1.0, 1.0), opens=partial(sentence_encoder, "minilm"), language="English")
async def window_similarity(ask: Ask, original: Text, texts: Sequence[Text], *, at_least: float) -> list[bool]:
    """The 15 words around each change stay this similar, by cosine of MiniLM's sentence vectors."""
    pairs = [_windows(original, text) for text in texts]
    strings = list(dict.fromkeys(string for windows in pairs for pair in windows for string in pair))
    if not strings:
        return [True] * len(texts)
    vectors: dict[str, Floats] = dict(zip(strings, await ask.use(sentence_encoder("minilm"), strings), strict=True))
    return [all(round(float(vectors[a] @ vectors[b]), 5) >= at_least for a, b in windows) for windows in pairs]


def _windows(original: Text, text: Text) -> list[tuple[str, str]]:
    """Return the words around each change as they were and as they are."""
    found, moved = [], 0
    for change in diff(original, text).changes:
        before, after = _around(original, change.position), _around(text, change.position + moved)
        moved += len(change.after) - len(change.before)
        found.append((before, after))
    return found


def _around(text: Text, position: int) -> str:
    """Return the words around a position, or the last of its text where the position is behind them."""
    if not len(text):
        return str(text)
    return text_window(text, min(position, len(text) - 1), SHORT_TEXT)
