"""Words of texts in which no spaces part them, by other people's cutters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module

from unfool.errors import UserError, did_you_mean, not_installed

Cutter = Callable[[str], Sequence[str]]
"""Cuts a run of characters into words that give it back when joined."""

CUTTERS = {"jieba": "Chinese", "janome": "Japanese"}
"""The cutters by name, and the language each is for; the extra that brings it is named so, too."""


@cache
def cutter(name: str) -> Cutter:
    """Return a cutter by name.

    Raises:
        UserError: There is none of that name, or its package is not installed.
    """
    if name not in CUTTERS:
        raise UserError(f"there is no cutter {name!r}{did_you_mean(name, CUTTERS)}")
    try:
        package = import_module("jieba" if name == "jieba" else "janome.tokenizer")
    except ImportError:
        raise not_installed(f"the cutter {name!r} is a package of its own", CUTTERS[name].lower()) from None
    if name == "jieba":
        package.setLogLevel("ERROR")
        cut: Cutter = package.lcut
        return cut
    reader = package.Tokenizer(wakati=True)
    return lambda string: list(reader.tokenize(string))
