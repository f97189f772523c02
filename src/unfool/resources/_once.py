"""A folder that is built once, by whoever comes first, and never seen half done; a bar follows as it fills."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock

from unfool.errors import UserError


def build_once(folder: Path, build: Callable[[Path], None]) -> Path:
    """Return ``folder``, after filling it with ``build`` if it is not there yet.

    ``build`` gets an empty folder beside the final place, and the last step is a rename. So a folder that
    is there is complete, whatever was killed, and of several processes one builds while the others wait.

    If ``build`` raises, nothing is kept.
    """
    if folder.is_dir():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        held = FileLock(folder.parent / f".{folder.name}.lock").acquire()
    except OSError as problem:
        raise UserError(
            f"the cache folder {str(folder.parent)!r} cannot be written ({problem.strerror}); "
            "name another one in the environment variable UNFOOL_CACHE"
        ) from problem
    with held:
        if folder.is_dir():
            return folder
        lead = f".{folder.name}.part-"
        for abandoned in folder.parent.glob(f"{lead}*"):  # only who holds the lock writes here
            shutil.rmtree(abandoned)
        part = Path(tempfile.mkdtemp(prefix=lead, dir=folder.parent))
        try:
            build(part)
            _set_modes(part)
            os.rename(part, folder)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise
    return folder


def _set_modes(folder: Path) -> None:
    """Let all read and only the owner write: NLTK refuses data that others could have written."""
    folder.chmod(0o755)
    for below in folder.rglob("*"):
        below.chmod(0o755 if below.is_dir() else 0o644)


_LOOK_EVERY_SECONDS = 0.2


@contextmanager
def filling(folder: Path, label: str, total: int, *, show: bool) -> Iterator[None]:
    """Show how many of ``total`` bytes have arrived in ``folder`` while the block runs.

    Neither pip nor the hub tells a caller how far it is, but both write what they have below ``folder``.
    """
    from rich.progress import DownloadColumn, TransferSpeedColumn

    from unfool.progress import vanishing

    with vanishing(DownloadColumn(), TransferSpeedColumn(), shown=show) as bar:
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
    for place, _, files in os.walk(folder):  # which passes over folders that are gone by now
        for file in files:
            with suppress(FileNotFoundError):  # moved or removed since it was listed
                size += os.stat(os.path.join(place, file)).st_size
    return size
