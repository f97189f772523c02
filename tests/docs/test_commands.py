"""Every command that the documentation shows is one: its options, and the names given to them, are read."""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Iterable
from typing import Any

import pytest
from tests.docs.markdown import PAGES, ROOT, blocks, commands
from typer.main import get_command

import unfool_papers.command  # noqa: F401 (adds `unfool study` to the app)
from unfool.attacks import find_attack, find_constraints
from unfool.cli.app import app
from unfool.defences import FiveSettings, FuseSettings
from unfool.defences.harden import find_method
from unfool.generation import GENERATOR_KINDS
from unfool.settings import read_settings, split_settings
from unfool.victims import VICTIM_KINDS
from unfool.victims.endpoint import read_address

SHOWN = [
    pytest.param(words, id=f"{page.relative_to(ROOT)}: {' '.join(words)}")
    for page in PAGES
    for block in blocks(page.read_text("utf-8"), "sh")
    for words in commands(block)
]
SETTINGS = {"five": FiveSettings, "fuse": FuseSettings}
OF_THE_READER = ("py:", "stretch", "short-words")
"""Names of a reader's own files, or of the example of a plug-in."""
TAUGHT = "swap-letters"
"""The attack that CONTRIBUTING.md has its reader write."""
ELSEWHERE = (
    "git",
    "cd",
    "pip",
    "kill",
    "llama-server",
    "nvidia-cuda-mps-control",
    "ray",
    ".",
    ".ci/run",
    "export",
    "comet/bin/python",
)


def parsed(arguments: list[str]) -> dict[str, Any]:
    """Return what the command line makes of arguments, without running anything."""
    command: Any = get_command(app)
    context = command.make_context("unfool", arguments)
    given = dict(context.params)
    while hasattr(command, "resolve_command") and (rest := [*context._protected_args, *context.args]):
        name, command, rest = command.resolve_command(context, rest)
        context = command.make_context(name, rest, parent=context)
        given |= context.params
    return given


def check_victim(name: str) -> None:
    head, _, inner = name.partition(":")
    prefix, _, settings = head.partition("[")
    assert prefix in {*VICTIM_KINDS.names(), *GENERATOR_KINDS.names()} | {"zoo63"} or "@" in name, name
    if prefix in SETTINGS and "{" not in settings:
        read_settings(prefix, SETTINGS[prefix], split_settings(settings.removesuffix("]"), name))
    if prefix in SETTINGS:
        check_victim(inner)
    if prefix in ("http", "https"):
        read_address(name)


def check_names(given: dict[str, Any]) -> None:
    """Read what the command line itself leaves to the rooms below: attacks, constraints, methods, victims."""
    for spec in several(given.get("attack")):
        if spec != TAUGHT and not of_a_reader(spec):
            find_attack(spec)
    find_constraints(",".join(rule for rule in (given.get("constrain") or "").split(",") if not of_a_reader(rule)))
    if "method" in given and not of_a_reader(given["method"]):
        find_method(given["method"])
    for key in ("victim", "victims", "against"):
        for name in several(given.get(key)):
            check_victim(name)


def of_a_reader(name: str) -> bool:
    return name.startswith(OF_THE_READER)


def several(value: str | Iterable[str] | None) -> list[str]:
    return [value] if isinstance(value, str) else list(value or ())


@pytest.mark.parametrize("words", SHOWN)
def test_a_command_is_one(words: list[str]) -> None:
    name, *arguments = words
    name = name.removeprefix(".venv/bin/")
    if name == "unfool":
        check_names(parsed(arguments))
    elif name == "make":
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
        assert set(arguments) <= set(targets)
    elif name in ("python", "python3"):
        assert arguments[0] != "-m" or importlib.util.find_spec(arguments[1]), arguments[1]
    else:
        assert name in ELSEWHERE, f"what is {name!r}?"


def test_commands_that_are_none_are_told() -> None:
    with pytest.raises(Exception, match="no-such-option"):
        parsed(["attack", "--victim", "hf:a", "--data", "b", "--no-such-option"])
    with pytest.raises(Exception, match="attakc"):
        parsed(["attakc"])
    with pytest.raises(Exception, match="varaint"):
        check_names({"attack": "pwws:varaint=paper"})
    with pytest.raises(AssertionError):
        check_names({"victim": "nowhere:x"})
