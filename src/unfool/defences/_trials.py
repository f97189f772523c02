"""The trials of a search, in Optuna's journal: no settings twice, until the time or the settings are used up."""

from __future__ import annotations

import math
import random
import shutil
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal

from unfool.defences._ranges import Range, Value
from unfool.errors import UserError
from unfool.storage import cut_torn_end

Sampler = Literal["random", "tpe"]
LOG = "trials.log"
_PROBLEM = "problem"
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


class Trials:
    """What a search has tried, in this session and those before.

    Args:
        folder: The folder of the search, which is ours alone.
        ranges: What varies.
        sampler: ``random``, or ``tpe``, which learns from the trials before.
        seed: Decides every random choice.
    """

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
        self._study.sampler, self._random = kinds[sampler](seed=fresh), random.Random(fresh)

    def run(
        self,
        score: Callable[[Any, dict[str, Value]], float],
        seconds: float,
        trials: int | None,
        told: Callable[[int, float | str], None],
    ) -> None:
        """Try settings until the time, or the number of trials, is used up, by earlier sessions or this one.

        Args:
            score: Gets a trial, to note things in, and its settings; fails with a `UserError`.
            seconds: When to start no further trial.
            trials: The most that come to an end.
            told: Called after each trial with its number and its score, or why it failed.
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
            ended = self._try(trial, partial(score, trial, settings))
            self._clear()
            told(trial.number, ended)
            in_vain += isinstance(ended, str)
            if in_vain >= _MOST_IN_VAIN and not self._finished:
                break

    def _try(self, trial: Any, score: Callable[[], float]) -> float | str:
        """Return the score of a trial, or why it failed."""
        try:
            value = score()
        except UserError as error:
            trial.set_user_attr(_PROBLEM, str(error))
            self._study.tell(trial, state=self._states.FAIL)
            return str(error)
        except Exception:
            self._study.tell(trial, state=self._states.FAIL)  # gone on with, the search does not begin with it
            raise
        self._study.tell(trial, value)
        return value

    @property
    def all_tried(self) -> bool:
        """Whether there are no other settings."""
        return len(self._tried) >= math.prod(found.size for found in self._ranges.values())

    def summary(self) -> dict[str, Any]:
        """Return the best trial, all that came to an end, and whether there are no other settings.

        Raises:
            UserError: If none came to an end.
        """
        finished = sorted(self._finished, key=lambda trial: (-trial.value, trial.number))
        if not finished:
            problems = [trial.user_attrs[_PROBLEM] for trial in self._all if _PROBLEM in trial.user_attrs]
            why = f"the last failed: {problems[-1]}" if problems else "give --minutes more"
            raise UserError(f"no trial was completed; {why}")
        rows = [
            {"trial": t.number, "score": t.value, "settings": dict(t.params), **dict(t.user_attrs)}
            for t in finished
        ]
        return {
            "best": rows[0],
            "trials": rows,
            "all_tried": self.all_tried,
            "seconds": round(self._spent, 1),
        }

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
        raise UserError("a search needs Optuna: pip install 'unfool[search]'") from None
    return optuna
