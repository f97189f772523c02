"""A2T (Yoo and Qi, 2021): near words, in the order that one gradient gives."""

from __future__ import annotations

from typing import Literal

import numpy as np

from unfool.attacks import attack, refuse_below
from unfool.attacks.parts.climb import climb
from unfool.attacks.parts.constrain import same_tag_in_context
from unfool.attacks.parts.masked import Filler, content_words, start
from unfool.attacks.parts.offers import Offers, neighbours
from unfool.attacks.parts.propose import tag_text
from unfool.attacks.parts.rank import ranked
from unfool.engine import Ask, Floats
from unfool.lexicon.encoders import sentence_encoder
from unfool.lexicon.masked_model import STAND_IN
from unfool.stats import whole_share
from unfool.text import Sample, Text
from unfool.victims import GradientRequest, Gradients

_FEWEST, _DECIMALS = 4, 5


@attack(needs=("gradients",), language="English")
async def a2t(
    sample: Sample,
    ask: Ask,
    *,
    substitutes: Literal["counter-fitted", "masked"] = "counter-fitted",
    candidates: int = 20,
    cosine: float = 0.8,
    similarity: float = 0.9,
    most: float = 0.1,
    encoder: str = "minilm",
    model: str = STAND_IN,
) -> Text:
    """Replace words by near ones of their part of speech, those with the steepest gradient first.

    It was made for training: one backward pass ranks all words, and few words change.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        substitutes: Neighbours by ``counter-fitted`` vectors, or the words of a ``masked`` language model.
        candidates: How many substitutes of a word are looked at.
        cosine: The least similarity of a neighbour.
        similarity: The least cosine between the sentence vectors of the original and of the changed text.
        most: The share of words that may change; four always may.
        encoder: The sentence encoder: ``minilm`` or ``universal``.
        model: The masked language model: a folder, a hub id, or ``minilm``, a stand-in trained on first use.
    """
    refuse_below("a2t", 1, candidates=candidates)
    text = sample.text
    offers = _of_same_kind(
        text,
        neighbours(text, candidates, cosine)
        if substitutes == "counter-fitted"
        else await _masked(text, Filler(ask, model, candidates)),
    )
    if not offers:
        return text

    async def is_similar(changed: Text) -> bool:
        vectors: Floats = await ask.use(sentence_encoder(encoder), [str(text), str(changed)])
        return round(float(vectors[0] @ vectors[1]), _DECIMALS) >= similarity

    steep = await _steepness(ask, text)
    order = [list(offers)[number] for number in ranked(steep[list(offers)])]
    room = max(_FEWEST, whole_share(most, len(text.editable)))
    return (await climb(ask, text, offers, order, most=room, passes=is_similar)).text


async def _masked(text: Text, filler: Filler) -> Offers:
    found: dict[int, list[str]] = {}
    for edit in await filler.replacements(start(text), content_words(text)):
        found.setdefault(edit.at, []).append(edit.text.words[edit.at])
    return found


def _of_same_kind(text: Text, offers: Offers) -> Offers:
    tags = tag_text(text)
    kept = {
        at: [w for w, fits in zip(words, same_tag_in_context(text, at, tags[at], words), strict=True) if fits]
        for at, words in offers.items()
    }
    return {at: words for at, words in kept.items() if words}


async def _steepness(ask: Ask, text: Text) -> Floats:
    """Return for each word the sum of the gradient's sizes, meant over its tokens, as a share of the largest."""
    label = ask.sample.label if ask.goal.target is None else ask.goal.target
    (found,) = await ask.use_all(ask.service("gradients"), [GradientRequest(text, label)])
    return _by_word(found, len(text))


def _by_word(found: Gradients, words: int) -> Floats:
    sizes = np.zeros(words, dtype=np.float32)
    for word in np.unique(found.words[found.words >= 0]).tolist():
        sizes[word] = np.abs(found.gradient[found.words == word].mean(axis=0)).sum()
    return np.asarray(np.round(sizes / max(float(sizes.max(initial=0.0)), 1e-12), _DECIMALS), dtype=np.float32)
