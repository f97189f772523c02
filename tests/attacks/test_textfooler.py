"""TextFooler against a plain reading of the algorithm: every candidate asked, every filter computed."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from tests.toys import BagOfWords, labelled, outcomes

from unfool.attacks import find_attack
from unfool.attacks.parts.constrain import SHORT_TEXT, angular, text_window
from unfool.engine import Floats, Status
from unfool.errors import UserError
from unfool.lexicon import counter_fitted, stop_words, tagger, universal
from unfool.lexicon.encoders import sentence_encoder
from unfool.text import Text

CANDIDATES = 12
SENTENCES = [
    "the film tells a wonderful story",
    "an awful plot with boring actors",
    "the young director makes a brave and honest movie",
    "a stupid comedy that never gets funny",
    "the music is beautiful but the ending feels cheap and rushed",
    "people will enjoy this charming little picture",
    "it is a slow and empty journey through a strange city",
    "the best performance of the year comes from a new actress in a small part of a large cast",
    "after two hours of noise and smoke the tired hero finally meets the bad guy and loses again",
    "this clever thriller keeps the audience guessing until the last minute and then delivers a real surprise",
    "my friend thought that the dull speech would never end so we quietly left the theatre and found some food",
    "critics praised the careful research while ordinary viewers complained about the length of the old film",
    "great fun",
    "nothing works here",
]


class Rules(NamedTuple):
    delete: bool = True
    similarity: float = 0.5
    against_current: bool = True
    cosine: float = 0.5
    strict: bool = False
    to_original: bool = False
    penn: bool = False
    random_share: float | None = None


RULES = {
    "variant=paper": Rules(),
    "variant=released": Rules(delete=False, similarity=0.7, against_current=False),
    "variant=adjusted": Rules(cosine=0.9, similarity=1 - math.acos(0.98), strict=True),
    "variant=adjusted,cosine=0.5,similarity=0.6": Rules(similarity=0.6, strict=True),
    "short=strict": Rules(strict=True),
    "compare=original": Rules(to_original=True),
    "compare=original,variant=released,similarity=0.5": Rules(
        delete=False, against_current=False, to_original=True
    ),
    "tags=penn": Rules(penn=True),
    "tags=penn,variant=released": Rules(delete=False, similarity=0.7, against_current=False, penn=True),
    "random_share=1.0": Rules(random_share=1.0),
    "random_share=0.5,variant=released": Rules(
        delete=False, similarity=0.7, against_current=False, random_share=0.5
    ),
}
"""Settings, and what a plain reading makes of them."""


@cache
def vectors_known() -> dict[str, Floats]:
    return {}


def encoded(strings: list[str]) -> Floats:
    """The vectors of strings, each computed once: the rules have most windows in common."""
    known = vectors_known()
    new = [string for string in dict.fromkeys(strings) if string not in known]
    if new:
        known.update(zip(new, sentence_encoder().encode(new), strict=True))
    return np.stack([known[string] for string in strings])


class PlainTextFooler:
    """Algorithm 1 of Jin et al. (2020), as the released code does it, without any short cut."""

    def __init__(self, victim: BagOfWords, number: int, sentence: str, rules: Rules) -> None:
        self.victim, self.rules, self.number, self.words = victim, rules, number, sentence.split()
        self.original = self.words
        self.gold = victim.label((sentence,))
        self.threshold = rules.similarity if rules.strict or len(self.words) >= SHORT_TEXT else 0.1

    def ask(self, words: list[str]) -> Floats:
        return np.round(self.victim.probability_row((" ".join(words),)), self.victim.decimals)

    def importance(self, position: int) -> float:
        stand_in = [] if self.rules.delete else ["<oov>"]
        base, without = (
            self.ask(self.words),
            self.ask([*self.words[:position], *stand_in, *self.words[position + 1 :]]),
        )
        answer = int(without.argmax())
        rise = without[answer] - base[answer] if answer != self.gold else 0.0
        return float(base[self.gold] - without[self.gold] + rise)

    def order(self) -> list[int]:
        places, share = len(self.words), self.rules.random_share
        if share is not None:
            drawn: list[int] = np.random.default_rng([0, self.number]).permutation(places).tolist()
            return drawn[: int(places * share)]
        scores = [self.importance(position) for position in range(places)]
        meaningful = [position for position in range(places) if self.words[position] not in stop_words()]
        return sorted(meaningful, key=lambda position: -scores[position])

    def window(self, words: list[str], position: int) -> str:
        half, size = (SHORT_TEXT - 1) // 2, len(words)
        start = max(0, min(position - half, size - SHORT_TEXT))
        return " ".join(words[start : start + SHORT_TEXT])

    def fits(self, old: str, new: str) -> bool:
        if self.rules.penn:
            return old == new
        kinds = {universal(old), universal(new)}
        return len(kinds) == 1 or kinds == {"NOUN", "VERB"}

    def attack(self) -> str:
        (tags,) = tagger("textblob")([self.words])
        reached = self.ask(self.words)[self.gold]
        for position in self.order():
            synonyms = counter_fitted().of(self.words[position], CANDIDATES, self.rules.cosine)[0]
            if not synonyms:
                continue
            texts = [[*self.words[:position], new, *self.words[position + 1 :]] for new in synonyms]
            answers = np.stack([self.ask(text) for text in texts])
            same_kind = np.array([self.fits(tags[position], new[position]) for new in tagger("textblob")(texts)])
            before = self.original if self.rules.to_original else self.words
            vectors = encoded([self.window(text, position) for text in [before, *texts]])
            cosines = np.round(vectors[1:] @ vectors[0], 5)
            allowed = same_kind & (1 - np.arccos(np.clip(cosines, -1, 1)) >= self.threshold)
            fooling = allowed & (answers.argmax(axis=1) != self.gold)
            if fooling.any():
                return " ".join(texts[int(np.where(fooling, cosines, -2).argmax())])
            kept = np.where(allowed, answers[:, self.gold], 2)
            if kept.min() < reached:
                self.words = texts[int(kept.argmin())]
                reached = kept.min() if self.rules.against_current else reached
        return " ".join(self.words)


FIRM, UNSURE = BagOfWords(3, scale=1.5, lean=4.0), BagOfWords(4)


@cache
def plain_ends(victim: BagOfWords, rules: Rules) -> list[str]:
    return [PlainTextFooler(victim, number, text, rules).attack() for number, text in enumerate(SENTENCES)]


@pytest.mark.usefixtures("lexicons")
@pytest.mark.parametrize("settings", RULES)
@pytest.mark.parametrize("victim", [FIRM, UNSURE], ids=["firm", "unsure"])
def test_the_lazy_recipe_ends_where_the_plain_reading_ends(settings: str, victim: BagOfWords) -> None:
    attack = find_attack(f"textfooler:{settings},candidates={CANDIDATES}")
    found = outcomes(victim, labelled(victim, SENTENCES), attack)
    assert [outcome.perturbed[0] for outcome in found] == plain_ends(victim, RULES[settings])
    if RULES[settings].cosine == 0.5:
        assert max(outcome.words_changed for outcome in found if outcome.status is Status.SUCCESS) > 1


@pytest.mark.usefixtures("lexicons")
def test_every_setting_matters() -> None:
    ends = [plain_ends(FIRM, rules) for rules in RULES.values()]
    assert all(first != other for n, first in enumerate(ends) for other in ends[:n])


@pytest.mark.usefixtures("lexicons")
def test_another_encoder_and_no_check_of_short_texts() -> None:
    samples = labelled(FIRM, SENTENCES)
    spec = f"textfooler:candidates={CANDIDATES},short="
    lower, skipped, universal_encoder = (
        outcomes(FIRM, samples, find_attack(spec + end)) for end in ("lower", "skip", "strict,encoder=universal")
    )
    strict = outcomes(FIRM, samples, find_attack(spec + "strict"))
    assert strict != universal_encoder
    for lowered, free in zip(lower, skipped, strict=True):
        if len(lowered.original[0].split()) >= SHORT_TEXT:
            assert lowered == free
    assert sum(outcome.status is Status.SUCCESS for outcome in skipped) >= sum(
        outcome.status is Status.SUCCESS for outcome in strict
    )


@pytest.mark.parametrize("share", ["0.0", "1.1", "-0.5", "nan"])
def test_shares_that_are_none_are_refused(share: str) -> None:
    with pytest.raises(UserError, match=f"random_share={share}"):
        outcomes(FIRM, labelled(FIRM, ["good"]), find_attack(f"textfooler:random_share={share}"))


LONG = Text.of("w0, w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 w12 w13 w14 w15 w16 w17 (w18) w19.")


@pytest.mark.parametrize(
    ("position", "width", "window"),
    [
        (10, 5, "w8 w9 w10 w11 w12"),
        (0, 5, "w0, w1 w2 w3 w4"),
        (1, 5, "w0, w1 w2 w3 w4"),
        (19, 5, "w15 w16 w17 (w18) w19"),
        (18, 5, "w15 w16 w17 (w18) w19"),
        (17, 5, "w15 w16 w17 (w18) w19"),
        (10, 15, "w3 w4 w5 w6 w7 w8 w9 w10 w11 w12 w13 w14 w15 w16 w17"),
        (7, 15, "w0, w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 w12 w13 w14"),
        (13, 15, "w5 w6 w7 w8 w9 w10 w11 w12 w13 w14 w15 w16 w17 (w18) w19"),
        (10, 1, "w10"),
    ],
)
def test_windows(position: int, width: int, window: str) -> None:
    assert text_window(LONG, position, width) == window


def test_the_window_of_a_short_text_is_all_of_it() -> None:
    short = Text.of("Not, so (bad)!")
    assert {text_window(short, position, 15) for position in range(3)} == {"Not, so (bad"}


def test_windows_stay_inside_their_field() -> None:
    pair = Text.pair(("premise", "a b c d"), ("hypothesis", "e f g h"), "hypothesis")
    assert text_window(pair, 4, 3) == "e f g"
    assert text_window(pair, 7, 3) == "f g h"
    assert text_window(pair, 3, 3) == "b c d"


def test_thresholds_are_angles() -> None:
    cosines = np.array([0.955, 0.878, 0.622, 1.0, 0.0, -1.0, 1.0000001], dtype=np.float32)
    np.testing.assert_allclose(angular(cosines), [0.7, 0.5, 0.1, 1, 1 - np.pi / 2, 1 - np.pi, 1], atol=2e-3)
    above, below = angular(np.array([0.9554, 0.9552], dtype=np.float32))
    assert above >= 0.7 > below
