"""A bar that follows a folder as it fills."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_LOOK_EVERY_SECONDS = 0.2


@contextmanager
def filling(folder: Path, label: str, total: int, *, show: bool) -> Iterator[None]:
    """Show how many of ``total`` bytes have arrived in ``folder`` while the block runs.

    Neither pip nor the hub tells a caller how far it is, but both write what they have below ``folder``.
    """
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    screen = Console(stderr=True)
    hidden = not (show and screen.is_terminal)
    with Progress(*columns, console=screen, transient=True, disable=hidden) as bar:
        task = bar.add_task(label, total=total)
        done = threading.Event()

        def follow() -> None:
            while not done.wait(_LOOK_EVERY_SECONDS):
                bar.update(task, completed=min(_bytes_below(folder), total))

        watcher = threading.Thread(target=follow, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()


def _bytes_below(folder: Path) -> int:
    size = 0
    for file in folder.rglob("*"):
        try:
            size += file.stat().st_size
        except FileNotFoundError:  # moved or removed since it was listed
            continue
    return size
