"""Similarity of sentences."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from unfool.attacks import constraint
from unfool.attacks.constraints._compare import changed_stretches
from unfool.engine import Ask, Floats
from unfool.lexicon.encoders import SentenceEncoder, sentence_encoder
from unfool.text import Text


@constraint(cost=3, between=(-1.0, 1.0), opens=partial(sentence_encoder, "minilm"), language="English")
async def similarity(ask: Ask, original: Text, texts: Sequence[Text], *, at_least: float) -> list[bool]:
    """The text stays this similar, by cosine of MiniLM's sentence vectors.

    An encoder reads only the start of a long text, so a field of more than 64 words is compared in even stretches,
    each of which must stay similar.
    """
    return await _similar(ask, sentence_encoder("minilm"), original, texts, at_least)


@constraint(cost=3, between=(-1.0, 1.0), opens=partial(sentence_encoder, "universal"), language="English")
async def universal_similarity(ask: Ask, original: Text, texts: Sequence[Text], *, at_least: float) -> list[bool]:
    """The text stays this similar, by cosine of the universal sentence encoder's vectors; see `similarity`."""
    return await _similar(ask, sentence_encoder("universal"), original, texts, at_least)


async def _similar(
    ask: Ask, encoder: SentenceEncoder, original: Text, texts: Sequence[Text], at_least: float
) -> list[bool]:
    pairs = [changed_stretches(original, text) for text in texts]
    strings = list(dict.fromkeys(string for changed in pairs for pair in changed for string in pair))
    if not strings:
        return [True] * len(texts)
    vectors: dict[str, Floats] = dict(zip(strings, await ask.use(encoder, strings), strict=True))
    return [all(round(float(vectors[a] @ vectors[b]), 5) >= at_least for a, b in changed) for changed in pairs]
