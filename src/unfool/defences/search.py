"""Search the settings of a defence for some minutes; the trials lie in a folder, and a later session goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from string import Formatter
from typing import Any

from unfool import data as data_room
from unfool.attacks import find_attack
from unfool.defences._trials import (
    LOG,
    Found,
    Range,
    Sampler,
    Trial,
    Trials,
    Value,
    import_optuna,
    read_ranges,
)
from unfool.defences.evaluate import ask_labels, load_premade
from unfool.defences.harden import find_method, harden
from unfool.engine import Failure, Predictor, Status, attack_samples
from unfool.errors import UserError
from unfool.storage import Kind, WorkFolder
from unfool.victims import Options, in_label_order, open_victim

__all__ = ["Found", "Trial", "search"]
_SEARCH = Kind("a search", "evaluation.json")


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
) -> Found:
    """Try settings of a defence, none of them twice, until the time is over, and return the best.

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
        n: How many samples of each data set, drawn by the seed (default: all).
        epochs: Of each hardening.
        train_n: Training samples of each hardening (default: all).
        trials: The most trials, of all sessions together.
        sampler: ``random``, or ``tpe``, which learns from the trials before.
        seed: Decides every random choice.
        device: ``cpu``, ``cuda`` or ``auto``.
        resume: Go on with the search in the folder; start it if there is none.
        told: Called after each trial with its number and its score, or why it failed.
        skipped: Called with each bad row that is left out of the data.

    Returns:
        The best trial, all trials, and whether there are no other settings.

    Raises:
        UserError: If something given cannot be used, or no trial succeeded.
    """
    import_optuna()
    ranges = read_ranges(vary)
    first = _check(template, ranges, premade, attacks, victim)
    recipes = [find_attack(spec) for spec in attacks]
    source = data_room.load(data, split=split, **reading.given)
    tell_once = cache(skipped)  # every trial reads the training split again
    for row in source.bad_rows:
        tell_once(row)
    sets = [load_premade(name).sample(n, seed) for name in premade]
    work = WorkFolder(
        Path(out),
        _SEARCH,
        {
            "template": template, "vary": list(vary), "data": data, "split": split,
            "fingerprint": source.fingerprint, **reading.given,
            "victim": victim, "victim_fingerprint": _fingerprint(victim or first, device),
            "premade": [s.fingerprint for s in sets], "attacks": list(map(repr, recipes)), "n": n,
            "epochs": epochs, "train_n": train_n, "sampler": sampler, "seed": seed,
        },
        resume,
    )  # fmt: skip

    def attempt(number: int, settings: Mapping[str, Value]) -> Trial:
        made = name = template.format(**settings)
        if victim:
            name = harden(
                made, victim, data, work.path / f"trial-{number}", epochs=epochs, n=train_n, reading=reading,
                seed=seed, device=device, progress=False, skipped=tell_once,
            ).model  # fmt: skip
        model = open_victim(name, Options(device, "fp32"))
        clean = ask_labels(model, source.sample(n, seed), source.labels).accuracy.value or 0.0
        hard = [ask_labels(model, found, found.labels).accuracy.value or 0.0 for found in sets]
        hard += [_under(model, source.sample(n, seed), recipe, seed) for recipe in recipes]
        return Trial(number, settings, clean, hard, made)

    with work:
        tried = Trials(work.path, ranges, sampler, seed)
        tried.run(attempt, 60 * minutes, trials, told)
        try:
            found = tried.found()
        except UserError:
            (work.path / LOG).unlink()  # a mistake that fails every trial must not block the folder
            raise
        work.write("summary.json", found.to_json())
    return found


def _under(model: Predictor, samples: data_room.Dataset, attack: Any, seed: int) -> float:
    """Return the accuracy that is left under an attack."""
    ordered = in_label_order(model, samples.labels)
    withstood = []
    for found in chain.from_iterable(attack_samples(ordered, samples, attack, seed=seed)):
        if isinstance(found, Failure):
            raise UserError(f"sample {found.id} has no result: {found.error}")
        withstood.append(found.status is Status.FAILED)
    return sum(withstood) / len(withstood)


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
    """Return a victim's fingerprint, or None if it cannot be opened, which the trials will tell."""
    try:
        return getattr(open_victim(name, Options(device, "fp32")), "fingerprint", None)
    except UserError:
        return None
