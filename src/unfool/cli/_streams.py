"""Results and everything else, kept apart: what a library or a child process prints must not mix with JSON."""

from __future__ import annotations

import os
import sys


def keep_results_apart() -> None:
    """Print results where standard output leads now; whoever writes to it by its number writes to the errors."""
    try:
        if sys.stdout.fileno() != 1 or sys.stderr.fileno() != 2:
            return
        sys.stdout.flush()
        results = os.dup(1)
        os.dup2(2, 1)
    except (OSError, ValueError, AttributeError):  # closed, or no files: then nobody reads them either
        return
    sys.stdout = open(  # noqa: SIM115 (open for as long as the program runs)
        results, "w", encoding=sys.stdout.encoding, errors=sys.stdout.errors, newline=None, buffering=1
    )
