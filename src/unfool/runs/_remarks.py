"""What a reader must know before the figures of a run: sentences that terminal, page and JSON all show.

To add one, write a function of what is known that returns a sentence or None, and add it to `_REMARKS`. A fact that
was seen while the attack ran, and does not decide its result, travels in the session's environment (`Run.create`).
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from unfool.labels import are_numbers, match_labels
from unfool.runs._summary import ClassFigures, Summary
from unfool.stats import Rate, wilson
from unfool.storage import JSON

_FEWEST = 4
"""Texts all answered wrongly that are worth a word; of two labels, a coin does it once in sixteen."""


class Naming(NamedTuple):
    """How the labels of victim and data came by their names."""

    victims: Sequence[str]
    datas: Sequence[str]
    are_sorted: bool = False
    """Whether the data's are names that got their numbers in sorted order."""
    given: bool = False
    """Whether the user named the data's."""
    renamed: Mapping[str, str] = {}
    """The names that the user gave to labels, by what they were before."""
    in_order: bool = False
    """Whether the victim's were put in the data's order."""


class Fit(NamedTuple):
    """For each right label the answer to take for it, both by the victim's numbers, and the accuracy that gives."""

    answers: Mapping[int, int]
    accuracy: Rate


def describe_crossed_labels(classes: Sequence[ClassFigures], naming: Naming) -> str | None:
    """Say that labels look crossed, with the option that uncrosses them, or that no order of them would do.

    Return None unless the clean accuracy is below chance.
    """
    right = sum(found.clean_accuracy.count for found in classes)
    clean = Rate(right, sum(found.samples for found in classes))
    if clean.of < _FEWEST or not (right == 0 or clean.interval[1] < 1 / max(len(classes), 2)):
        return None
    if len(classes) == 1 and right:
        return None  # a single label may be the very one that the victim is bad at
    told = f"Clean accuracy is {_percent(clean)}"
    fit = best_fit(classes, len(naming.victims))
    if fit and (option := _option(fit, naming)):
        return f"{told}: the labels look crossed. With {option} it would be {_percent(fit.accuracy)}."
    return (
        f"{told}: the model is wrong about nearly all texts, and no other order of the labels fits. "
        "Check that it was trained for these labels."
    )


def best_fit(classes: Sequence[ClassFigures], labels: int) -> Fit | None:
    """Return the answers that go with the right labels best, one each, or None if chance would do as well.

    The commonest pair of right label and answer is matched first, then the next among what is left.
    """
    if len(classes) < 2:
        return None
    pairs = sorted((-times, found.label, answer) for found in classes for answer, times in found.answers.items())
    fitting: dict[int, int] = {}
    for _, gold, answer in pairs:
        if gold not in fitting and answer not in fitting.values():
            fitting[gold] = answer
    for gold in range(labels):  # what never occurs keeps its place, or takes what is free
        if gold not in fitting:
            free = [answer for answer in range(labels) if answer not in fitting.values()]
            fitting[gold] = gold if gold in free else free[0]
    shares = [found.answers.get(fitting[found.label], 0) / found.samples for found in classes]
    right = sum(found.answers.get(fitting[found.label], 0) for found in classes)
    accuracy = Rate(right, sum(found.samples for found in classes))
    # A victim that always answers the same has, for some order of labels, the accuracy of the commonest label.
    mean = sum(shares) / len(shares)
    return Fit(fitting, accuracy) if wilson(mean * accuracy.of, accuracy.of)[0] > 1 / len(classes) else None


def _option(fit: Fit, naming: Naming) -> str | None:
    """Return the option that makes these answers the right ones, or None if the names cannot be written in one."""
    victims, datas = naming.victims, naming.datas
    numbers = (None if naming.in_order else match_labels(datas, victims)) or list(range(len(datas)))
    meant = [fit.answers[number] for number in numbers]
    if naming.are_sorted and not naming.renamed and len(datas) == len(victims) and are_numbers(victims):
        # In this order the names go to a victim that has none.
        called = dict(zip(meant, datas, strict=True))
        chosen = [called[answer] for answer in range(len(victims))]
        return f"--labels={shlex.quote(','.join(chosen))}" if _writable(chosen) else None
    # Labels that the user named must keep to these names; others get the victim's, which leave nothing to guess.
    ours = dict(zip(numbers, datas, strict=False))
    names = [ours.get(answer, victims[answer]) if naming.given else victims[answer] for answer in meant]
    written = [[old for old, new in naming.renamed.items() if new == name] or [name] for name in datas]
    pairs = [(old, name) for olds, name in zip(written, names, strict=False) for old in olds]
    if not _writable([name for pair in pairs for name in pair]):
        return None
    return f"--map {shlex.quote(','.join(f'{old}={name}' for old, name in pairs))}"


def _writable(names: Sequence[str]) -> bool:
    """Return whether names can stand in a list behind an option."""
    return all(
        name and name == name.strip() and not name.startswith("-") and not {",", "="} & {*name} for name in names
    )


def _percent(rate: Rate) -> str:
    return f"{rate.value or 0:.0%}".replace("%", " %")


_LANGUAGES = "languages"


class OtherLanguage(NamedTuple):
    """Texts in another language than the attack, or one of its constraints, can do with."""

    reader: str
    """The attack or the constraint."""
    does: str
    """``reads English``, or ``changes Latin letters``."""
    texts: str

    def __str__(self) -> str:
        so = "what it puts in may make no sense" if self.does.startswith("reads") else "it finds few or none"
        return f"{self.reader} {self.does}, and these texts look {self.texts}: {so} there."

    def note(self) -> dict[str, JSON]:
        """Return what the run's environment keeps."""
        return {_LANGUAGES: self._asdict()}

    @classmethod
    def noted(cls, environment: Mapping[str, JSON]) -> OtherLanguage | None:
        """Return what `note` kept, or None if the languages are the same or unknown."""
        kept = environment.get(_LANGUAGES)
        if not isinstance(kept, Mapping):
            return None
        does = kept.get("does", f"reads {kept.get('reads')}")  # older runs kept the language alone
        return cls(str(kept["reader"]), str(does), str(kept["texts"]))


class Known(NamedTuple):
    """What remarks are made from."""

    summary: Summary
    config: Mapping[str, JSON]
    environment: Mapping[str, JSON]
    """What the sessions of the run noted; if several noted the same, the latest."""


def remarks(known: Known) -> tuple[str, ...]:
    """Return the sentences, the gravest first; none if there is nothing to say."""
    return tuple(sentence for remark in _REMARKS if (sentence := remark(known)))


def _unsuited_attack(known: Known) -> str | None:
    summary, other = known.summary, OtherLanguage.noted(known.environment)
    if not summary.untried:
        return str(other) if other else None
    attack = str(known.config.get("attack", "the attack")).partition(":")[0]
    told = f"{attack} proposed no change for {summary.untried:,} of {summary.attacked:,} texts"
    if other is None:
        return f"{told}: it found nothing in them that its word lists, limits and constraints let it change."
    who = "it" if other.reader == attack else f"the constraint {other.reader}"
    return f"{told}: {who} {other.does}, and these texts look {other.texts}."


def _labels_crossed(known: Known) -> str | None:
    victims, datas = (known.config.get(key) for key in ("labels", "data_labels"))
    if not isinstance(victims, list) or not isinstance(datas, list) or "labelled_by" in known.config:
        return None
    seen = known.environment
    renamed = seen.get("labels_renamed")
    naming = Naming(
        list(map(str, victims)),
        list(map(str, datas)),
        are_sorted=seen.get("labels_sorted") is True,
        given=seen.get("labels_given") is True,
        renamed={old: str(new) for old, new in renamed.items()} if isinstance(renamed, Mapping) else {},
        in_order="victim_labels" in known.config,
    )
    return describe_crossed_labels(known.summary.classes, naming)


def _labelled_by_victim(known: Known) -> str | None:
    if "labelled_by" not in known.config:
        return None
    told = "The labels are the victim's own answers: the clean accuracy is 100 % by construction."
    return f"{told} {_left_out(known) or ''}".strip()


def _sources_left_out(known: Known) -> str | None:
    return _left_out(known) if "generation_goal" in known.config else None


def _sources_cut(known: Known) -> str | None:
    cut = known.environment.get("cut")
    return f"Sources cut off at their ends, being longer than the model reads: {cut}." if cut else None


def _left_out(known: Known) -> str | None:
    found = known.environment.get("left_out")
    told = [f"{times} {why}" for why, times in found.items() if times] if isinstance(found, Mapping) else []
    return f"Left out: {', '.join(told)}." if told else None


def _without_result(known: Known) -> str | None:
    errors = known.summary.errors
    if not errors:
        return None
    if errors == 1:
        return "1 sample has no result and counts in no figure."
    return f"{errors:,} samples have no result and count in no figure."


def _unanswered(known: Known) -> str | None:
    summary = known.summary
    if not summary.unanswered:
        return None
    queries = round((summary.queries_mean or 0) * summary.attacked)
    share = f"{summary.unanswered:,} of {queries:,} variants ({100 * summary.unanswered / max(queries, 1):.2g} %)"
    return (
        f"The victim gave no answer about {share}: the attack went on without them, and none counts as a success."
    )


_REMARKS: tuple[Callable[[Known], str | None], ...] = (
    _labels_crossed,
    _labelled_by_victim,
    _sources_left_out,
    _sources_cut,
    _unsuited_attack,
    lambda known: asked.told if (asked := known.summary.random_answers) else None,
    _without_result,
    _unanswered,
)
