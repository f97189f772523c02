"""The whole tracebacks of bugs that kept samples from a result, each bug once."""

from __future__ import annotations

from pathlib import Path

from unfool.engine import Failure


class Tracebacks:
    """A file for people to read; there is none until there is a bug, nor one of a session before.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._path.unlink(missing_ok=True)
        self._known = set[str]()
        self._waiting = list[str]()

    def add(self, failure: Failure) -> None:
        """Keep the traceback of a failure for the next `flush`, unless one went the same way before."""
        way = "\n".join(line for line in failure.traceback.splitlines() if line.startswith("  File "))
        if failure.traceback and way not in self._known:
            self._known.add(way)
            self._waiting.append(f"sample {failure.id}\n{failure.traceback}\n")

    def flush(self) -> None:
        """Write what is waiting."""
        if self._waiting:
            added, self._waiting = "".join(self._waiting), []
            with self._path.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(added)
