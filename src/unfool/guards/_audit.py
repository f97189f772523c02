"""The audit of a guard: harmful texts attacked, benign ones changed the same way, at several thresholds."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.attacks import find_attack
from unfool.data import Dataset
from unfool.engine import Budget, Outcome, Predictor, Status
from unfool.errors import UserError
from unfool.guards._decision import BLOCKED, PASSED, Decision
from unfool.guards._figures import AttackFigures, Audit, Bypass, Line
from unfool.guards._profile import Profile
from unfool.guards._reader import Reader, Reading
from unfool.guards._transfer import Transferred, transferred
from unfool.job import attack as run_attack
from unfool.job import augment
from unfool.options import Options
from unfool.stats import Rate
from unfool.victims import Input, Thresholded, open_victim

DEFAULT_ATTACKS = ("encodings", "deepwordbug", "bad-characters", "charmer", "best-of-n")
"""Attacks on characters, which guards fall to; each needs answers alone."""
_LEAST_CHANGED = 0.1
"""The share of words that changes in benign texts where an attack got none of the harmful ones past."""
_AT_ONCE = 256
_WHAT_IS_UNKNOWN = "Whether a changed text still does what it was written for is unknown: read the bypasses."

Scores = NDArray[np.float64]
"""How sure a guard is to block each text; NaN where it does not answer."""


class _Cut(NamedTuple):
    name: str
    threshold: float


def audit_guard(
    guard: Profile,
    harmful: Dataset,
    benign: Dataset,
    out: str | Path,
    *,
    attacks: Sequence[str] = DEFAULT_ATTACKS,
    queries: int = 200,
    false_alarms: Sequence[float] = (0.05,),
    n: int | None = None,
    seed: int = 0,
    reader: Reader | None = None,
    also: Sequence[Profile] = (),
    options: Options | None = None,
    resume: bool = False,
    progress: bool = True,
) -> Audit:
    """Attack what a guard blocks, change what it lets pass in the same way, and tell what it misses on both sides.

    Args:
        guard: The guard.
        harmful: Texts to be blocked; their labels do not matter.
        benign: Texts to pass.
        out: The folder of the runs, one an attack and threshold.
        attacks: The attacks, by name.
        queries: The most queries a text.
        false_alarms: Rates of false alarms on the benign texts; all is told again at the threshold that gives each.
        n: How many texts of each kind, drawn by the seed; all if None.
        seed: Decides the texts and every random choice.
        reader: Repeats texts, to tell whether changed ones can still be read; see `open_reader`.
        also: Other guards, on which the bypasses at the guard's own threshold are tried as they are.
        options: How the victim is opened.
        resume: Go on with an audit that was stopped.
        progress: Whether to show bars.
    """
    for name in attacks:
        find_attack(name)
    if bad := [rate for rate in false_alarms if not 0 < rate < 1]:
        raise UserError(f"a rate of false alarms is {bad[0]:g}; give shares between 0 and 1, such as 0.05")
    chosen = options or Options()
    decision = _opened(guard, chosen)
    others = [(other, _opened(other, chosen)) for other in also]
    bad_texts, good_texts = harmful.sample(n, seed), benign.sample(n, seed)
    bad_texts = bad_texts.with_labels((PASSED, BLOCKED), [1] * len(bad_texts))
    scores = _scores(decision, [sample.text.strings for sample in good_texts])
    cuts, remarks = _cuts(guard, scores, false_alarms, decision.decimals)
    budget, lines = Budget(queries=queries), list[Line]()
    reading = Reading(reader) if reader else None
    twins: dict[tuple[str, float], Scores | None] = {}
    for cut in cuts:
        found = []
        for name in attacks:
            run = run_attack(
                Thresholded(decision, cut.threshold),
                bad_texts,
                name,
                seed=seed,
                budget=budget,
                out=_folder(Path(out), cut.name, name),
                resume=resume,
                progress=progress,
            )
            outcomes = list(run.outcomes())
            share = _share_changed(outcomes)
            key = name, _LEAST_CHANGED if share is None else share
            if key not in twins:
                twins[key] = _changed_alike(decision, good_texts, *key, seed)
            changed = twins[key]
            alarms = None if changed is None else _alarms(changed, cut.threshold)
            found.append(_attack_figures(name, outcomes, decision, share, alarms))
            remarks += [f"{name} at {cut.name}: {len(bad_texts) - len(outcomes)} texts have no result"] * (
                len(outcomes) < len(bad_texts)
            )
        line = _line(cut, found, bad_texts, scores, decision)
        lines.append(_read(line, reading) if reading else line)
    remarks.append(_WHAT_IS_UNKNOWN)
    tried = tuple(_tried_on(other, opened, lines[0], bad_texts) for other, opened in others)
    return Audit(guard, harmful.name, benign.name, queries, lines, remarks, tried)


def _opened(guard: Profile, options: Options) -> Decision:
    return Decision(
        open_victim(guard.victim, replace(options, labels=guard.labels or options.labels)), guard.blocks
    )


def _tried_on(guard: Profile, decision: Predictor, line: Line, harmful: Dataset) -> Transferred:
    """Ask another guard about the harmful texts, and about all bypasses."""
    bypasses = [bypass for figures in line.attacks for bypass in figures.bypasses]
    plain = [" ".join(sample.text.strings) for sample in harmful]
    asked = list(dict.fromkeys([*plain, *(bypass.changed for bypass in bypasses)]))
    scores = _scores(decision, [(text,) for text in asked])
    told = zip(asked, scores.tolist(), strict=True)
    return transferred(guard, bypasses, plain, {text: p >= guard.threshold for text, p in told if p == p})


def _scores(decision: Predictor, inputs: Sequence[Input]) -> Scores:
    found = []
    for start in range(0, len(inputs), _AT_ONCE):
        answers = decision.check(inputs[start : start + _AT_ONCE]).result()
        values = answers.values[:, 1].astype(np.float64)
        values[list(answers.errors)] = np.nan
        found.append(values)
    scores = np.concatenate(found).round(decision.decimals)
    if np.isnan(scores).all():
        raise UserError(f"{decision!r} answers about none of the {len(inputs)} texts")
    return scores


def _cuts(guard: Profile, benign: Scores, rates: Sequence[float], decimals: int) -> tuple[list[_Cut], list[str]]:
    """Return the thresholds to look at, and what to say of rates that the benign texts do not give."""
    cuts, remarks = [_Cut("its own threshold", guard.threshold)], []
    falling = np.sort(benign[~np.isnan(benign)])[::-1]
    for rate in rates:
        name, allowed = f"{rate:.3g} false alarms", math.floor(round(rate * len(falling), 9))
        above = falling[allowed] + 10.0**-decimals if allowed else 0.0
        if not allowed:
            remarks.append(
                f"{len(falling)} benign texts are too few to tell {name}; give {math.ceil(1 / rate)} or more"
            )
        elif above > 1:
            remarks.append(f"no threshold gives {name}: the guard is sure of more benign texts than that")
        else:
            cuts.append(_Cut(name, float(round(above, decimals))))
    return cuts, remarks


def _share_changed(outcomes: Sequence[Outcome]) -> float | None:
    """Return the mean share of words that an attack changed where it got past; None if it nowhere did."""
    shares = [each.words_changed / max(each.words, 1) for each in outcomes if each.status is Status.SUCCESS]
    return min(1.0, float(np.mean(shares))) or None if shares else None


def _changed_alike(decision: Predictor, benign: Dataset, name: str, share: float, seed: int) -> Scores | None:
    """Change this share of benign texts' words by an attack that nobody tells when to stop, and ask the guard."""
    if find_attack(name).needs:
        return None
    made = augment(benign, name, 1, seed=seed, max_words=share)
    texts = [variants.texts[0] for variants in made if variants.texts]
    return _scores(decision, texts) if texts else None


def _attack_figures(
    name: str, outcomes: Sequence[Outcome], decision: Predictor, share: float | None, alarms: Rate | None
) -> AttackFigures:
    fooled = [outcome for outcome in outcomes if outcome.status is Status.SUCCESS]
    missed = sum(outcome.status is Status.SKIPPED for outcome in outcomes)
    sides = ([getattr(outcome, side) for outcome in fooled] for side in ("original", "perturbed"))
    before, after = (_scores(decision, texts).tolist() if texts else [] for texts in sides)
    bypasses = tuple(
        Bypass(
            outcome.id,
            name,
            " ".join(outcome.original),
            " ".join(outcome.perturbed),
            p,
            q,
            outcome.queries,
            outcome.characters_changed,
        )
        for outcome, p, q in zip(fooled, before, after, strict=True)
    )
    return AttackFigures(
        name,
        Rate(missed + len(fooled), len(outcomes)),
        Rate(len(fooled), len(outcomes) - missed),
        bypasses,
        alarms,
        share,
    )


def _line(cut: _Cut, found: Sequence[AttackFigures], harmful: Dataset, benign: Scores, decision: Predictor) -> Line:
    scores = _scores(decision, [sample.text.strings for sample in harmful])
    answered = ~np.isnan(scores)
    passed = {sample.id for sample, p in zip(harmful, scores, strict=True) if p < cut.threshold}
    past = passed | {bypass.id for figures in found for bypass in figures.bypasses}
    of = int(answered.sum())
    return Line(
        cut.name,
        cut.threshold,
        Rate(len(passed), of),
        _alarms(benign, cut.threshold),
        tuple(found),
        Rate(len(past), of),
    )


def _read(line: Line, reading: Reading) -> Line:
    attacks = tuple(replace(figures, readable=reading.bypasses(figures)) for figures in line.attacks)
    return replace(line, attacks=attacks, readable=reading.plain(line.cheapest))


def _alarms(scores: Scores, threshold: float) -> Rate:
    answered = scores[~np.isnan(scores)]
    return Rate(int((answered >= threshold).sum()), len(answered))


def _folder(out: Path, *parts: str) -> Path:
    return out.joinpath(*(re.sub(r"[^\w.=-]+", "-", part) for part in parts))
