"""How many candidates a language model would take from the genetic attack (Yuan et al., 2021, section 3.1).

They leave the model out, since it rules out 65 % of the candidates on average. How many it keeps of each word
decides that, not which: the attack's authors keep the four likeliest. So candidates are counted, and no model is
asked.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any, NamedTuple

from unfool import data as data_room
from unfool.attacks.parts.propose import neighbour_words, synonym_swaps
from unfool.text import Text
from unfool_papers.study.plan import Part, Section, Table, Work

PAPER = 65
_KEPT = 4
_NEAREST, _COSINE = 8, 0.75
"""The authors' own candidates: the eight nearest counter-fitted vectors at a squared distance under 0.5."""


class Candidates(NamedTuple):
    """Whose candidates are counted."""

    data: str
    n: int = 1000


def left_out(asked: Candidates) -> dict[str, Any]:
    """Return how many candidates there are, and how many are left out where at most four of a word are kept."""
    texts = [sample.text for sample in data_room.load(asked.data, split="test").sample(asked.n, seed=0)]
    found = {"WordNet, same part of speech": _synonyms(texts), "counter-fitted, eight nearest": _neighbours(texts)}
    return {
        "data": asked.data,
        "texts": len(texts),
        "kept of a word": _KEPT,
        "sources": {name: _counted(counts) for name, counts in found.items()},
    }


def _synonyms(texts: list[Text]) -> list[int]:
    return [count for text in texts for count in Counter(synonym_swaps(text).positions).values()]


def _neighbours(texts: list[Text]) -> list[int]:
    counts = (
        len(neighbour_words(text.words[place], _NEAREST, _COSINE)) for text in texts for place in text.editable
    )
    return [count for count in counts if count]


def _counted(counts: list[int]) -> dict[str, float]:
    """Count over all candidates, and over words, each of which then weighs as much."""
    shares = [max(0, count - _KEPT) / count for count in counts]
    return {
        "words": len(counts),
        "candidates": sum(counts),
        "left out %": round(100 * sum(max(0, count - _KEPT) for count in counts) / sum(counts), 1),
        "left out of a word, mean %": round(100 * sum(shares) / len(shares), 1),
    }


def candidates_part(*asked: Candidates) -> Part:
    """Return the part that counts the candidates of each data set."""
    return Part("Candidates for the genetic attack", partial(_count, asked), takes_kept=True)


def _count(asked: tuple[Candidates, ...], work: Work) -> Section:
    work.say(f"candidates of {len(asked)} data sets")
    found = [left_out(each) for each in asked]
    return Section(
        tables=[
            Table(
                f"Candidates left out where a language model keeps {_KEPT} of a word [paper: {PAPER} % on average]",
                ["data", "texts", "candidates from", "words", "candidates", "left out, %", "of a word, mean %"],
                [
                    [each["data"], str(each["texts"]), name, *(f"{value:,}" for value in counted.values())]
                    for each in found
                    for name, counted in each["sources"].items()
                ],
            )
        ],
        notes=[
            "The paper does not say how many candidates its language model keeps; the attack's authors keep four "
            "of eight. Which four decides nothing here, so no model is asked."
        ],
        values={each["data"]: each for each in found},
    )
