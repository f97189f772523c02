"""The outputs of a run before and after, scored by COMET."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from unfool.engine import REFERENCE
from unfool.errors import UserError
from unfool.generation import Triple, comet_scores
from unfool.runs._run import Run
from unfool.storage import replacing, to_json

_FILE = "comet.json"
_RESAMPLES, _SEED = 1000, 12345


class CometScore(NamedTuple):
    """The scores of one sample's outputs, both as translations of the source as it was."""

    id: int
    before: float
    after: float


@dataclass(frozen=True)
class CometFigures:
    """Mean scores over all samples, fooled or not, and their difference with a 95 % bootstrap interval."""

    model: str
    texts: int
    before: float
    after: float
    difference: float
    low: float
    high: float
    scores: tuple[CometScore, ...]


def comet(
    run: Run,
    model: str | Path,
    *,
    python: str | Path | None = None,
    device: str = "auto",
    allow_code: bool = False,
) -> CometFigures:
    """Score a run's outputs before and after, and keep the scores in its folder, in ``comet.json``.

    See `unfool.generation.comet_scores` for the arguments.

    Raises:
        UserError: The run's victim does not generate, or there are no scores.
    """
    rows = [outcome.as_read for outcome in run.outcomes() if outcome.outputs]
    if not rows:
        raise UserError(f"{run.folder} has no outputs: COMET scores translations, not the answers of classifiers")
    triples = [
        Triple(row.original[0], side[1], row.original[2] if row.field_names[-1] == REFERENCE else None)
        for row in rows
        for side in (row.original, row.perturbed)
    ]
    found = comet_scores(triples, model, python=python, device=device, allow_code=allow_code)
    before, after = np.array(found[::2]), np.array(found[1::2])
    drawn = np.random.default_rng(_SEED).integers(len(rows), size=(_RESAMPLES, len(rows)))
    low, high = np.percentile((after - before)[drawn].mean(1), (2.5, 97.5))
    scores = (
        CometScore(row.id, *pair) for row, pair in zip(rows, zip(found[::2], found[1::2], strict=True), strict=True)
    )
    figures = CometFigures(
        str(model),
        len(rows),
        float(before.mean()),
        float(after.mean()),
        float((after - before).mean()),
        float(low),
        float(high),
        tuple(scores),
    )
    with replacing(run.folder / _FILE) as file:
        file.write(to_json(asdict(figures), indent=1))
    return figures
