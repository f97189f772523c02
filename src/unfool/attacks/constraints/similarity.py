"""Constraints: the text means the same, as sentence encoders see it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from unfool.attacks import constraint
from unfool.attacks.parts.constrain import cosines
from unfool.engine import Ask
from unfool.lexicon.encoders import SentenceEncoder, sentence_encoder
from unfool.text import Change, Text, diff

_LONGEST_STRETCH = 64
"""Words that a sentence encoder reads to their end: it looks at 128 tokens."""


@constraint(cost=3, between=(-1.0, 1.0), opens=partial(sentence_encoder, "minilm"), language="English")
async def similarity(ask: Ask, original: Text, texts: Sequence[Text], *, at_least: float) -> list[bool]:
    """The text stays this similar, by cosine of MiniLM's sentence vectors.

    An encoder reads only the start of a long text, so a field of more than 64 words is compared in even stretches,
    each of which must stay similar.
    """
    return await _similar(ask, sentence_encoder("minilm"), original, texts, at_least)


@constraint(cost=3, between=(-1.0, 1.0), opens=partial(sentence_encoder, "universal"))
async def universal_similarity(ask: Ask, original: Text, texts: Sequence[Text], *, at_least: float) -> list[bool]:
    """The text stays this similar, by cosine of the universal sentence encoder's vectors; see `similarity`."""
    return await _similar(ask, sentence_encoder("universal"), original, texts, at_least)


async def _similar(
    ask: Ask, encoder: SentenceEncoder, original: Text, texts: Sequence[Text], at_least: float
) -> list[bool]:
    stretches = [changed_stretches(original, text) for text in texts]
    pairs = list(dict.fromkeys(pair for changed in stretches for pair in changed))
    near = dict(zip(pairs, (await cosines(ask, encoder, pairs, at_least)).tolist(), strict=True))
    return [all(near[pair] >= at_least for pair in changed) for changed in stretches]


def changed_stretches(original: Text, text: Text, longest: int = _LONGEST_STRETCH) -> list[tuple[str, str]]:
    """Return what changed as it was and as it is: whole fields, or even stretches of those with too many words."""
    pairs: list[tuple[str, str]] = []
    changes: Sequence[Change] | None = None
    for number, (old, new) in enumerate(zip(original.fields, text.fields, strict=True)):
        if original.strings[number] == text.strings[number]:
            continue
        count = -(-(old.stop - old.start) // longest)
        if count <= 1:
            pairs.append((original.strings[number], text.strings[number]))
            continue
        if changes is None:
            changes = diff(original, text).changes
        cuts = [old.start + (old.stop - old.start) * part // count for part in range(1, count)]
        before = [old.start, *cuts, old.stop]
        after = [new.start, *(_moved(cut, changes) for cut in cuts), new.stop]
        for (a, b), (c, d) in zip(pairwise(before), pairwise(after), strict=True):
            was, now = _part(original, number, a, b), _part(text, number, c, d)
            if was != now:
                pairs.append((was, now))
    return pairs


def _moved(place: int, changes: Sequence[Change]) -> int:
    """Return where the word at a place of the original stands after the changes."""
    moved = place
    for change in changes:
        gone = min(max(place - change.position, 0), len(change.before))
        if change.position + len(change.before) <= place:
            moved += len(change.after) - gone
        else:
            moved += min(gone, len(change.after)) - gone
    return moved


def _part(text: Text, number: int, start: int, stop: int) -> str:
    pieces = [piece for place in range(start, stop) for piece in (text.gaps[place + number], text.words[place])]
    if stop == text.fields[number].stop:
        pieces.append(text.gaps[stop + number])
    return "".join(pieces)
