"""What counts as fooling a model that generates: each goal is a short class, found by its name.

A goal looks at one text and says how near it is, from 0 to 1, and whether it is reached. It sees the source before
and after the change, the output before and after, and the reference.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import ClassVar, NamedTuple

from unfool.errors import UserError, did_you_mean
from unfool.generation._similarity import bleu, chrf
from unfool.generation._words import NAMES, NUMBERS, has_word, languages_of_negation, negations, words_of
from unfool.settings import read_settings, split_spec, written


class Translation(NamedTuple):
    """A changed source and what became of it, beside what was there before."""

    source: str
    """The source before the change."""
    changed: str
    clean: str
    """The model's output for the source before the change."""
    output: str
    reference: str | None = None
    """What a person says the output should be; None if nobody did."""
    weights: Sequence[float] = ()
    """For each wanted word, its best log-probability at any place of the output; empty if not told."""


class Score(NamedTuple):
    """How near a text is to the goal, from 0 to 1, and whether it is there."""

    nearness: float
    reached: bool


@dataclass(frozen=True)
class GenerationGoal:
    """Base of the goals. Their fields are settings, and their repr rebuilds them."""

    name: ClassVar[str] = ""
    needs_reference: ClassVar[bool] = False

    def score(self, seen: Translation) -> Score:
        """Judge one text."""
        raise NotImplementedError

    def out_of_reach(self, clean: str) -> str | None:
        """Say why no source with this clean output can ever reach the goal; None if one can."""
        return None

    @property
    def wanted(self) -> tuple[str, ...]:
        """Words whose probability brings the goal nearer; a model that can weigh words is asked about them."""
        return ()

    def __repr__(self) -> str:
        return written(self.name, {field.name: getattr(self, field.name) for field in fields(self)})


@dataclass(frozen=True, repr=False, kw_only=True)
class Degrade(GenerationGoal):
    """The output gets worse by more than the source was changed (TEAPOT; Michel et al., 2019).

    Reached if s(x, x') + d > 1: s is the similarity of the source before and after, d the share of the output's
    similarity to the reference that is lost, at least 0. Without a reference: if s(x, x') exceeds the similarity of
    the outputs before and after. With ``drop``, the source does not count: reached if d is at least the drop.

    Args:
        by: The similarity: ``chrf``, or ``bleu`` of one sentence, smoothed.
        drop: The least share of similarity to lose; None for TEAPOT's rule.
    """

    name: ClassVar[str] = "degrade"
    by: str = "chrf"
    drop: float | None = None

    def __post_init__(self) -> None:
        if self.by not in _SIMILARITIES:
            raise UserError(f"degrade:by={self.by}{did_you_mean(self.by, _SIMILARITIES)}; give chrf or bleu")
        if self.drop is not None and not 0 < self.drop <= 1:
            raise UserError(f"degrade:drop={self.drop:g}; give a number above 0 and up to 1, such as 0.5")

    def score(self, seen: Translation) -> Score:
        """Judge one text."""
        similar = _SIMILARITIES[self.by]
        kept = similar(seen.changed, seen.source)
        if seen.reference is None:
            likeness = similar(seen.output, seen.clean)
            if self.drop is not None:
                return _share(1 - likeness, self.drop)
            return Score(kept / (kept + likeness) if kept + likeness else 0.0, kept > likeness)
        lost = loss(similar(seen.clean, seen.reference), similar(seen.output, seen.reference))
        if self.drop is not None:
            return _share(lost, self.drop)
        return Score((kept + lost) / 2, kept + lost > 1)


@dataclass(frozen=True, repr=False, kw_only=True)
class Differ(GenerationGoal):
    """No word of the output stays at its place (Seq2Sick's non-overlap; Cheng et al., 2018).

    A place that a shorter output no longer has counts as unchanged: to say less is no way to differ. Chinese,
    Japanese and Thai are compared character by character.
    """

    name: ClassVar[str] = "differ"

    def score(self, seen: Translation) -> Score:
        """Judge one text."""
        before, after = words_of(seen.clean), words_of(seen.output)
        differing = sum(old != new for old, new in zip(before, after, strict=False))
        return _share(differing / len(before) if before else 0.0, 1.0)

    def out_of_reach(self, clean: str) -> str | None:
        """Say so if there is no word that could differ."""
        return None if words_of(clean) else "no word in the clean output"


@dataclass(frozen=True, repr=False, kw_only=True)
class Keyword(GenerationGoal):
    """Given words appear in the output, where they were not before (the targeted keyword attack).

    Args:
        words: The words, joined by ``+``; each is matched as a whole word, case counts. Where a script puts no
            spaces between words, it may stand anywhere.
    """

    name: ClassVar[str] = "keyword"
    words: str = ""

    def __post_init__(self) -> None:
        if not self.wanted:
            raise UserError("the goal keyword names no word; write keyword=Art, or keyword=Art+Haus for both")

    @property
    def wanted(self) -> tuple[str, ...]:
        """The words."""
        return tuple(word for word in self.words.split("+") if word)

    def score(self, seen: Translation) -> Score:
        """Judge one text."""
        there = [has_word(seen.output, word) for word in self.wanted]
        if all(there):
            return Score(1.0, True)
        # Each word counts alike; one that is there counts in full, the others by the log-probability they reach,
        # or, of a model that tells none, by the letters of the word most like them.
        near = [1 - min(-weight, _FAR) / _FAR for weight in seen.weights] or [
            min(_NEARLY, max((chrf(said, word) for said in words_of(seen.output)), default=0.0))
            for word in self.wanted
        ]
        parts = [1.0 if found else nearness for found, nearness in zip(there, near, strict=True)]
        return Score(sum(parts) / len(parts), False)


@dataclass(frozen=True, repr=False, kw_only=True)
class Vanish(GenerationGoal):
    """What the output said is no longer in it: names, numbers or negation.

    A source whose clean output has none of these is left out.

    Args:
        what: ``names`` (words with a capital inside the sentence; in German every noun is one), ``numbers`` (in
            digits), ``negation-en`` (or de, es, fr, it, nl, pt), or words of your own joined by ``+``.
    """

    name: ClassVar[str] = "vanish"
    what: str = "numbers"

    def __post_init__(self) -> None:
        kind, _, language = self.what.partition("-")
        if kind == _NEGATION and language not in languages_of_negation():
            known = ", ".join(languages_of_negation())
            raise UserError(
                f"vanish={self.what}: name the outputs' language, as in vanish={_NEGATION}-en; there are {known}"
            )

    def score(self, seen: Translation) -> Score:
        """Judge one text; an output that never had such words cannot lose them."""
        had = self._found(seen.clean)
        if not had:
            return Score(0.0, False)
        # One way to say no may stand for another; a name or a number stands for itself.
        lost = (
            len(had) - len(self._found(seen.output))
            if self._negates
            else sum(not has_word(seen.output, word) for word in had)
        )
        return _share(max(0, lost) / len(had), 1.0)

    def out_of_reach(self, clean: str) -> str | None:
        """Say so if nothing is there that could vanish."""
        return None if self._found(clean) else f"nothing to vanish ({self.what}) in the clean output"

    @property
    def _negates(self) -> bool:
        return self.what.partition("-")[0] == _NEGATION

    def _found(self, output: str) -> list[str]:
        if self._negates:
            pattern = negations(self.what.partition("-")[2])
        elif self.what not in _KINDS_OF_WORDS:
            return [word for word in self.what.split("+") if word and has_word(output, word)]
        else:
            pattern = _KINDS_OF_WORDS[self.what]
        return list(dict.fromkeys(pattern.findall(output)))


@dataclass(frozen=True, repr=False, kw_only=True)
class Unchanged(GenerationGoal):
    """The output stays the same although the source says something else now.

    The attack must see to it that it does: antonyms and other numbers, not synonyms.
    """

    name: ClassVar[str] = "unchanged"

    def score(self, seen: Translation) -> Score:
        """Judge one text."""
        if seen.changed == seen.source:
            return Score(0.0, False)
        return Score(chrf(seen.output, seen.clean), seen.output == seen.clean)


@dataclass(frozen=True, repr=False, kw_only=True)
class Grow(GenerationGoal):
    """The output becomes much longer than it was, or repeats itself.

    Args:
        times: How many times as many words it must have, or how many times as often it must say each of them on
            average. Of Chinese, Japanese and Thai, characters are counted.
    """

    name: ClassVar[str] = "grow"
    times: float = 2.0

    def __post_init__(self) -> None:
        if self.times <= 1:
            raise UserError(f"grow:times={self.times:g}; give a number above 1, such as 2")

    def score(self, seen: Translation) -> Score:
        """Judge one text."""
        before, after = words_of(seen.clean), words_of(seen.output)
        longer = len(after) / max(1, len(before))
        return _share(max(longer, _repetition(after) / _repetition(before)) / self.times, 1.0)


GOALS = {goal.name: goal for goal in (Degrade, Differ, Keyword, Vanish, Unchanged, Grow)}


def find_goal(spec: str) -> GenerationGoal:
    """Return the goal written as ``degrade``, ``degrade:by=bleu`` or ``keyword=Art``.

    Raises:
        UserError: An unknown goal or setting, with a suggestion.
    """
    short = re.fullmatch(r"(keyword|vanish)=(.+)", spec)
    name, given = (
        (short[1], {"words" if short[1] == "keyword" else "what": short[2]}) if short else split_spec(spec)
    )
    if name not in GOALS:
        raise UserError(f"unknown goal {name!r}{did_you_mean(name, GOALS)}; there are {', '.join(GOALS)}")
    kind = GOALS[name]
    return kind(**read_settings(f"the goal {name!r}", kind, given))


def told_goals() -> dict[str, str]:
    """Return the goals by name with a sentence about each."""
    return {name: (inspect.getdoc(goal) or "").partition("\n")[0] for name, goal in GOALS.items()}


def loss(before: float, after: float) -> float:
    """Return the share of a similarity that is lost, at least 0; nothing can be lost of nothing."""
    return max(0.0, (before - after) / before) if before else 0.0


def _share(share: float, wanted: float) -> Score:
    return Score(min(1.0, share / wanted), share >= wanted)


def _repetition(words: Sequence[str]) -> float:
    """Return how often each word is said on average."""
    return len(words) / len(set(words)) if words else 1.0


_SIMILARITIES = {"chrf": chrf, "bleu": bleu}
_FAR = 30.0
"""A log-probability so far down that a word counts as out of reach."""
_NEARLY = 0.99
_NEGATION = "negation"
_KINDS_OF_WORDS = {"names": NAMES, "numbers": NUMBERS}
