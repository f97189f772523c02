"""BAE and CLARE with their window similarity on, against plain readings: what is refused, what comes instead."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.attacks.readings import Reader, attacked
from tests.attacks.test_masked_attacks import (
    HARD,
    MODEL,
    Gaps,
    Words,
    assert_same_text,
    content,
    inserted,
    joined,
    merged,
    replaced,
    without,
)

from unfool.attacks.parts.constrain import same_tag_in_context
from unfool.attacks.parts.propose import tag_text
from unfool.lexicon.encoders import sentence_encoder
from unfool.text import Text

pytestmark = pytest.mark.usefixtures("lexicons")
LONG = [
    "the film is good, the plot is fine: a great film is not a dull film",
    "the lovely plot is not bad, a dull film is not great; the awful film is a good plot",
    "a great film is lovely",
]
WIDE = 15
"""Words of a window; the words of the texts are tokens of the toy, which reads few of them."""


class Windows:
    """Compares the fifteen words around an edit with those around the word of the original, and counts refusals."""

    def __init__(self, ask: Reader, least: float) -> None:
        self.ask, self.least, self.refused = ask, least, 0

    def best(self, ways: Sequence[tuple[int, int, tuple[Words, Gaps]]], reached: float) -> tuple[int, float] | None:
        """The number of the way that does most of those that stay near, and what it does."""
        gains = [self.ask(*way) for _, _, way in ways]
        for number in sorted(range(len(ways)), key=lambda number: -gains[number]):
            if gains[number] <= reached:
                return None
            at, position, (words, gaps) = ways[number]
            if self._near(at, position, words, gaps):
                return number, gains[number]
            self.refused += 1
        return None

    def _near(self, at: int, position: int, words: Words, gaps: Gaps) -> bool:
        text = self.ask.text
        if len(text.words) < WIDE:
            return True
        pair = [window(text.words, text.gaps, at), window(words, gaps, min(position, len(words) - 1))]
        first, second = sentence_encoder("minilm").encode(pair)
        return round(float(first @ second), 5) >= self.least


def window(words: Sequence[str], gaps: Sequence[str], position: int) -> str:
    """Fifteen words as they stand: seven on either side, or more of one where the other ends."""
    start = min(max(0, position - WIDE // 2), max(0, len(words) - WIDE))
    some = words[start : start + WIDE]
    between = ["", *gaps[start + 1 : start + len(some)]]
    return "".join(gap + word for gap, word in zip(between, some, strict=True))


@pytest.mark.parametrize("change", ["replace", "insert"])
def test_bae_takes_the_best_that_stays_near(change: str) -> None:
    refused = edits = 0
    for outcome, ask in attacked(f"bae:change={change},candidates=40,similarity=0.9,{MODEL}", LONG, lean=HARD):
        words, gaps, spots = list(ask.text.words), list(ask.text.gaps), content(ask)
        reached, near = ask(words, gaps), Windows(ask, 0.9)
        scores, tags, moved = without(ask, spots, None), tag_text(ask.text), [0] * (len(words) + 1)
        for at in sorted(spots, key=lambda at: -scores[spots.index(at)]):
            here = at + sum(moved[: at + 1])
            if change == "replace":
                found = replaced(words, gaps, here, 40)
                text = Text.of(joined(words, gaps))
                fits = same_tag_in_context(text, here, tags[at], [new[here] for new, _ in found])
                ways = [(at, here, way) for way, fit in zip(found, fits, strict=True) if fit]
            else:
                ways = [(at, here + side, way) for side in (0, 1) for way in inserted(words, gaps, here + side, 40)]
            best = near.best(ways, reached)
            if best is not None:
                _, position, (words, gaps) = ways[best[0]]
                reached, edits = best[1], edits + 1
                if change == "insert":
                    moved[at + position - here] += 1
            if ask.fooled_by(words, gaps):
                break
        refused += near.refused
        assert_same_text(outcome, ask, words, gaps)
    assert refused
    assert edits


def test_clare_takes_the_best_that_stays_near() -> None:
    refused = edits = 0
    spec = f"clare:candidates=12,chance=0.001,similarity=0.85,{MODEL}"
    for outcome, ask in attacked(spec, LONG, lean=HARD):
        words, gaps = list(ask.text.words), list(ask.text.gaps)
        where, fresh, untouched = list(range(len(words))), content(ask), set(ask.text.editable)
        reached, near = ask(words, gaps), Windows(ask, 0.85)
        while fresh:
            ways: list[tuple[int, int, tuple[Words, Gaps]]] = []
            for at in fresh:
                ways += [(at, where[at], way) for way in replaced(words, gaps, where[at], 12, 0.001)]
            for at in fresh:
                ways += [(at, where[at] + 1, way) for way in inserted(words, gaps, where[at] + 1, 12, 0.001)]
            for at in fresh:
                if at + 1 in untouched and where[at + 1] == where[at] + 1:
                    ways += [(at, where[at], way) for way in merged(words, gaps, where[at], 12, 0.001)]
            best = near.best(ways, reached)
            if best is None:
                break
            edits += 1
            reached, before = best[1], len(words)
            at, _, (words, gaps) = ways[best[0]]
            grown = len(words) - before
            where = [spot + grown * (spot > where[at]) for spot in where]
            untouched -= {at, at + 1} if grown < 0 else {at}
            fresh = [each for each in fresh if each in untouched]
            if ask.fooled_by(words, gaps):
                break
        refused += near.refused
        assert_same_text(outcome, ask, words, gaps)
    assert refused
    assert edits
