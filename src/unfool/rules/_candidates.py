"""Every replacement a text allows, and the rule each one is a case of."""

from __future__ import annotations

from typing import NamedTuple

from unfool.attacks.parts import in_case_of, tag_text, word_synonyms
from unfool.text import UNCHANGED, Text, Variants


class Candidates(NamedTuple):
    """A text, first as it is and then with one word replaced: WordNet synonyms of the word's part of speech."""

    variants: Variants
    words: list[str]
    """For each replacement, the word in lower case."""
    substitutes: list[str]
    """For each replacement, the new word as WordNet spells it."""


def candidates(text: Text) -> Candidates:
    """Return what may replace the words of a text, in order of position."""
    tags = tag_text(text)
    positions, new = [UNCHANGED], [""]
    words: list[str] = []
    substitutes: list[str] = []
    for position in text.editable:
        word = text.words[position]
        lower = word.lower()
        found = word_synonyms(lower, tags[position])
        if found:
            positions += [position] * len(found)
            new += found if word == lower else [in_case_of(word, synonym) for synonym in found]
            words += [lower] * len(found)
            substitutes += found
    return Candidates(Variants((text,), [0] * len(positions), positions, new), words, substitutes)
