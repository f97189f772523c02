"""The progress bar of a run, on the error stream so that it never mixes with results."""

from __future__ import annotations

import time
from datetime import timedelta
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, Task, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.text import Text

from unfool.engine import Failure, Outcome, Status

_GROUND_SAMPLES, _GROUND_S = 5, 3.0
"""So much must be done, and so long have passed, before there is ground for an estimate."""


class Progress:
    """Says what is attacked, then shows how many samples are done and how many of the attacked fell."""

    def __init__(self, total: int, done: int, title: str, *, heading: str, shown: bool) -> None:
        self._heading, self._machines = heading if shown else "", ""
        self._attacked = self._fooled = self._failed = 0
        self._left, self._finished = total - done, 0
        self._began = self._last = time.monotonic()
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[told]}"),
            TimeElapsedColumn(),
            _Remaining(self),
            console=Console(stderr=True),
            disable=not shown,
        )
        self._task = self._bar.add_task(title, total=total, completed=done, told="")

    def __enter__(self) -> Self:
        self.tell(self._heading)
        self._began = self._last = time.monotonic()
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def tell(self, line: str) -> None:
        """Print a line above the bar, where there is one."""
        if line and not self._bar.disable:
            self._bar.console.print(line, highlight=False, markup=False, soft_wrap=True)

    def advance(self, outcome: Outcome | Failure) -> None:
        """Count one more sample."""
        self._finished += 1
        self._left -= 1
        self._last = time.monotonic()
        if isinstance(outcome, Failure):
            self._failed += 1
        elif outcome.status is not Status.SKIPPED:
            self._attacked += 1
            self._fooled += outcome.status is Status.SUCCESS
        self._bar.update(self._task, advance=1, told=self._told())

    def tell_machines(self, told: str) -> None:
        """Show which machines are at work."""
        self._machines = told
        self._bar.update(self._task, told=self._told())

    def _told(self) -> str:
        errors = f"{self._failed} errors" if self._failed else ""
        return ", ".join(filter(None, (f"fooled {self._fooled}/{self._attacked}", errors, self._machines)))

    @property
    def remaining(self) -> float | None:
        """The seconds that the rest will take; None while there is no ground to say."""
        now = time.monotonic()
        return seconds_left(self._finished, self._left, now - self._began, now - self._last)


class _Remaining(ProgressColumn):
    """The time that is left, as far as one can tell."""

    def __init__(self, progress: Progress) -> None:
        super().__init__()
        self._progress = progress

    def render(self, task: Task) -> Text:
        """Return the estimate for the bar."""
        seconds = self._progress.remaining
        return Text("-:--:--" if seconds is None else str(timedelta(seconds=round(seconds))), "progress.remaining")


def seconds_left(finished: int, left: int, since_start: float, since_last: float) -> float | None:
    """Estimate how long the samples that are left will take; None while there is no ground for it.

    Short texts and skipped ones are done first: the last samples are the slow ones. So all the time since the start
    counts, and the estimate is never less than the time that nothing has been done in.
    """
    if not left:
        return 0.0
    if finished < _GROUND_SAMPLES or since_start < _GROUND_S:
        return None
    return max(left * since_start / finished, since_last)
