"""Options that take several names."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup, TyperOption


class NamesInARow(TyperGroup):
    """Lets options that may be given often take their values behind each other: ``--victims A B C``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Name the option again before each of its values."""
        several = self._given_often()
        spread: list[str] = []
        option, fresh = "", False
        for arg in args:
            if arg.startswith("-"):
                option, fresh = (arg, True) if arg in several else ("", False)
            elif option and not fresh:
                spread.append(option)
            else:
                fresh = False
            spread.append(arg)
        return super().parse_args(ctx, spread)

    def _given_often(self) -> set[str]:
        # A group sees what is given to its commands, too.
        options = (option for command in (self, *self.commands.values()) for option in command.params)
        return {name for one in options if isinstance(one, TyperOption) and one.multiple for name in one.opts}
