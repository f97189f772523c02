"""The figures of a run, of all texts and label by label, and exactly what each one means."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from itertools import accumulate, count
from typing import Any, NamedTuple

from unfool.engine import NOTHING_PROPOSED, Outcome, Status
from unfool.runs._outputs import OutputFigures
from unfool.stats import Rate, percentage
from unfool.storage import as_plain, check_fields

_SILENT = dict.fromkeys(("value", "low", "high"))
"""What stands for the figures of a rate that tells nothing."""


class _Attacked:
    """What the attacked samples of a run, or of one label, came to."""

    __slots__ = ()
    attacked: int
    successes: int
    untried: int

    @property
    def success_rate_tried(self) -> Rate:
        """Of the attacked samples on which something was tried, the successes."""
        return Rate(self.successes, self.attacked - self.untried)

    @property
    def telling(self) -> bool:
        """Whether the success rate speaks of the victim: not where most samples had nothing tried on them."""
        return 2 * self.untried <= self.attacked


@dataclass(slots=True)
class ClassFigures(_Attacked):
    """The figures of the texts that have one right label."""

    label: int
    """The number of the label, as the victim has it."""
    attacked: int = 0
    successes: int = 0
    """Attacked samples on which the victim was fooled."""
    untried: int = 0
    """Attacked samples for which the attack proposed no change."""
    answers: dict[int, int] = field(default_factory=dict)
    """How often the victim gave each label before any attack, by the label's number."""

    def add(self, outcome: Outcome) -> None:
        """Count an outcome."""
        self.answers[outcome.before.label] = self.answers.get(outcome.before.label, 0) + 1
        self.attacked += outcome.status is not Status.SKIPPED
        self.successes += outcome.status is Status.SUCCESS
        self.untried += outcome.reason == NOTHING_PROPOSED

    @property
    def samples(self) -> int:
        """Samples with an outcome: skipped and attacked."""
        return sum(self.answers.values())

    @property
    def skipped(self) -> int:
        """Samples that were not attacked."""
        return self.samples - self.attacked

    @property
    def clean_accuracy(self) -> Rate:
        """Of the samples, those the victim has right before any attack."""
        return Rate(self.answers.get(self.label, 0), self.samples)

    @property
    def success_rate(self) -> Rate:
        """Of the attacked samples, the successes."""
        return Rate(self.successes, self.attacked)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for a JSON file; a success rate that tells nothing is None."""
        return {
            "label": self.label,
            "samples": self.samples,
            "skipped": self.skipped,
            "attacked": self.attacked,
            "successes": self.successes,
            "clean_accuracy": self.clean_accuracy.to_dict(),
            "success_rate": self.success_rate.to_dict() | ({} if self.telling else _SILENT),
            "answers": dict(sorted(self.answers.items())),
            "untried": self.untried,
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> ClassFigures:
        """Return the figures `to_dict` described."""
        answers = {int(label): times for label, times in plain["answers"].items()}
        return cls(plain["label"], plain["attacked"], plain["successes"], plain["untried"], answers)


_RATES = ("clean_accuracy", "accuracy_under_attack", "success_rate")


class CurvePoint(NamedTuple):
    """The share of the attacked samples that fell with at most ``queries`` queries."""

    queries: int
    success_rate: float


class Repeated(NamedTuple):
    """Texts asked several times; those without an answer each time are left out."""

    texts: int
    times: int
    changed_label: int
    """Texts that did not get the same label each time."""
    changed_at_all: int
    """Texts whose probabilities moved."""

    @property
    def random(self) -> bool:
        """Whether answers move at all."""
        return self.changed_at_all > 0

    @property
    def told(self) -> str:
        """What to tell of a victim whose answers move."""
        return (
            f"This victim answers at random: asked twice about the same {self.texts} texts, it gave other answers "
            f"to {self.changed_at_all} and another label to {self.changed_label}. A success may be chance: "
            "run it again, or see --eot for defences that draw."
        )


@dataclass(frozen=True, slots=True)
class Summary(_Attacked):
    """The figures of a run. Samples that ended in an error have no outcome and count in ``errors`` alone."""

    samples: int
    """Samples with an outcome: skipped and attacked."""
    skipped: int
    """Samples there was no need to attack, mostly since the victim is wrong on them anyway."""
    attacked: int
    successes: int
    """Attacked samples on which the victim was fooled."""
    failures: Mapping[str, int]
    """Attacked samples on which it was not, counted by reason."""
    errors: int
    """Samples for which no result could be had."""
    clean_accuracy: Rate
    """Of all samples, those the victim has right before any attack."""
    accuracy_under_attack: Rate
    """Of all samples, those the victim has right before and on which the attack did not succeed."""
    success_rate: Rate
    """Of the attacked samples, the successes; skipped samples do not count."""
    words_changed: float | None
    """Mean over the successes of the percentage of words changed."""
    characters_changed: float | None
    """Mean over the successes of the percentage of characters changed."""
    queries_mean: float | None
    """Mean number of queries over the attacked samples."""
    queries_median: float | None
    success_queries_mean: float | None
    """Mean number of queries over the successes."""
    success_queries_median: float | None
    curve: tuple[CurvePoint, ...]
    """Success rate against query budget: 10, 20, 50, 100, … up to the dearest attack."""
    similarity: float | None
    """Mean similarity of original and perturbed sentence over the successes, if an encoder was asked."""
    notes: Mapping[str, float] = field(default_factory=dict)
    """Figures of the attack's own, each a mean over the attacked samples that have it."""
    random_answers: Repeated | None = None
    """What came of asking about some texts twice, if the victim did not answer the same."""
    unanswered: int = 0
    """Queries of all samples that brought no answer."""
    untried: int = 0
    """Attacked samples for which the attack proposed no change: nothing was tried on them."""
    classes: tuple[ClassFigures, ...] = ()
    """The figures of each right label that occurs, in the order of their numbers; empty in runs of old versions."""
    outputs: OutputFigures | None = None
    """What the attack did to the outputs of a model that generates; None for a classifier."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for a JSON file, shares and intervals spelt out; those that tell nothing are None."""
        plain = {each.name: as_plain(getattr(self, each.name)) for each in fields(self)}
        for name in () if self.telling else ("accuracy_under_attack", "success_rate"):
            plain[name] |= _SILENT
        for name in ("random_answers", "outputs"):
            if plain[name] is None:
                del plain[name]
        return {**plain, "success_rate_tried": self.success_rate_tried.to_dict()}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Summary:
        """Return the summary `to_dict` described."""
        values = {each.name: plain[each.name] for each in fields(cls) if each.name in plain}
        for name in _RATES:
            values[name] = Rate(plain[name]["count"], plain[name]["of"])
        if "random_answers" in plain:
            values["random_answers"] = Repeated(**plain["random_answers"])
        if "outputs" in plain:
            values["outputs"] = OutputFigures.from_dict(plain["outputs"])
        values["curve"] = tuple(CurvePoint(**point) for point in plain["curve"])
        values["classes"] = tuple(map(ClassFigures.from_dict, plain.get("classes", ())))
        summary = cls(**values)
        check_fields(summary)
        if not all(0 <= rate.count <= rate.of for rate in (getattr(summary, name) for name in _RATES)):
            raise ValueError("a share is more than the whole")
        return summary


def summarise(
    outcomes: Iterable[Outcome],
    errors: int = 0,
    similarity: float | None = None,
    asked_again: Repeated | None = None,
    outputs: OutputFigures | None = None,
) -> Summary:
    """Take the figures of outcomes in one pass, holding no more than how often each number of queries occurs."""
    samples = skipped = right = right_after = unanswered = 0
    words = characters = 0.0
    reasons: Counter[str] = Counter()
    attacked: Counter[int] = Counter()  # how many attacks took so many queries
    fooled: Counter[int] = Counter()
    noted: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0])  # sum and number
    classes = dict[int, ClassFigures]()
    for outcome in outcomes:
        samples += 1
        classes.setdefault(outcome.label, ClassFigures(outcome.label)).add(outcome)
        is_right, success = outcome.before.label == outcome.label, outcome.status is Status.SUCCESS
        right += is_right
        right_after += is_right and not success
        if outcome.status is Status.SKIPPED:
            skipped += 1
            continue
        attacked[outcome.queries] += 1
        unanswered += outcome.unanswered
        for name, value in outcome.notes.items():
            noted[name][0] += value
            noted[name][1] += 1
        if success:
            fooled[outcome.queries] += 1
            words += percentage(outcome.words_changed, outcome.words)
            characters += percentage(outcome.characters_changed, outcome.characters)
        else:
            reasons[outcome.reason] += 1
    successes = fooled.total()
    return Summary(
        samples=samples,
        skipped=skipped,
        attacked=attacked.total(),
        successes=successes,
        failures=dict(sorted(reasons.items())),
        errors=errors,
        clean_accuracy=Rate(right, samples),
        accuracy_under_attack=Rate(right_after, samples),
        success_rate=Rate(successes, attacked.total()),
        words_changed=words / successes if successes else None,
        characters_changed=characters / successes if successes else None,
        queries_mean=_mean(attacked),
        queries_median=_median(attacked),
        success_queries_mean=_mean(fooled),
        success_queries_median=_median(fooled),
        curve=tuple(_curve(attacked, fooled)),
        similarity=similarity,
        notes={name: total / times for name, (total, times) in sorted(noted.items())},
        random_answers=asked_again if asked_again and asked_again.random else None,
        unanswered=unanswered,
        untried=reasons[NOTHING_PROPOSED],
        classes=tuple(figures for _, figures in sorted(classes.items())),
        outputs=outputs,
    )


def _mean(counts: Counter[int]) -> float | None:
    return sum(value * times for value, times in counts.items()) / counts.total() if counts else None


def _median(counts: Counter[int]) -> float | None:
    if not counts:
        return None
    values = sorted(counts)
    up_to = list(accumulate(counts[value] for value in values))
    low, high = (values[bisect_right(up_to, place)] for place in ((up_to[-1] - 1) // 2, up_to[-1] // 2))
    return (low + high) / 2


def _curve(attacked: Counter[int], fooled: Counter[int]) -> Iterator[CurvePoint]:
    if not attacked:
        return
    for budget in (digit * 10**power for power in count(1) for digit in (1, 2, 5)):
        within = sum(times for queries, times in fooled.items() if queries <= budget)
        yield CurvePoint(budget, within / attacked.total())
        if budget >= max(attacked):
            return
