"""Typos that people make of words, and keys side by side: Belinkov and Bisk's lists, in ``UNFOOL_DATA``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from unfool.data import place_of_file
from unfool.errors import UserError

LANGUAGES = ("en", "de")
_FOLDER = "typos"


@cache
def natural_typos(language: str) -> Mapping[str, tuple[str, ...]]:
    """Return the typos that people made of each word.

    Raises:
        UserError: There is no such list.
    """
    return {first: tuple(rest) for first, *rest in _lines(language, "natural") if rest}


@cache
def neighbouring_keys(language: str) -> Mapping[str, tuple[str, ...]]:
    """Return the characters on the keys around each letter's key.

    Raises:
        UserError: There is no such list.
    """
    return {first: tuple(rest) for first, *rest in _lines(language, "key")}


def _lines(language: str, kind: str) -> list[list[str]]:
    if language not in LANGUAGES:
        raise UserError(f"there are no typos for the language {language!r}; there are {' and '.join(LANGUAGES)}")
    name = f"{_FOLDER}/{language}.{kind}"
    path = place_of_file(name)
    if path is None:
        raise UserError(
            f"there is no file {name}; put Belinkov and Bisk's lists (noise/{language}.{kind}) into the folder "
            f"{_FOLDER} of the folder that UNFOOL_DATA names"
        )
    return [line.split() for line in path.read_text("utf-8").splitlines() if line.strip()]
