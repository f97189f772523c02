"""What a reader must know before the figures of a run: sentences that terminal, page and JSON all show.

To add one, write a function of what is known that returns a sentence or None, and add it to `_REMARKS`. A fact that
was seen while the attack ran, and does not decide its result, travels in the session's environment (`Run.create`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from unfool.runs._crossed import Naming, told_crossed
from unfool.runs._summary import Summary
from unfool.storage import JSON

_LANGUAGES = "languages"


class OtherLanguage(NamedTuple):
    """Texts in another language than the attack, or one of its constraints, reads."""

    reader: str
    """The attack or the constraint."""
    reads: str
    texts: str

    def __str__(self) -> str:
        return (
            f"{self.reader} reads {self.reads}, and these texts look {self.texts}: "
            "what it puts in may make no sense there."
        )

    def note(self) -> dict[str, JSON]:
        """Return what the run's environment keeps."""
        return {_LANGUAGES: self._asdict()}

    @classmethod
    def noted(cls, environment: Mapping[str, JSON]) -> OtherLanguage | None:
        """Return what `note` kept; None where the languages are the same or unknown."""
        kept = environment.get(_LANGUAGES)
        return cls(**{key: str(value) for key, value in kept.items()}) if isinstance(kept, Mapping) else None


class Known(NamedTuple):
    """What remarks are made from."""

    summary: Summary
    config: Mapping[str, JSON]
    environment: Mapping[str, JSON]
    """What the sessions of the run noted; where several noted the same, the latest."""


def remarks(known: Known) -> tuple[str, ...]:
    """Return the sentences, the gravest first; none where there is nothing to say."""
    return tuple(sentence for remark in _REMARKS if (sentence := remark(known)))


def _nothing_proposed(known: Known) -> str | None:
    summary = known.summary
    if not summary.untried:
        return None
    attack = _attack(known)
    told = f"{attack} proposed no change for {summary.untried:,} of {summary.attacked:,} texts"
    other = OtherLanguage.noted(known.environment)
    if other is None:
        return f"{told}: it found nothing in them that its word lists, limits and constraints let it change."
    whose = "its word lists are" if other.reader == attack else f"the constraint {other.reader} reads"
    return f"{told}: {whose} {other.reads}, these texts look {other.texts}."


def _other_language(known: Known) -> str | None:
    other = OtherLanguage.noted(known.environment)
    return str(other) if other and not known.summary.untried else None


def _attack(known: Known) -> str:
    return str(known.config.get("attack", "the attack")).partition(":")[0]


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
    )
    return told_crossed(known.summary.classes, naming)


def _labelled_by_victim(known: Known) -> str | None:
    if "labelled_by" not in known.config:
        return None
    found = known.environment.get("left_out")
    left_out = (
        ", ".join(f"{times} {why}" for why, times in found.items() if times) if isinstance(found, Mapping) else ""
    )
    told = "The labels are the victim's own answers: the clean accuracy is 100 % by construction."
    return told + (f" Left out: {left_out}." if left_out else "")


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


def _random_answers(known: Known) -> str | None:
    asked = known.summary.random_answers
    return asked.told if asked else None


_REMARKS: tuple[Callable[[Known], str | None], ...] = (
    _labels_crossed,
    _labelled_by_victim,
    _nothing_proposed,
    _other_language,
    _random_answers,
    _without_result,
    _unanswered,
)
