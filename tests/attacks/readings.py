"""What a plain reading of an attack asks with: a toy victim, and the distinct texts it was asked about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tests.toys import BagOfWords, labelled, outcomes

from unfool.attacks import find_attack
from unfool.engine import Outcome, Status
from unfool.text import Text

STRINGS = [
    "a good film with a fine cast and a clever plot",
    "The story is dull, the acting awful; I left early!",
    "great fun for the whole family",
    "it is the worst movie of the year, badly written",
    "film",
    "",
]


class Reader:
    """Asks about words, joined as they stand in the text, and counts distinct strings."""

    def __init__(self, text: Text, victim: BagOfWords) -> None:
        self.text, self.victim = text, victim
        self.gold = victim.label(text.strings)
        self.asked = set[str]()

    def __call__(self, words: Sequence[str], gaps: Sequence[str] | None = None) -> float:
        """One minus the probability of the right label, as the engine rounds it."""
        string = self.rendered(words, gaps)
        self.asked.add(string)
        return round(1 - self.belief(string), 6)

    def belief(self, string: str) -> float:
        return round(float(self.victim.probability_row((string,))[self.gold]), 6)

    def rendered(self, words: Sequence[str], gaps: Sequence[str] | None = None) -> str:
        gaps = self.text.gaps if gaps is None else gaps
        return "".join(part for pair in zip(gaps, (*words, ""), strict=True) for part in pair)

    def fooled(self, words: Sequence[str]) -> bool:
        return self.victim.label((self.rendered(words),)) != self.gold

    def fooled_by(self, words: Sequence[str], gaps: Sequence[str]) -> bool:
        """Whether words and the gaps around them fool."""
        return self.victim.label((self.rendered(words, gaps),)) != self.gold

    def replaced(self, words: Sequence[str], at: int, word: str) -> list[str]:
        return [*words[:at], word, *words[at + 1 :]]


def largest(scores: Iterable[float]) -> int:
    """The number of the largest score; the first of equals."""
    found = list(scores)
    return found.index(max(found))


def attacked(spec: str, strings: Sequence[str] = STRINGS, *, lean: float = 0.0) -> list[tuple[Outcome, Reader]]:
    """What an attack finds on the toy victim, each with a reader of its text."""
    victim = BagOfWords(lean=lean)
    samples = labelled(victim, strings)
    found = outcomes(victim, samples, find_attack(spec), seed=3)
    return [(outcome, Reader(sample.text, victim)) for outcome, sample in zip(found, samples, strict=True)]


def assert_same(outcome: Outcome, reader: Reader, words: Sequence[str]) -> None:
    """The attack ends with the reading's text after as many queries."""
    assert outcome.perturbed == (reader.rendered(words),)
    assert outcome.queries == len(reader.asked)
    assert (outcome.status is Status.SUCCESS) == reader.fooled(words)
