"""One stretch of writing to a run folder, from create or resume to the end of the process."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from unfool import storage as files
from unfool.runs._environment import environment
from unfool.runs._tracebacks import Tracebacks
from unfool.storage import JSON, Log, cut_torn_end, to_json


class Session:
    """Holds the folder's lock and its two open logs, and keeps a note of itself in ``environment.json``."""

    def __init__(self, folder: Path, config: Mapping[str, JSON], facts: Mapping[str, JSON]) -> None:
        self._folder = folder
        self._began = time.monotonic()
        with ExitStack() as held:
            held.enter_context(files.locked(folder))
            (folder / files.SUMMARY).unlink(missing_ok=True)
            (folder / files.OUTCOMES).touch()
            cut_torn_end(folder / files.OUTCOMES)
            self.outcomes = held.enter_context(Log(folder / files.OUTCOMES))
            self.failures = held.enter_context(Log(folder / files.FAILURES, anew=True))
            self.tracebacks = Tracebacks(folder / files.TRACEBACKS)
            self._past = self._past_sessions()
            self._note: dict[str, Any] = {
                "started": datetime.now(UTC).isoformat(timespec="seconds"),
                "seconds": None,  # stays so where the process is killed
                **environment(),
                **facts,
            }
            self._write_environment()
            # Last: with a configuration the folder is a run, and everything a run has must be there.
            with files.replacing(folder / files.CONFIG) as file:
                file.write(to_json(config, indent=2))
            self._held = held.pop_all()

    def flush(self) -> None:
        """Write what the logs hold back."""
        self.outcomes.flush()
        self.failures.flush()
        self.tracebacks.flush()

    def seal(self) -> None:
        """Bring the logs to the disk and note how long the session took."""
        self.outcomes.sync()
        self.failures.sync()
        self.tracebacks.flush()
        self._note["seconds"] = round(time.monotonic() - self._began, 3)
        self._write_environment()

    def end(self) -> None:
        """Close the logs and let go of the folder."""
        self._held.close()

    def _past_sessions(self) -> list[Any]:
        path = self._folder / files.ENVIRONMENT
        return list(files.read_json(path)["sessions"]) if path.exists() else []

    def _write_environment(self) -> None:
        with files.replacing(self._folder / files.ENVIRONMENT) as file:
            file.write(to_json({"sessions": [*self._past, self._note]}, indent=2))
