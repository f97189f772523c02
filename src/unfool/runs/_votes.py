"""What people said of a run's changed texts, and the success rate that is left of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unfool.runs._records import read_lines
from unfool.stats import Rate
from unfool.storage import check_fields, explaining, locked, replacing, to_json

_VOTES = "votes.jsonl"
LABEL = "label"
"""The task whose votes decide whether a success is valid: people were asked for the right label."""


@dataclass(frozen=True)
class Votes:
    """The votes on one changed text."""

    id: int
    """The sample's."""
    study: str
    task: str
    answers: dict[str, int]
    """How often each answer was given."""
    agree: bool | None
    """Whether most people say what is right of the original; None without a majority."""


@dataclass(frozen=True)
class Valid:
    """How many successes fooled the victim and not the people."""

    agreed: Rate
    """Of the successes that people judged, those to which most of them give the right label."""
    successes: Rate
    """Of the attacked samples, the successes."""

    @property
    def value(self) -> float | None:
        """The valid success rate: of the attacked, those that fool the victim and not the people."""
        if self.agreed.value is None or self.successes.value is None:
            return None
        return self.agreed.value * self.successes.value

    @property
    def interval(self) -> tuple[float, float]:
        """Its 95 % interval.

        If all successes were judged, it is Wilson's. Else the judged ones speak for the others: the distances of
        both rates from the ends of their own intervals add up, as errors of a product do.
        """
        if self.agreed.of == self.successes.count:
            return Rate(self.agreed.count, self.successes.of).interval
        (a, b), value = (self.agreed.value or 0.0, self.successes.value or 0.0), self.value or 0.0
        (a_low, a_high), (b_low, b_high) = self.agreed.interval, self.successes.interval
        below = ((a - a_low) * b) ** 2 + ((b - b_low) * a) ** 2
        above = ((a_high - a) * b) ** 2 + ((b_high - b) * a) ** 2
        return max(0.0, value - below**0.5), min(1.0, value + above**0.5)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for a JSON file."""
        low, high = self.interval
        return {"value": self.value, "low": low, "high": high, "agreed": self.agreed.to_dict()}

    def __str__(self) -> str:
        if self.value is None:
            return "–"
        low, high = self.interval
        return f"{self.value:.1%} [{low:.1%}, {high:.1%}]"


def read_votes(folder: Path) -> list[Votes]:
    """Return the votes that a run's folder has; none if nobody was asked."""
    path = folder / _VOTES
    if not path.exists():
        return []
    with explaining(path, "read", "delete it and enter the votes again"):
        return list(read_lines(path, _from_line, check_fields, "delete the file and enter the votes again"))


def enter_votes(folder: Path, study: str, votes: Iterable[Votes]) -> None:
    """Put a study's votes into a run's folder, in place of those of the same study and task."""
    path = folder / _VOTES
    new = list(votes)
    tasks = {each.task for each in new}
    with explaining(path, "write", "see that the run's folder can be written"), locked(folder):
        kept = [each for each in read_votes(folder) if each.study != study or each.task not in tasks]
        with replacing(path) as file:
            file.writelines(to_json(vars(each)) + b"\n" for each in [*kept, *new])


def valid_success(votes: Iterable[Votes], attacked: int, successes: int) -> Valid | None:
    """Take the valid success rate; None if nobody was asked for labels. Of two votes on a text the later counts."""
    judged: Mapping[int, bool | None] = {each.id: each.agree for each in votes if each.task == LABEL}
    if not judged:
        return None
    agreed = sum(agree is True for agree in judged.values())
    return Valid(Rate(agreed, len(judged)), Rate(successes, attacked))


def _from_line(line: bytes) -> Votes:
    return Votes(**json.loads(line))
