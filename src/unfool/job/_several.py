"""Several attacks on the same texts: a run each, and the worst case of all."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from unfool.attacks import Attack
from unfool.engine import Budget, Constraint, RowCache, Status
from unfool.errors import UserError
from unfool.job._attack import prepared
from unfool.job._chosen import FromLabel
from unfool.options import Options
from unfool.runs import SEVERAL, Run, Runs, is_run
from unfool.storage import WorkFolder


def attack_all(
    victim: object,
    data: object,
    attacks: Sequence[str | Attack],
    out: str | Path,
    *,
    until_fooled: bool = False,
    split: str | None = None,
    n: int | None = None,
    seed: int = 0,
    budget: Budget | None = None,
    constrain: str | Sequence[str | Constraint] = (),
    language: str | None = None,
    target: int | str | None = None,
    goal: str | None = None,
    from_label: FromLabel = None,
    confidence: float = 0.0,
    eot: int = 1,
    in_flight: int | None = None,
    workers: int | None = 1,
    options: Options | None = None,
    resume: bool = False,
    similarity: bool = False,
    progress: bool = True,
) -> Runs:
    """Attack the same samples by several attacks, one after the other, and return their finished runs.

    Victim and data are opened once. Where one process does the work, an attack takes the answers that those
    before it got; each counts its own queries all the same.

    Args:
        victim: As `attack` takes it.
        data: As `attack` takes it.
        attacks: Names, settings behind a colon, or attacks.
        out: The folder below which each run has its own.
        until_fooled: Spare later attacks the samples that one has fooled: the worst case is the same, sooner.
        split: This and all that follows is as `attack` takes it.
        n: How many samples, drawn by the seed.
        seed: Decides the samples drawn and every random choice.
        budget: Queries and edits one sample may cost, for each attack anew.
        constrain: What every changed text must keep.
        language: The language of the texts, if the guess is to be overruled.
        target: The label to bring about.
        goal: What fools a model that generates.
        from_label: The right label, or labels, of the texts to attack.
        confidence: The least probability a wrong answer must have to count.
        eot: How many answers of a randomised victim the attack sees the mean of.
        in_flight: How many samples are attacked at once.
        workers: Processes that share the work.
        options: How to open a victim given by name.
        resume: Go on with the runs in that folder; start them if there are none.
        similarity: Also measure how similar the adversarial sentences stay.
        progress: Whether to show progress bars.
    """
    places = _places(attacks)
    folder = Path(out)
    jobs = prepared(
        victim,
        data,
        attacks,
        split=split,
        n=n,
        seed=seed,
        budget=budget,
        constrain=constrain,
        language=language,
        target=target,
        goal=goal,
        from_label=from_label,
        confidence=confidence,
        eot=eot,
        workers=workers,
        options=options,
        begun=folder / next(iter(places.values())),
        resume=resume,
    )
    known, fooled = RowCache.of(jobs[0].victim), dict[str, frozenset[int]]()
    with WorkFolder(folder, SEVERAL, {"attacks": dict(places), "until_fooled": until_fooled}, resume):
        for job, (name, place) in zip(jobs, places.items(), strict=True):
            todo = replace(job, known=known, after=fooled if until_fooled else {})
            if not todo.has_samples:
                break
            run = todo.run(
                folder / place,
                resume=resume and is_run(folder / place),
                workers=workers,
                in_flight=in_flight,
                similarity=similarity,
                progress=progress,
            )
            fooled = {**fooled, name: _fooled(run)}
    return Runs.open(folder)


def _fooled(run: Run) -> frozenset[int]:
    return frozenset(outcome.id for outcome in run.outcomes() if outcome.status is Status.SUCCESS)


def _places(attacks: Sequence[str | Attack]) -> Mapping[str, str]:
    """Return the folder of each attack's run, by the attack's name with its settings."""
    places: dict[str, str] = {}
    for attack in attacks:
        name = attack if isinstance(attack, str) else repr(attack)
        place = re.sub(r"[^\w.@-]+", "-", name).strip("-.")
        if place in places.values():
            raise UserError(f"the attack {name!r} is named twice; name each once")
        places[name] = place
    if not places:
        raise UserError("there is no attack; name one or more, such as pwws")
    return places
