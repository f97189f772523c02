"""The command line: thin commands over the rooms below."""

from __future__ import annotations

import sys

EXIT_STOPPED = 130
"""Stopped by Ctrl-C; what was done is kept."""


def main() -> None:
    """Run the command line; everything is imported in here, so that Ctrl-C shows no traceback of an import."""
    try:
        from unfool.cli.app import main as run

        run()
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        sys.exit(EXIT_STOPPED)


__all__ = ["EXIT_STOPPED", "main"]
