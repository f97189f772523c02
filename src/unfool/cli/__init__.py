"""The command line: thin commands over the rooms below."""

from unfool.cli._app import main

__all__ = ["main"]
