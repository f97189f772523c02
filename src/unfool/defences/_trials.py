"""The trials of a search, in Optuna's journal; no settings are tried twice."""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Literal, NamedTuple

from unfool.errors import UserError, not_installed
from unfool.storage import cut_torn_end

Sampler = Literal["random", "tpe"]
Value = int | float | str
LOG = "trials.log"
_PROBLEM = "problem"
_SEEDS = 2**32
"""Optuna's samplers have no more."""
_MOST_IN_VAIN = 3
"""Trials that may fail before any has succeeded: more fail for the same reason."""


class Range(NamedTuple):
    """A setting to vary: numbers between two, or one of some words."""

    low: float = 0
    high: float = 0
    choices: tuple[str, ...] = ()

    def drawn(self, trial: Any, name: str) -> Value:
        """Let a trial choose."""
        if self.choices:
            return trial.suggest_categorical(name, self.choices)  # type: ignore[no-any-return]
        suggest = trial.suggest_int if isinstance(self.low, int) else trial.suggest_float
        return suggest(name, self.low, self.high)  # type: ignore[no-any-return]

    def any(self, random: Random) -> Value:
        """Draw one."""
        if self.choices:
            return random.choice(self.choices)
        if isinstance(self.low, int):
            return random.randint(self.low, int(self.high))
        return random.uniform(self.low, self.high)

    @property
    def size(self) -> float:
        """How many there are."""
        if self.choices:
            return len(set(self.choices))
        if isinstance(self.low, int):
            return self.high - self.low + 1
        return 1 if self.low == self.high else math.inf


def read_range(written: str) -> tuple[str, Range]:
    """Read ``words=1..19``, ``std=0.1..10.0`` or ``vote=logits|majority``.

    Raises:
        UserError: If it is none of these.
    """
    name, equals, tail = written.partition("=")
    low, dots, high = tail.partition("..")
    if equals and dots:
        for kind in (int, float):
            try:
                ends = kind(low), kind(high)
                width = float(ends[1]) - float(ends[0])
            except (ValueError, OverflowError):
                continue
            if 0 <= width < math.inf:
                return name, Range(*ends)
    elif equals and tail:
        return name, Range(choices=tuple(tail.split("|")))
    raise UserError(f"cannot read {written!r}; write NAME=LOW..HIGH or NAME=ONE|OTHER")


def read_ranges(vary: Iterable[str]) -> dict[str, Range]:
    """Read what a search varies, by name.

    Raises:
        UserError: If one cannot be read, or two have the same name.
    """
    found: dict[str, Range] = {}
    for name, each in map(read_range, vary):
        if name in found:
            raise UserError(f"two ranges are given for {name}; give one")
        found[name] = each
    return found


@dataclass(frozen=True)
class Trial:
    """Settings that were tried, and what came of them."""

    number: int
    settings: Mapping[str, Value]
    clean: float
    """The accuracy on clean texts."""
    adversarial: list[float]
    """The accuracy on each set of adversarial texts, and under each attack."""
    name: str
    """The victim's name, or the method, that the settings make."""

    @property
    def score(self) -> float:
        """The mean of both kinds of accuracy."""
        return (self.clean + sum(self.adversarial) / len(self.adversarial)) / 2

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        plain = asdict(self)
        return {"trial": plain.pop("number"), "score": self.score, **plain}


@dataclass(frozen=True)
class Found:
    """What a search has found, in all its sessions."""

    best: Trial
    trials: tuple[Trial, ...]
    """Those that came to an end, the best first."""
    all_tried: bool
    """Whether there are no other settings."""
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """Return plain values, as they are written to ``summary.json``."""
        rows = [trial.to_json() for trial in self.trials]
        return {"best": rows[0], "trials": rows, "all_tried": self.all_tried, "seconds": self.seconds}


class _NoLock:
    """Stands for the lock of a journal that has one writer."""

    def acquire(self) -> bool:
        return True

    def release(self) -> None:
        pass


class Trials:
    """What a search has tried, in this session and those before, and what it tries next."""

    def __init__(self, folder: Path, ranges: Mapping[str, Range], sampler: Sampler, seed: int) -> None:
        optuna = import_optuna()
        from optuna.storages.journal import JournalFileBackend

        self._states = optuna.trial.TrialState
        self._folder, self._ranges = folder, ranges
        optuna.logging.set_verbosity(optuna.logging.ERROR)  # a trial that fails is told by us
        log = folder / LOG
        log.touch()
        cut_torn_end(log)
        # The folder is ours alone while we search; a lock of Optuna's own would outlive a process that is killed.
        storage = optuna.storages.JournalStorage(JournalFileBackend(str(log), lock_obj=_NoLock()))
        self._study: Any = optuna.create_study(
            study_name="search", storage=storage, direction="maximize", load_if_exists=True
        )
        kinds = {"random": optuna.samplers.RandomSampler, "tpe": optuna.samplers.TPESampler}
        # Seeded by what is done, so that a session does not draw again what the one before drew.
        fresh = (seed + len(self._all)) % _SEEDS
        self._study.sampler, self._random = kinds[sampler](seed=fresh), Random(fresh)

    def run(
        self,
        attempt: Callable[[int, dict[str, Value]], Trial],
        seconds: float,
        trials: int | None,
        told: Callable[[int, float | str], None],
    ) -> None:
        """Try settings until the time, or the number of trials, is used up, by earlier sessions or this one.

        ``attempt`` tries settings as the trial of a number, or fails with a `UserError`. ``told`` is called after
        each trial with its number and its score, or why it failed.
        """
        self._clear()  # a session may have been killed before it did
        for left in self._study.get_trials(deepcopy=False, states=[self._states.RUNNING]):
            # A killed session left it unfinished: its settings are tried again.
            self._study.tell(left.number, state=self._states.FAIL)
            self._study.enqueue_trial(left.params)
        deadline = time.monotonic() + seconds - self._spent
        rounds = math.inf if trials is None else trials - len(self._finished)
        in_vain = 0
        while rounds > 0 and time.monotonic() < deadline and not self.all_tried:
            trial = self._study.ask()
            settings = {name: found.drawn(trial, name) for name, found in self._ranges.items()}
            if _key(settings) in self._tried:
                self._study.tell(trial, state=self._states.PRUNED)
                self._study.enqueue_trial(self._untried())  # the next
                continue
            rounds -= 1
            ended = self._try(trial, partial(attempt, trial.number, settings))
            self._clear()
            told(trial.number, ended)
            in_vain += isinstance(ended, str)
            if in_vain >= _MOST_IN_VAIN and not self._finished:
                break

    def _try(self, trial: Any, attempt: Callable[[], Trial]) -> float | str:
        """Return the score of a trial, or why it failed."""
        try:
            found = attempt()
        except UserError as error:
            trial.set_user_attr(_PROBLEM, str(error))
            self._study.tell(trial, state=self._states.FAIL)
            return str(error)
        except Exception:
            self._study.tell(trial, state=self._states.FAIL)  # gone on with, the search does not begin with it
            raise
        for name in ("clean", "adversarial", "name"):
            trial.set_user_attr(name, getattr(found, name))
        self._study.tell(trial, found.score)
        return found.score

    @property
    def all_tried(self) -> bool:
        """Whether there are no other settings."""
        return len(self._tried) >= math.prod(found.size for found in self._ranges.values())

    def found(self) -> Found:
        """Return the best trial, all that came to an end, and whether there are no other settings.

        Raises:
            UserError: If none came to an end.
        """
        finished = sorted(self._finished, key=lambda trial: (-trial.value, trial.number))
        if not finished:
            problems = [trial.user_attrs[_PROBLEM] for trial in self._all if _PROBLEM in trial.user_attrs]
            why = f"the last failed: {problems[-1]}" if problems else "give --minutes more"
            raise UserError(f"no trial was completed; {why}")
        trials = tuple(Trial(t.number, dict(t.params), **t.user_attrs) for t in finished)
        return Found(trials[0], trials, self.all_tried, round(self._spent, 1))

    @property
    def _all(self) -> list[Any]:
        found: list[Any] = self._study.get_trials(deepcopy=False)
        return found

    @property
    def _finished(self) -> list[Any]:
        return [trial for trial in self._all if trial.value is not None]

    @property
    def _spent(self) -> float:
        return float(sum(trial.duration.total_seconds() for trial in self._finished))

    @property
    def _tried(self) -> set[tuple[tuple[str, Value], ...]]:
        return {_key(t.params) for t in self._all if t.value is not None or _PROBLEM in t.user_attrs}

    def _untried(self) -> dict[str, Value]:
        tried = self._tried
        while True:
            settings = {name: found.any(self._random) for name, found in self._ranges.items()}
            if _key(settings) not in tried:
                return settings

    def _clear(self) -> None:
        """Of the hardened models keep the best one only, since they are large, and of those half made nothing."""
        for left in self._folder.glob(".trial-*"):
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        best = self._study.best_trial.number if self._finished else None
        for place in self._folder.glob("trial-*"):
            if place.name == f"trial-{best}":
                shutil.rmtree(self._folder / "best", ignore_errors=True)
                place.rename(self._folder / "best")
            else:
                shutil.rmtree(place)


def _key(settings: Mapping[str, Value]) -> tuple[tuple[str, Value], ...]:
    return tuple(sorted(settings.items()))


def import_optuna() -> Any:
    """Return Optuna, or say how to install it."""
    try:
        import optuna
    except ImportError:
        raise not_installed("a search needs Optuna", "search") from None
    return optuna
