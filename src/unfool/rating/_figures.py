"""The figures of a study, and exactly what each one means."""

from __future__ import annotations

from dataclasses import dataclass, field

from unfool.rating._careless import Excluded
from unfool.runs import Valid
from unfool.stats import Rate


@dataclass(frozen=True)
class Accuracy:
    """How often people give the right label to the original texts, or to those that one run changed."""

    version: str
    votes: Rate
    """Of all votes, the right ones: the papers' human accuracy."""
    majority: Rate
    """Of all texts, those to which most raters give the right label."""
    undecided: int
    """Texts without a majority; they count as wrong above."""
    median_rater: float | None
    """The median of the raters' own accuracies."""


@dataclass(frozen=True)
class Readability:
    """How natural one method's texts are beside the others'."""

    method: str
    votes: Rate
    """Of the votes in which it took part, those for it."""
    relative: float | None
    """That share beside the best method's: 100 against 40 votes are 1 and 0.4; None without a common scale."""
    low: float | None
    high: float | None
    strength: float | None = None
    """Its Bradley-Terry strength, the best method's being 1; None for two methods, where it tells no more, and
    where there is none (`Results.no_scale`)."""
    strength_low: float | None = None
    strength_high: float | None = None


@dataclass(frozen=True)
class Scale:
    """Answers from 1 to 5 about the texts of one version."""

    version: str
    mean: float
    """The mean over texts of their raters' mean."""
    low: float
    high: float
    votes: int
    good: Rate
    """Of all votes, those of 4 or 5."""


@dataclass(frozen=True)
class Comment:
    """What a rater wrote beside an answer."""

    rater: str
    item: int
    versions: tuple[str, ...]
    """What the texts of the item are."""
    answer: str
    comment: str


@dataclass(frozen=True)
class Results:
    """What a study found."""

    task: str
    raters: str
    """``people`` or ``model``: these are never mixed."""
    stand_in: str
    """The model that voted, without the `model:` before its name in the votes; empty for people."""
    counted: int
    """Raters whose votes count."""
    votes: int
    """Votes that count; gold items and repeated ones do not."""
    missing: int
    """Votes that items still lack; what others have too many does not make up for it."""
    gold: Rate
    """Of the answers to gold items by raters who count, the right ones."""
    excluded: tuple[Excluded, ...]
    agreement: float | None
    """Krippendorff's alpha: nominal for labels and pairs, ordinal for scales."""
    accuracies: tuple[Accuracy, ...] = ()
    readabilities: tuple[Readability, ...] = ()
    no_scale: str = ""
    """Why more than two methods have no strengths, if they have none."""
    scales: tuple[Scale, ...] = ()
    valid: dict[str, Valid] = field(default_factory=dict)
    """By run, how often the attack fooled the victim and not the people."""
    comments: tuple[Comment, ...] = ()
    """All comments, those of excluded raters included."""
