"""TextFooler (Jin et al., 2020): important words first, the nearest neighbours that keep the meaning."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from unfool.attacks import attack
from unfool.attacks.parts.constrain import SHORT_TEXT, TagSet, angular, same_tag_in_context, similarities
from unfool.attacks.parts.propose import neighbour_words, tag_text
from unfool.attacks.parts.rank import Without, answers_without, importance, ranked
from unfool.engine import Ask, Floats
from unfool.errors import UserError
from unfool.lexicon import stop_words
from unfool.lexicon.encoders import SentenceEncoder, sentence_encoder
from unfool.text import Sample, Text

Short = Literal["lower", "skip", "strict"]
Compare = Literal["current", "original"]


class _Rules(NamedTuple):
    """Where the paper, the released code and later criticism differ."""

    without: Without
    cosine: float
    similarity: float
    short: Short
    better_than: Literal["current", "original"]


_VARIANTS = {
    "paper": _Rules("delete", 0.5, 0.5, "lower", "current"),
    "released": _Rules("oov", 0.5, 0.7, "lower", "original"),
    # Morris et al. (2020): cosine of 0.98 between windows is 1 - arccos(0.98) here.
    "adjusted": _Rules("delete", 0.9, float(angular(np.array(0.98))), "strict", "current"),
}
_SHORT_THRESHOLD = 0.1


@attack(language="English")
async def textfooler(
    sample: Sample,
    ask: Ask,
    *,
    variant: Literal["paper", "released", "adjusted"] = "paper",
    candidates: int = 50,
    cosine: float | None = None,
    similarity: float | None = None,
    short: Short | None = None,
    compare: Compare = "current",
    tags: TagSet = "universal",
    random_share: float | None = None,
    encoder: str = "minilm",
) -> Text:
    """Replace important words by counter-fitted neighbours that keep part of speech and sentence similarity.

    A candidate that fails a filter can never be chosen, so candidates of another part of speech are not asked,
    words without candidates are not ranked, and similarity is computed only where it decides: for candidates
    that fool, and else best first until one passes. The outcome is the plain algorithm's, at fewer queries and
    encodings.

    The authors' sentence encoder is not available as a package; MiniLM stands in for it at the same thresholds,
    or a later universal sentence encoder (``encoder=universal``).

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        variant: ``paper``: importance by deletion, similarity 0.5 (what the published numbers need, say the
            authors), progress against the current text. ``released``: importance by the literal ``<oov>``,
            similarity 0.7, progress against the original text for ever. ``adjusted``: word cosine 0.9, window
            cosine 0.98, short texts not exempt (Morris et al., 2020; their grammar check is not part of it here).
        candidates: Nearest neighbours looked at.
        cosine: Least word similarity; None takes the variant's.
        similarity: Least 1 − arccos(cosine of 15-word windows around the change, before and after).
        short: Texts under 15 words: ``lower`` the threshold to 0.1, ``skip`` the check, or ``strict``.
        compare: What the changed text must be similar to: the ``current`` text, before this replacement, as in the
            released code, or the ``original``, which its authors later called better.
        tags: A replacement keeps the ``universal`` tag, where nouns and verbs may swap, or the finer ``penn`` tag,
            as FireBERT's authors had it.
        random_share: The authors' ablation: this share of the words, drawn at random and in random order, stop
            words among them, instead of the important ones; ``none`` ranks by importance.
        encoder: The sentence encoder: ``minilm`` or ``universal``.
    """
    rules, text, gold = _VARIANTS[variant], sample.text, sample.label
    least_cosine = rules.cosine if cosine is None else cosine
    if random_share is None:
        spots = [spot for spot in text.editable if text.words[spot].lower() not in stop_words("textfooler")]
    else:
        spots = _drawn(ask, random_share)
    proposals = {
        spot: words for spot in spots if (words := neighbour_words(text.words[spot], candidates, least_cosine))
    }
    if not proposals:
        return text
    kinds = tag_text(text)
    base = await ask.predict(text)
    reached = ask.goal.progress(base, gold)[0]
    threshold = _threshold(text, rules.similarity if similarity is None else similarity, short or rules.short)
    checker = _Similar(ask, sentence_encoder(encoder), threshold, text if compare == "original" else None)
    order = list(proposals)
    if random_share is None:
        scores = importance(base[0], await answers_without(ask, text, order, rules.without), ask, gold)
        order = [order[number] for number in ranked(scores)]
    for position in order:
        fits = same_tag_in_context(text, position, kinds[position], proposals[position], tags)
        fitting = [word for word, fit in zip(proposals[position], fits, strict=True) if fit]
        swaps = text.variants([position] * len(fitting), fitting)
        swaps = swaps.take(await ask.permitted(swaps))
        answers = await ask.predict(swaps)
        fooling = np.flatnonzero(ask.goal.reached(answers, gold)).tolist()
        for winner in await checker.most_similar(text, position, swaps.words, answers, fooling, gold):
            if await ask.holds(swaps[winner], answers[winner]):
                return swaps[winner]
        gains = ask.goal.progress(answers, gold)
        for best in ranked(gains):
            if gains[best] <= reached:
                break
            if best not in fooling and await checker.passes(text, position, swaps.words[best]):
                text = swaps[best]
                if rules.better_than == "current":
                    reached = gains[best]
                break
    return text


def _drawn(ask: Ask, share: float) -> list[int]:
    """Return the positions of a share of the words, rounded down, in random order."""
    if not 0 < share <= 1:
        raise UserError(
            f"the attack 'textfooler' cannot take random_share={share}; it takes a share over 0 and up to 1"
        )
    editable = ask.sample.text.editable
    chosen: list[int] = ask.random.permutation(len(editable))[: int(share * len(editable))].tolist()
    return [editable[number] for number in chosen]


def _threshold(text: Text, similarity: float, short: Short) -> float | None:
    if short == "strict" or len(text.editable) >= SHORT_TEXT:
        return similarity
    return None if short == "skip" else _SHORT_THRESHOLD


class _Similar(NamedTuple):
    """The similarity filter, against the text as it stands where ``original`` is None.

    A threshold of None lets everything through unencoded.
    """

    ask: Ask
    encoder: SentenceEncoder
    threshold: float | None
    original: Text | None

    async def passes(self, text: Text, position: int, word: str) -> bool:
        if self.threshold is None:
            return True
        (cosine,) = await self._cosines(text, position, [word], self.threshold)
        return bool(angular(cosine) >= self.threshold)

    async def most_similar(
        self, text: Text, position: int, words: Sequence[str], answers: Floats, fooling: list[int], gold: int
    ) -> list[int]:
        """Return the fooling candidates that pass, most similar first (most fooling first, where not compared)."""
        if not fooling:
            return []
        if self.threshold is None:
            gains = self.ask.goal.progress(answers[fooling], gold)
            return [fooling[number] for number in ranked(gains)]
        chosen = [words[number] for number in fooling]
        cosines = await self._cosines(text, position, chosen, self.threshold)
        close = angular(cosines) >= self.threshold
        return [fooling[number] for number in ranked(cosines) if close[number]]

    async def _cosines(self, text: Text, position: int, words: Sequence[str], threshold: float) -> Floats:
        before, least = self.original or text, math.cos(1 - threshold)
        return await similarities(self.ask, self.encoder, text, position, words, before, least)
