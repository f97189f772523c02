"""Options that take several names."""

from __future__ import annotations

from typing import Any, ClassVar

from typer.core import TyperGroup


class NamesInARow(TyperGroup):
    """Lets an option take several values behind each other: ``--victims A B C``."""

    several: ClassVar[tuple[str, ...]] = ("--victims", "--sources")

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Name the option again before each of its values."""
        spread: list[str] = []
        option, fresh = "", False
        for arg in args:
            if arg.startswith("-"):
                option, fresh = (arg, True) if arg in self.several else ("", False)
            elif option and not fresh:
                spread.append(option)
            else:
                fresh = False
            spread.append(arg)
        return super().parse_args(ctx, spread)
