"""Progress bars on the error stream, where they never mix with results."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


def vanishing(*columns: ProgressColumn, shown: bool) -> Progress:
    """Return a bar, with these columns behind it, that only a terminal shows and that goes once all is done."""
    screen = Console(stderr=True)
    hidden = not (shown and screen.is_terminal)
    return Progress(
        TextColumn("{task.description}"), BarColumn(), *columns, console=screen, transient=True, disable=hidden
    )


class Bar:
    """How many of a stage's parts are done, and which was the last."""

    def __init__(self, title: str, total: int, *, shown: bool) -> None:
        self._title = title
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            disable=not shown,
        )
        self._task = self._bar.add_task(title, total=total)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def advance(self, name: str, by: int = 1, told: str = "") -> None:
        """Count what was done for a victim; ``told`` stands behind its name."""
        said = f"{self._title}: {name}" + (f" ({told})" if told else "")
        self._bar.update(self._task, advance=by, description=said)
