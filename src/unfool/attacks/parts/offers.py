"""Propose: what may stand in each word's place, by name, so that one search can be tried on several spaces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from string import ascii_lowercase
from typing import Literal, get_args

from unfool.attacks.parts.letters import added, changed, dropped, swapped
from unfool.attacks.parts.propose import neighbour_words, synonym_swaps, untouched
from unfool.lexicon import kept_words, stop_words
from unfool.lexicon.confusables import look_alikes
from unfool.lexicon.typos import code_of, key_neighbours
from unfool.text import Text, Variants

Offers = Mapping[int, Sequence[str]]
"""Words by the position where they may stand."""
Space = Literal["synonyms", "neighbours", "slips", "look-alikes"]
Slip = Literal["swap", "drop", "add", "key"]
_NEAREST, _COSINE = 50, 0.5
_SHORTEST = 4
_SLIPS: Mapping[Slip, Callable[[str], list[str]]] = {
    "swap": partial(swapped, inner=True),
    "drop": partial(dropped, inner=True),
    "add": partial(added, letters=ascii_lowercase, inner=True),
}


def synonyms(text: Text, language: str | None = None) -> Offers:
    """Return WordNet's synonyms of each word's part of speech, or those of another language's wordnet."""
    swaps = synonym_swaps(text, language=language)
    found: dict[int, list[str]] = {}
    for position, word in zip(swaps.positions, swaps.words, strict=True):
        found.setdefault(position, []).append(word)
    return found


def neighbours(text: Text, count: int = _NEAREST, cosine: float = _COSINE) -> Offers:
    """Return the nearest words by counter-fitted vectors; stop words have none."""
    kept = stop_words("textfooler")
    found = {
        at: neighbour_words(text.words[at], count, cosine)
        for at in text.editable
        if text.words[at].lower() not in kept
    }
    return {at: words for at, words in found.items() if words}


def slips(text: Text, kinds: Sequence[Slip] = get_args(Slip), language: str | None = None) -> Offers:
    """Return every slip inside a word of four letters or more that is no stop word (Pruthi et al., 2019)."""
    kept, beside = kept_words(language), partial(key_neighbours, language=code_of(language))
    slips_of: Mapping[Slip, Callable[[str], list[str]]] = {
        **_SLIPS,
        "key": partial(changed, letters=beside, inner=True),
    }
    return {
        at: list(dict.fromkeys(slip for kind in kinds for slip in slips_of[kind](text.words[at])))
        for at in text.editable
        if len(text.words[at]) >= _SHORTEST and text.words[at].lower() not in kept
    }


def twins(text: Text) -> Offers:
    """Return the words in which one letter is another that looks like it."""
    return {at: changed(text.words[at], look_alikes, inner=False) for at in text.editable}


def offers_of(text: Text, space: Space, language: str | None = None) -> Offers:
    """Return what a space, given by name, offers for each word of a text in its language."""
    match space:
        case "synonyms":
            return synonyms(text, language)
        case "slips":
            return slips(text, language=language)
        case "neighbours":
            return neighbours(text)
        case "look-alikes":
            return twins(text)


def once_a_word(original: Text, offers: Offers) -> Callable[[Text], Variants]:
    """Return what proposes all that is offered for the words of a text that are still the original's."""

    def propose(text: Text) -> Variants:
        pairs = [(at, word) for at in untouched(original, text) for word in offers.get(at, ())]
        return text.variants([at for at, _ in pairs], [word for _, word in pairs])

    return propose
