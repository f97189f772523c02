"""A device or a precision that no machine has is refused by whatever command it is given to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from unfool.cli.app import app
from unfool.errors import UserError


def commands(command: Any, *words: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield a command and all below it, each with the words that call it."""
    yield words, command
    if hasattr(command, "list_commands"):
        for name in command.list_commands(None):
            yield from commands(command.get_command(None, name), *words, name)


@pytest.mark.parametrize(
    ("option", "given", "expected"),
    [
        ("--device", "tpu", "unknown device 'tpu'; there is auto, cpu, cuda"),
        ("--dtype", "int3", "unknown dtype 'int3'; there is auto, bf16, fp32"),
    ],
)
def test_what_no_machine_has_is_refused_before_anything_else(option: str, given: str, expected: str) -> None:
    with_option = [
        words
        for words, command in commands(get_command(app))
        if any(option in parameter.opts for parameter in command.params)
    ]
    assert {("attack",), ("transfer",), ("evaluate",), ("rules", "mine")} <= {*with_option}
    for words in with_option:
        # What every command needs besides is left out, and not even missed.
        refused = CliRunner().invoke(app, [*words, option, given]).exception
        assert isinstance(refused, UserError), words
        assert str(refused) == expected
