"""What has a page: every attack, every defence around a victim, every way to harden."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
import types
import typing
from collections.abc import Callable
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple

from unfool.attacks import ATTACKS, Attack
from unfool.defences import (
    Five,
    FiveSettings,
    Fuse,
    FuseSettings,
    Normalise,
    NormaliseSettings,
    Smooth,
    SmoothSettings,
)
from unfool.defences.harden import METHODS
from unfool.settings import defaults, written_settings

DOCS = Path(__file__).parents[1]
VADER = "py:unfool.victims.vader:probabilities"
_NETS = {
    "characters": "zoo:CNN-C-Random-1@movie-reviews",
    "attention": "zoo:LSTM-Attention@movie-reviews",
    "tokenizing": "'hf-causal:smollm2#labels=positive|negative,least=0'",
}
_WORD_NET = "zoo:WordCNN@movie-reviews"
_TEXTS = "--data movie-reviews --seed 2"
_DEFENCES: dict[str, tuple[type, type, str]] = {
    "five": (Five, FiveSettings, f"{_WORD_NET} pwws"),
    "fuse": (Fuse, FuseSettings, f"{_WORD_NET} pwws"),
    "normalise": (Normalise, NormaliseSettings, f"{VADER} encodings"),
    "smooth": (Smooth, SmoothSettings, f"{VADER} deepwordbug"),
}
"""The class, its settings, and what an example puts it around and attacks it with."""
_TAKES = {int: "a whole number", float: "a number", str: "a name"}


class Option(NamedTuple):
    """A setting: its default and what it takes as the command line has them, and what it says."""

    name: str
    default: str
    takes: str
    what: str


class Subject(NamedTuple):
    """What a page is about."""

    name: str
    folder: Literal["attacks", "defences", "hardening"]
    summary: str
    body: str
    options: tuple[Option, ...]
    needs: tuple[str, ...]
    example: str
    """A command to begin with; the page may show another one."""

    @property
    def path(self) -> Path:
        """Where the page lies."""
        return DOCS / self.folder / f"{self.name}.md"


def subjects() -> list[Subject]:
    """Return everything that has a page."""
    return [
        *map(_of_attack, ATTACKS.all().values()),
        *(_of_defence(name, *found) for name, found in _DEFENCES.items()),
        *(_of_method(found.name, found.function) for found in METHODS.all().values()),
    ]


def _of_attack(found: Attack) -> Subject:
    victim = next((net for need, net in _NETS.items() if need in found.needs), _WORD_NET if found.needs else VADER)
    example = (
        f"unfool attack --victim {victim} \\\n    {_TEXTS} --n 50 --attack {found.name} --out runs/{found.name}"
    )
    return _of_function(found.name, "attacks", found.function, found.needs, example)


def _of_method(name: str, function: Callable[..., Any]) -> Subject:
    example = f"unfool harden {name} --victim {_WORD_NET} \\\n    --data movie-reviews --out hard"
    return _of_function(name, "hardening", function, (), example)


def _of_defence(name: str, defence: type, settings: type, around: str) -> Subject:
    summary, body, _ = _read(inspect.getdoc(defence) or "")
    said = {key: text for kind in reversed(settings.__mro__) for key, text in _below_fields(kind).items()}
    hints = typing.get_type_hints(settings)
    options = [_option(field.name, field.default, hints[field.name], said) for field in fields(settings)]
    victim, attack = around.split()
    example = f"unfool attack --victim {name}:{victim} \\\n    {_TEXTS} --n 20 --attack {attack} --out runs/{name}"
    return Subject(name, "defences", summary, body, tuple(options), (), example)


def _of_function(
    name: str,
    folder: Literal["attacks", "hardening"],
    function: Callable[..., Any],
    needs: tuple[str, ...],
    example: str,
) -> Subject:
    summary, body, said = _read(inspect.getdoc(function) or "")
    hints = typing.get_type_hints(function)
    options = [_option(key, default, hints[key], said) for key, default in defaults(function).items()]
    return Subject(name, folder, summary, body, tuple(options), needs, example)


def _option(name: str, default: object, hint: Any, said: dict[str, str]) -> Option:
    told = written_settings({name: default}).partition("=")[2]
    return Option(name, told, _takes(hint), said.get(name, ""))


def _takes(hint: Any) -> str:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        (inner,) = [argument for argument in arguments if argument is not type(None)]
        return f"{_takes(inner)}, or `none`"
    if origin is Literal:
        return ", ".join(f"`{value}`" for value in arguments)
    return "`true`, `false`" if hint is bool else _TAKES[hint]


def _read(docstring: str) -> tuple[str, str, dict[str, str]]:
    """Return a docstring's first line, its paragraphs, and what it says of each argument, as Markdown."""
    head, _, tail = docstring.partition("\nArgs:\n")
    summary, _, body = head.partition("\n")
    said: dict[str, str] = {}
    for entry in re.split(r"\n(?! {5,})", textwrap.indent(textwrap.dedent(tail), "    ")):
        if match := re.match(r"\s*(\w+): (.*)", entry, re.DOTALL):
            said[match[1]] = _markdown(" ".join(match[2].split()))
    return _markdown(summary), _markdown(body.strip()), said


def _below_fields(kind: type) -> dict[str, str]:
    """Return the string literals that stand below the fields of a class: Python itself does not keep them."""
    if kind is object:
        return {}
    (of_class,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(of_class, ast.ClassDef)
    said: dict[str, str] = {}
    for one, other in pairwise(of_class.body):
        match one, other:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                said[name] = _markdown(" ".join(text.split()))
    return said


def _markdown(text: str) -> str:
    return text.replace("``", "`")
