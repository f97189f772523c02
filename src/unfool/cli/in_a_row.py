"""Options that may be given often take their values behind each other: ``--attack A B C``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption


class NamesInARow(TyperGroup):
    """A group of commands, in all of which it is so."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Name the option again before each of its values."""
        # A group sees what is given to its commands, too.
        params = [param for command in (self, *self.commands.values()) for param in command.params]
        return super().parse_args(ctx, _spread(args, params))


class CommandOfNames(TyperCommand):
    """A command in which it is so, unless it takes arguments: these could not be told from the values."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Name the option again before each of its values."""
        if any(isinstance(param, TyperArgument) for param in self.params):
            return super().parse_args(ctx, args)
        return super().parse_args(ctx, _spread(args, self.params))


def _spread(args: Sequence[str], params: Iterable[Any]) -> list[str]:
    several = {name for one in params if isinstance(one, TyperOption) and one.multiple for name in one.opts}
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
    return spread
