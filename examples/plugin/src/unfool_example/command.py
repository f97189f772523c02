"""A command: a function whose arguments Typer makes options of."""

from __future__ import annotations

from unfool.cli.app import tell


def greet(name: str = "stranger") -> None:
    """Greet somebody."""
    tell(f"hello, {name}")
