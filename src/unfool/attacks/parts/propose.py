"""Propose: words that may take another's place."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from unfool.lexicon import (
    Neighbours,
    counter_fitted,
    glove_neighbours,
    open_wordnet,
    stop_words_of,
    tagger,
    wordnet,
    wordnet_pos,
)
from unfool.text import Text, Variants

# Closed classes (determiners, pronouns, prepositions …) have no synonyms worth trying.
_OPEN_TAGS = ("JJ", "NN", "RB", "VB")
_NEAREST = 100


def tag_text(text: Text) -> list[str]:
    """Return one Penn tag a word, each field tagged as a sentence of its own."""
    spans = [text.words[field.start : field.stop] for field in text.fields]
    return [tag for tags in tagger("textblob")(spans) for tag in tags]


def untouched(original: Text, text: Text) -> list[int]:
    """Return the positions of the words that may be edited and still stand as they did; none was added or taken."""
    return [at for at in original.editable if text.words[at] == original.words[at]]


def synonym_swaps(
    text: Text, *, same_pos: bool = True, released: bool = False, language: str | None = None
) -> Variants:
    """Every WordNet synonym of every editable word, as one-word changes in order of position.

    Args:
        text: The text whose words are replaced.
        same_pos: Only synonyms of the part of speech the word has here.
        released: The released PWWS code's own filter (see `recipes.pwws`).
        language: Another language than English: then its wordnet's, of any part of speech; stop words have none.
    """
    if language is not None:
        return _foreign_swaps(text, language)
    tags = tag_text(text)
    positions: list[int] = []
    words: list[str] = []
    for position in text.editable:
        found = _synonyms(text.words[position], tags[position], same_pos, released)
        positions += [position] * len(found)
        words += found
    return text.variants(positions, words)


def _foreign_swaps(text: Text, language: str) -> Variants:
    # No tagger tells words that carry grammar from others that are written alike: "la" is no tone here.
    net, kept = open_wordnet(language), stop_words_of(language)
    spots = [at for at in text.editable if text.words[at].lower() not in kept]
    pairs = [(at, in_case_of(text.words[at], other)) for at in spots for other in net.synonyms(text.words[at])]
    return text.variants([at for at, _ in pairs], [word for _, word in pairs])


def word_synonyms(word: str, tag: str) -> tuple[str, ...]:
    """Return the single-word WordNet synonyms of a word with this Penn tag, in the case of the word."""
    return _synonyms(word, tag, True, False)


@lru_cache(maxsize=200_000)
def _synonyms(word: str, tag: str, same_pos: bool, released: bool) -> tuple[str, ...]:
    if released:
        return _released_synonyms(word, tag)
    if same_pos and not tag.startswith(_OPEN_TAGS):
        return ()
    found = wordnet().synonyms(word, wordnet_pos(tag) if same_pos else None)
    return tuple(in_case_of(word, synonym) for synonym in found if " " not in synonym)


def _released_synonyms(word: str, tag: str) -> tuple[str, ...]:
    """Phrases of two words cut to the first, other base form, same fine tag by itself, never "be"."""
    if not tag.startswith((*_OPEN_TAGS, "CC")):
        return ()
    net, pos = wordnet(), wordnet_pos(tag)
    bases = set(net.base_forms(word.lower(), pos)) if pos else {word.lower()}
    kept: dict[str, None] = {}
    for synonym in net.synonyms(word, pos):
        first, *rest = synonym.split(" ")
        same_lemma = bool(pos) and bases & set(net.base_forms(first.lower(), pos or ""))
        ((alone, *_),) = tagger("textblob")([[first]])
        if len(rest) <= 1 and not same_lemma and alone == tag and first not in ("be", word):
            kept[first] = None
    return tuple(kept)


def neighbour_words(word: str, count: int, cosine: float) -> tuple[str, ...]:
    """Return the nearest words by counter-fitted vectors, nearest first, in the case of the original."""
    return _neighbours(counter_fitted(), word, count, cosine)


def vector_words(word: str, cosine: float) -> tuple[str, ...]:
    """Return the nearest words by GloVe vectors, at most a hundred, nearest first, in the case of the original."""
    return _neighbours(glove_neighbours(), word, _NEAREST, cosine)


@lru_cache(maxsize=200_000)
def _neighbours(source: Neighbours, word: str, count: int, cosine: float) -> tuple[str, ...]:
    words: Sequence[str] = source.of(word, count, cosine)[0]
    return tuple(in_case_of(word, neighbour) for neighbour in words)


def in_case_of(word: str, new: str) -> str:
    """Write a new word as the old one is written, so that case alone never decides."""
    if word.islower():
        return new
    if len(word) > 1 and word.isupper():
        return new.upper()
    return new[:1].upper() + new[1:] if word[:1].isupper() else new
