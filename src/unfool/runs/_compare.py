"""Two runs over the same samples, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from unfool.engine import REFERENCE, Outcome, Status
from unfool.errors import UserError
from unfool.generation import Compared, compared_bleu
from unfool.runs._run import Run
from unfool.runs._votes import Valid
from unfool.stats import mcnemar, percentage
from unfool.storage import ConfigChange, config_changes


class Effort(NamedTuple):
    """What the successes of a run took on average."""

    queries: float
    words_changed: float
    """Percentage of the words."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How run B differs from run A.

    The four counts, the p-value and the efforts are about the samples that both runs attacked: a sample that one
    of them skipped says nothing about which attack is stronger.
    """

    config: tuple[ConfigChange, ...]
    samples: int
    """Samples with an outcome in both runs."""
    attacked: int
    """Those of them that neither run skipped: the sum of the four counts."""
    both: int
    """Successes in both runs."""
    only_a: int
    only_b: int
    neither: int
    p_value: float
    """McNemar's exact test (two-sided) of equal success: how likely a split of ``only_a`` against ``only_b`` as
    uneven as this is, were either as likely."""
    effort_a: Effort | None
    """Run A's effort on the samples where both succeed, or None if there are none."""
    effort_b: Effort | None
    differing: tuple[int, ...]
    """Ids whose status (success, failed, skipped) is not the same, in order."""
    fooled_once: tuple[int, ...]
    """Ids of the samples that both attacked and only one fooled, in order."""
    bleu: Compared | None = None
    """Corpus BLEU under attack, run A's as before and run B's as after, over the samples in both; None of
    classifiers, or without references."""
    valid_a: Valid | None = None
    """How many of all of run A's successes fool the victim and not the people; None if people were not asked."""
    valid_b: Valid | None = None


def compare(run_a: Run, run_b: Run) -> Comparison:
    """Compare two runs sample by sample; they must be over the same data set."""
    theirs = {outcome.id: _digest(outcome) for outcome in run_a.outcomes()}
    pairs: list[tuple[int, _Digest, _Digest]] = []
    for outcome in run_b.outcomes():
        a, b = theirs.get(outcome.id), _digest(outcome)
        if a is None:
            continue
        if a.original != b.original:
            raise UserError(
                f"{run_a.folder} and {run_b.folder} are about different texts (see sample {outcome.id}); "
                "compare runs over the same data set"
            )
        pairs.append((outcome.id, a, b))
    attacked = [(a, b) for _, a, b in pairs if Status.SKIPPED not in (a.status, b.status)]
    won = [(a.status is Status.SUCCESS, b.status is Status.SUCCESS) for a, b in attacked]
    common = [pair for pair, wins in zip(attacked, won, strict=True) if all(wins)]
    only_a, only_b = won.count((True, False)), won.count((False, True))
    return Comparison(
        config=config_changes(run_a.config, run_b.config),
        samples=len(pairs),
        attacked=len(attacked),
        both=len(common),
        only_a=only_a,
        only_b=only_b,
        neither=won.count((False, False)),
        p_value=mcnemar(only_a, only_b),
        effort_a=_effort([a for a, _ in common]),
        effort_b=_effort([b for _, b in common]),
        differing=tuple(sorted(number for number, a, b in pairs if a.status is not b.status)),
        fooled_once=tuple(
            sorted(n for n, a, b in pairs if {a.status, b.status} == {Status.SUCCESS, Status.FAILED})
        ),
        bleu=_bleu([(a.translated, b.translated) for _, a, b in pairs]),
        valid_a=run_a.valid_success,
        valid_b=run_b.valid_success,
    )


class _Translated(NamedTuple):
    """What a model that generates made of a text under attack, and what it should have made of it."""

    output: str
    reference: str


class _Digest(NamedTuple):
    """As little of an outcome as comparing needs, since all of a run's are held at once."""

    original: int
    status: Status
    queries: int
    words_changed: float
    translated: _Translated | None


def _digest(outcome: Outcome) -> _Digest:
    changed = percentage(outcome.words_changed, outcome.words)
    original, translated = outcome.original, None
    if outcome.outputs is not None:
        # What stands behind the source is the victim's own, but for the reference.
        reference = original[-1] if outcome.field_names[-1] == REFERENCE else None
        original = (original[0],) if reference is None else (original[0], reference)
        translated = None if reference is None else _Translated(outcome.outputs[1], reference)
    return _Digest(hash(original), outcome.status, outcome.queries, changed, translated)


def _bleu(pairs: list[tuple[_Translated | None, _Translated | None]]) -> Compared | None:
    known = [(a.output, b.output, a.reference) for a, b in pairs if a and b]
    return compared_bleu(*map(list, zip(*known, strict=True))) if known else None


def _effort(digests: list[_Digest]) -> Effort | None:
    if not digests:
        return None
    n = len(digests)
    return Effort(sum(d.queries for d in digests) / n, sum(d.words_changed for d in digests) / n)
