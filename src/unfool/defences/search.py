"""Searching a defence's settings: so many minutes of trials, kept in a folder and gone on with at any time."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any, Literal

from unfool import data as data_room
from unfool._labels import match_labels
from unfool.attacks import find_attack
from unfool.defences._ranges import Range, read_ranges
from unfool.defences.evaluate._answers import ask_labels
from unfool.defences.evaluate._folder import Folder
from unfool.defences.evaluate._premade import load_premade
from unfool.defences.harden import find_method, harden
from unfool.engine import Failure, Outcome, Predictor, Status, attack_samples
from unfool.errors import UserError
from unfool.runs._files import locked
from unfool.runs._log import cut_torn_end
from unfool.victims import Options, open_victim

Sampler = Literal["random", "tpe"]
_LOG, _PROBLEM = "trials.log", "problem"
_SEEDS = 2**32
"""Optuna's samplers have no more."""
_MOST_IN_VAIN = 3
"""Trials that may fail before any has succeeded: more fail for the same reason."""


class _NoLock:
    """Stands for the lock of a journal that has one writer."""

    def acquire(self) -> bool:
        return True

    def release(self) -> None:
        pass


def search(
    template: str,
    vary: Sequence[str],
    data: str,
    out: str | Path,
    *,
    minutes: float,
    victim: str | None = None,
    premade: Sequence[str] = (),
    attacks: Sequence[str] = (),
    split: str | None = None,
    reading: data_room.Reading = data_room.GUESSED,
    n: int | None = None,
    epochs: int = 1,
    train_n: int | None = None,
    trials: int | None = None,
    sampler: Sampler = "random",
    seed: int = 0,
    device: str = "auto",
    resume: bool = False,
    told: Callable[[int, float | str], None] = lambda number, score: None,
    skipped: Callable[[data_room.BadRow], object] = lambda row: None,
) -> dict[str, Any]:
    """Try settings of a defence until the time is over, and return the best.

    A trial's score is the mean of two accuracies: on clean texts, and on adversarial ones, which are the data sets
    of ``premade`` and what is left under each of the ``attacks``, all weighing the same.

    Args:
        template: A defended victim's name with what varies in braces, ``five[std={std}]:hf:model``; or, where
            ``victim`` is given, a method to harden it with, ``fact:words={words}``.
        vary: What varies: ``std=0.1..10.0``, ``words=1..19``, ``vote=logits|majority``.
        data: The data set for clean accuracy and attacks; its training split for hardening.
        out: The folder of the search; hardened, the best model is kept in its ``best`` folder.
        minutes: When to start no further trial; those of earlier sessions count.
        victim: The victim to harden in each trial.
        premade: Data sets of texts that fooled a victim.
        attacks: Attacks to run in each trial.
        split: The split of the data for accuracy and attacks; take one the final figures do not use.
        reading: The columns of the data, the names of its labels, and whether bad rows are left out.
        n: How many samples of each data set, drawn by the seed; all where None.
        epochs: Of each hardening.
        train_n: Training samples of each hardening; all where None.
        trials: The most trials, of all sessions together.
        sampler: ``random``, or ``tpe``, which learns from the trials before.
        seed: Decides every random choice.
        device: ``cpu``, ``cuda`` or ``auto``.
        resume: Go on with the search in the folder.
        told: Called after each trial with its number and its score, or why it failed.
        skipped: Called with each bad row that is left out of the data.

    Returns:
        The best settings, their score, the name or method they make, and all trials.

    Raises:
        UserError: If something given cannot be used, or no trial succeeded.
    """
    optuna = _optuna()
    ranges = read_ranges(vary)
    first = _check(template, ranges, premade, attacks, victim)
    recipes = [find_attack(spec) for spec in attacks]
    source = reading.load(data, split)
    tell_once = cache(skipped)  # every trial reads the training split again
    for row in source.bad_rows:
        tell_once(row)
    sets = [load_premade(name).sample(n, seed) for name in premade]
    folder = Folder(
        Path(out),
        {
            "template": template, "vary": list(vary), "data": data, "split": split,
            "fingerprint": source.fingerprint, **reading.given,
            "victim": victim, "victim_fingerprint": _fingerprint(victim or first, device),
            "premade": [s.fingerprint for s in sets], "attacks": list(map(repr, recipes)), "n": n,
            "epochs": epochs, "train_n": train_n, "sampler": sampler, "seed": seed,
        },
        resume,
        "a search",
    )  # fmt: skip

    def objective(trial: Any) -> float:
        try:
            return score(trial)
        except UserError as error:
            trial.set_user_attr(_PROBLEM, str(error))
            _remove_work(folder.path / f"trial-{trial.number}")
            raise

    def score(trial: Any) -> float:
        settings = {name: found.drawn(trial, name) for name, found in ranges.items()}
        made = template.format(**settings)
        options = Options(device=device)
        place = folder.path / f"trial-{trial.number}"
        if victim:
            shutil.rmtree(place, ignore_errors=True)
            _remove_work(place)
            harden(
                made, victim, data, place, epochs=epochs, n=train_n, reading=reading, seed=seed, device=device,
                progress=False, skipped=tell_once,
            )  # fmt: skip
            kind = "hf" if (place / "training.json").is_file() else "zoo"
            model = open_victim(f"{kind}:{place}", options)
        else:
            model = open_victim(made, options)
        clean = ask_labels(model, source.sample(n, seed), source.labels).accuracy.value or 0.0
        hard = [ask_labels(model, found, found.labels).accuracy.value or 0.0 for found in sets]
        hard += [_under(model, source.sample(n, seed), recipe, seed) for recipe in recipes]
        trial.set_user_attr("clean", clean)
        trial.set_user_attr("adversarial", hard)
        trial.set_user_attr("name", made)
        return (clean + sum(hard) / len(hard)) / 2

    with locked(folder.path):
        study = _study(optuna, folder.path, sampler, seed)
        _run(optuna, study, objective, folder.path, 60 * minutes, trials, told)
        try:
            summary = _summary(study)
        except UserError:
            (folder.path / _LOG).unlink()  # a mistake that fails every trial must not block the folder
            raise
        folder.finish(summary)
    return summary


def _run(
    optuna: Any,
    study: Any,
    objective: Callable[[Any], float],
    folder: Path,
    seconds: float,
    trials: int | None,
    told: Callable[[int, float | str], None],
) -> None:
    """Try settings until the time, or the number of trials, is used up, by earlier sessions or this one."""
    in_vain = 0
    _keep_best(folder, study)  # a session may have been killed before it did
    for trial in study.get_trials(deepcopy=False, states=[optuna.trial.TrialState.RUNNING]):
        # A killed session left it unfinished: its settings are tried again.
        study.tell(trial.number, state=optuna.trial.TrialState.FAIL)
        study.enqueue_trial(trial.params)

    def after(study: Any, trial: Any) -> None:
        nonlocal in_vain
        _keep_best(folder, study)
        told(trial.number, trial.user_attrs[_PROBLEM] if trial.value is None else trial.value)
        in_vain += trial.value is None
        if in_vain >= _MOST_IN_VAIN and not _finished(study):
            study.stop()

    left = seconds - _spent(study)
    rounds = None if trials is None else max(0, trials - len(_finished(study)))
    if left > 0 and rounds != 0:
        study.optimize(objective, n_trials=rounds, timeout=left, catch=(UserError,), callbacks=[after])


def _under(model: Predictor, samples: data_room.Dataset, attack: Any, seed: int) -> float:
    """Return the accuracy that is left under an attack."""
    numbers = match_labels(samples.labels, model.labels) or list(range(len(samples.labels)))
    renumbered = (replace(sample, label=numbers[sample.label]) for sample in samples)
    found = [outcome for step in attack_samples(model, renumbered, attack, seed=seed) for outcome in step]
    for failure in found:
        if isinstance(failure, Failure):
            raise UserError(f"sample {failure.id} has no result: {failure.error}")
    outcomes = [outcome for outcome in found if isinstance(outcome, Outcome)]
    return sum(o.status is Status.FAILED for o in outcomes) / len(outcomes)


def _study(optuna: Any, folder: Path, sampler: Sampler, seed: int) -> Any:
    from optuna.storages.journal import JournalFileBackend

    optuna.logging.set_verbosity(optuna.logging.ERROR)  # a trial that fails is told by us
    log = folder / _LOG
    log.touch()
    cut_torn_end(log)
    # The folder is ours alone while we search; a lock of Optuna's own would outlive a process that is killed.
    storage = optuna.storages.JournalStorage(JournalFileBackend(str(log), lock_obj=_NoLock()))
    study = optuna.create_study(study_name="search", storage=storage, direction="maximize", load_if_exists=True)
    kinds = {"random": optuna.samplers.RandomSampler, "tpe": optuna.samplers.TPESampler}
    # Seeded by what is done, so that a session does not draw again what the one before drew.
    study.sampler = kinds[sampler](seed=(seed + len(study.trials)) % _SEEDS)
    return study


def _keep_best(folder: Path, study: Any) -> None:
    """Of the hardened models keep the best one only: they are large."""
    if not _finished(study):
        return
    best = study.best_trial.number
    for place in folder.glob("trial-*"):
        if place.name == f"trial-{best}":
            shutil.rmtree(folder / "best", ignore_errors=True)
            place.rename(folder / "best")
        else:
            shutil.rmtree(place)


def _remove_work(place: Path) -> None:
    shutil.rmtree(place.with_name(f"{place.name}.training"), ignore_errors=True)


def _finished(study: Any) -> list[Any]:
    return [trial for trial in study.get_trials(deepcopy=False) if trial.value is not None]


def _spent(study: Any) -> float:
    return float(sum(trial.duration.total_seconds() for trial in _finished(study)))


def _summary(study: Any) -> dict[str, Any]:
    finished = sorted(_finished(study), key=lambda trial: (-trial.value, trial.number))
    if not finished:
        problems = [t.user_attrs[_PROBLEM] for t in study.get_trials(deepcopy=False) if _PROBLEM in t.user_attrs]
        why = f"the last failed: {problems[-1]}" if problems else "give --minutes more"
        raise UserError(f"no trial came to an end; {why}")
    rows = [
        {"trial": t.number, "score": t.value, "settings": dict(t.params), **dict(t.user_attrs)} for t in finished
    ]
    return {"best": rows[0], "trials": rows, "seconds": round(_spent(study), 1)}


def _check(
    template: str,
    ranges: Mapping[str, Range],
    premade: Sequence[str],
    attacks: Sequence[str],
    victim: str | None,
) -> str:
    """Refuse what cannot work before anything is written, and return the first thing the template may make."""
    lows = {name: found.choices[0] if found.choices else found.low for name, found in ranges.items()}
    try:
        wanted = {name for _, name, _, _ in Formatter().parse(template) if name is not None}
        first = template.format(**lows) if wanted == ranges.keys() else ""
    except (ValueError, IndexError) as error:
        raise UserError(f"cannot read {template!r}: {error}") from None
    if wanted != ranges.keys() or not wanted:
        raise UserError(
            f"{template!r} varies {', '.join(sorted(wanted)) or 'nothing'}, but ranges are given for "
            f"{', '.join(sorted(ranges)) or 'nothing'}; name each in braces and give its range"
        )
    if not premade and not attacks:
        raise UserError("a search needs adversarial texts to judge by; give --premade or --attack")
    if victim:
        find_method(first)
    return first


def _fingerprint(name: str, device: str) -> str | None:
    """Return what a victim is known again by; None where it cannot be opened, which the trials will tell."""
    try:
        found: str | None = getattr(open_victim(name, Options(device=device)), "fingerprint", None)
    except UserError:
        found = None
    return found


def _optuna() -> Any:
    try:
        import optuna
    except ImportError:
        raise UserError("a search needs Optuna: pip install 'unfool[search]'") from None
    return optuna
