"""HotFlip on words (Ebrahimi et al., 2018): one or two flips to words that mean the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from unfool.attacks import attack, refuse_below
from unfool.attacks.parts.one_token import Spot, words_read_as_one
from unfool.attacks.parts.propose import tag_text, vector_words
from unfool.attacks.parts.rank import ranked
from unfool.attacks.parts.search import Path, Slopes, Step, beam_search
from unfool.engine import Ask, Floats
from unfool.lexicon import stop_words, universal, wordnet
from unfool.text import Sample, Text
from unfool.victims import Gradients, WordEmbeddings

_DECIMALS = 5


@attack(needs=("gradients", "embeddings"), language="English")
async def hotflip_word(
    sample: Sample,
    ask: Ask,
    *,
    flips: int = 2,
    width: int = 10,
    cosine: float = 0.8,
    positions: Literal["all", "best"] = "all",
) -> Text:
    """Replace one or two words by near ones of the same part of speech, chosen by the gradient.

    Stop words (NLTK's list) are left alone, and no word is replaced by another form of itself. Words are near by
    their GloVe vectors, from which most of the zoo's word nets start.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        flips: The most words replaced.
        width: How many texts are followed at once; 1 is the greedy search.
        cosine: The least cosine of a word and its replacement.
        positions: ``all``: any word may be replaced. ``best``: as in the released code, only the one at which any
            word of the vocabulary, near or not, would raise the loss most; if that is a stop word, nothing is
            flipped. That code takes the second flip from the first gradient, and only in texts of more than ten
            words; here it has a gradient of its own.
    """
    refuse_below("hotflip-word", 1, flips=flips, width=width)
    known: WordEmbeddings = ask.offer("embeddings")

    slopes = Slopes(ask, one_hot=False)

    async def grow(beam: Sequence[Path]) -> list[Iterable[Step]]:
        return [following(path, slope) for path, slope in zip(beam, slopes.found, strict=True)]

    def following(path: Path, slope: Gradients) -> Iterator[Step]:
        text = path.text
        spots = words_read_as_one(text, sample.text, slope, known)
        if positions == "best":
            spots = _where_any_word_hurts_most(spots, slope, known)
        changes = [
            (spot, word, row)
            for spot in spots
            if text.words[spot.position].lower() not in stop_words("nltk")
            for word in vector_words(text.words[spot.position], cosine)
            if (row := known.row(word)) is not None and not same_lexeme(text.words[spot.position], word)
        ]
        ways = [known.matrix[row] - known.matrix[spot.row] for spot, _, row in changes]
        there = [slope.gradient[spot.token] for spot, _, _ in changes]
        gains = _rounded([way @ steep / np.sqrt(2) for way, steep in zip(ways, there, strict=True)])
        tags = tag_text(text)
        for number in ranked(gains):
            (position, *_), word, _ = changes[number]
            after = tag_text(text.replace(position, word))[position]
            if universal(after) == universal(tags[position]):
                yield Step(path.score + float(gains[number]), position, word)

    await slopes.look([sample.text])
    return await beam_search(ask, sample.text, grow, width=width, steps=flips, look=slopes.look)


def _where_any_word_hurts_most(spots: list[Spot], slope: Gradients, known: WordEmbeddings) -> list[Spot]:
    slopes = slope.gradient[[spot.token for spot in spots]]
    own = (slopes * known.matrix[[spot.row for spot in spots]]).sum(axis=1)
    gains = _rounded((slopes @ known.matrix.T).max(axis=1) - own)
    return [spots[number] for number in ranked(gains)[:1]]


def _rounded(gains: ArrayLike) -> Floats:
    values: Floats = np.asarray(gains, dtype=np.float32)
    return np.asarray(np.round(values, _DECIMALS), dtype=np.float32)


@lru_cache(maxsize=200_000)
def same_lexeme(first: str, second: str) -> bool:
    """Whether two words share a base form in WordNet, or one is the other with *un-*, *-s*, *-ing* or *-ed*.

    The affixes are the released HotFlip code's whole rule; *un-* makes another lexeme, but the opposite one.
    """
    a, b = sorted((first.lower(), second.lower()), key=len)
    affixed = {f"un{a}", *(a + behind for behind in ("s", "ing", "ed"))}
    return b in affixed or a == b or bool(_bases(a) & _bases(b))


def _bases(word: str) -> set[str]:
    return {base for pos in "nvar" for base in wordnet().base_forms(word, pos)}
