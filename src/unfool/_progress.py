"""The progress bar of a run, on the error stream so that it never mixes with results."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from unfool.engine import Failure, Outcome, Status


class Progress:
    """Says what is attacked, then shows how many samples are done and how many of the attacked fell."""

    def __init__(self, total: int, done: int, title: str, *, heading: str, shown: bool) -> None:
        self._heading = heading if shown else ""
        self._attacked = self._fooled = self._failed = 0
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[told]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            disable=not shown,
        )
        self._task = self._bar.add_task(title, total=total, completed=done, told="")

    def __enter__(self) -> Self:
        if self._heading:
            self._bar.console.print(self._heading, highlight=False, markup=False, soft_wrap=True)
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def advance(self, outcome: Outcome | Failure) -> None:
        """Count one more sample."""
        if isinstance(outcome, Failure):
            self._failed += 1
        elif outcome.status is not Status.SKIPPED:
            self._attacked += 1
            self._fooled += outcome.status is Status.SUCCESS
        told = f"fooled {self._fooled}/{self._attacked}" + (f", {self._failed} errors" if self._failed else "")
        self._bar.update(self._task, advance=1, told=told)
