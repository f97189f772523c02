"""What an attack did to the outputs of a model that generates: BLEU of all, chrF of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from unfool.engine import REFERENCE, Outcome
from unfool.generation import Compared, Quality, compared_bleu, quality


@dataclass(frozen=True)
class OutputFigures:
    """The outputs before and after, over all samples, fooled or not."""

    texts: int
    source: float
    """Mean chrF of the changed sources against the sources."""
    output: float
    """Mean chrF2++ of the outputs after against those before."""
    before: float | None = None
    """Mean chrF2++ of the outputs before against the references; None if there are none."""
    after: float | None = None
    lost: float | None = None
    """Mean share of chrF lost, as TEAPOT has it."""
    bleu: Compared | None = None
    """Corpus BLEU before and after, and how likely chance makes the difference."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for a JSON file."""
        return asdict(self)

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> OutputFigures:
        """Return the figures `to_dict` described."""
        bleu = plain["bleu"] and Compared.from_dict(plain["bleu"])
        return cls(**{**plain, "bleu": bleu})


def output_figures(outcomes: Iterable[Outcome]) -> OutputFigures | None:
    """Take the figures; None if the victim is a classifier."""
    rows = [outcome.as_read for outcome in outcomes if outcome.outputs]
    if not rows:
        return None
    judged = [outcome_quality(row) for row in rows]
    source, output = fmean(each.source for each in judged), fmean(each.output for each in judged)
    if rows[0].field_names[-1] != REFERENCE:
        return OutputFigures(len(rows), source, output)
    before, after = [row.original[1] for row in rows], [row.perturbed[1] for row in rows]
    return OutputFigures(
        len(rows),
        source,
        output,
        fmean(each.before for each in judged),
        fmean(each.after for each in judged),
        fmean(each.lost for each in judged),
        compared_bleu(before, after, [row.original[2] for row in rows]),
    )


def outcome_quality(row: Outcome) -> Quality:
    """Compare the outputs of an outcome as read with the reference, or without one with the clean output."""
    reference = row.original[2] if row.field_names[-1] == REFERENCE else row.original[1]
    return quality(row.original[0], row.perturbed[0], row.original[1], row.perturbed[1], reference)
