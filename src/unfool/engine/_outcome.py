"""The result of one sample, and the steps its attack took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple

from unfool.text import Text

NOT_FOOLED, NO_EDIT, OUT_OF_QUERIES = "not fooled by any edit tried", "no edit found", "out of queries"
NOTHING_PROPOSED = "no change proposed"
"""Why an attack may fail; any other reason is a rule that its text breaks.

Where nothing was proposed, the attack asked about the text itself at most: the failure says nothing of the victim.
"""


OUTPUT, REFERENCE = "output", "reference"
"""Fields beside the source of a model that generates."""


class Status(StrEnum):
    """How an attempt ended."""

    SUCCESS = "success"
    """The victim, asked anew about the rendered text, gives the answer the goal wants."""
    FAILED = "failed"
    """The attack ended without fooling the victim; ``reason`` says why."""
    SKIPPED = "skipped"
    """Nothing to attack: the victim is wrong on the original text already (or right there, where targeted).

    A tie is no wrong answer: such a text is attacked."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The victim's canonical answer about one rendered text, at full precision."""

    label: int
    """The answer; of labels that tie, the right one if it is among them, else the lowest."""
    confidence: float
    tied: bool = False
    """Whether another label is as likely."""


class Swap(NamedTuple):
    """A word put in another's place."""

    position: int
    old: str
    new: str


Step = tuple[Swap, ...]
"""The words an attack changed at once; mostly one."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The verified result of one sample; nothing in it depends on time, batch or machine load."""

    id: int
    """The sample's row in its data set."""
    label: int
    """The gold label."""
    status: Status
    reason: str
    """Why a failed attack failed; empty otherwise."""
    original: tuple[str, ...]
    """The text's fields as they were."""
    perturbed: tuple[str, ...]
    """The fields as the attack left them; equal to ``original`` if it changed nothing."""
    before: Verdict
    after: Verdict
    queries: int
    """Distinct texts the attack needed an answer about."""
    checks: int
    """Re-verifications by the engine, on top of ``queries``."""
    words: int
    """Words of the editable fields."""
    words_changed: int
    characters: int
    """Characters of the editable fields."""
    characters_changed: int
    field_names: tuple[str, ...]
    notes: Mapping[str, float] = field(default_factory=dict)
    """Figures of the attack's own, such as the share of its trials that fooled; not verified."""
    steps: tuple[Step, ...] = ()
    """The way from the original to the perturbed text, as the attack went it; empty if that is unknown."""
    unanswered: int = 0
    """Those of the queries that brought no answer; no text they were about is a success."""
    outputs: tuple[str, str] | None = None
    """What a model that generates makes of the text before and after; None for a classifier."""

    @property
    def as_read(self) -> Outcome:
        """The outcome with the fields that people read: of a model that generates, source, output and reference."""
        if self.outputs is None:
            return self
        before, after = self.outputs
        source, *rest = self.field_names
        reference = self.original[-1:] if rest[-1] == REFERENCE else ()
        return replace(
            self,
            original=(self.original[0], before, *reference),
            perturbed=(self.perturbed[0], after, *reference),
            field_names=(source, OUTPUT, *([REFERENCE] if reference else [])),
        )

    def as_text(self, strings: tuple[str, ...]) -> Text:
        """Return one of its texts, `original` or `perturbed`, with the names of its fields."""
        return Text.from_fields(dict(zip(self.field_names, strings, strict=True)))

    @property
    def keeps_rules(self) -> bool:
        """Whether the perturbed text is one the attack was allowed to make, fooling or not."""
        return self.status is not Status.FAILED or self.reason in (
            NOT_FOOLED,
            NO_EDIT,
            NOTHING_PROPOSED,
            OUT_OF_QUERIES,
        )


@dataclass(frozen=True, slots=True)
class Failure:
    """A sample for which no result can be recorded, and why; a resumed run tries it again."""

    id: int
    error: str
    unanswered: bool = False
    """Whether the victim gave no answer even about the original text."""
    traceback: str = ""
    """The whole traceback if the error is a bug in somebody's code; kept apart from the other records."""


def steps_between(original: Text, text: Text) -> tuple[Step, ...]:
    """Return the changes that led from one text to the other, in order; none if that cannot be seen."""
    steps = list[Step]()
    while text is not original:
        if text.origin is None:
            return ()
        before, positions = text.origin
        spots = sorted(spot for spot in positions if before.words[spot] != text.words[spot])
        if spots:
            steps.append(tuple(Swap(spot, before.words[spot], text.words[spot]) for spot in spots))
        text = before
    return tuple(reversed(steps))
