"""Typos that people make of words (Belinkov and Bisk's lists, in ``UNFOOL_DATA``), and keys side by side."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from unfool.data import place_of_file
from unfool.errors import UserError

_KEYBOARDS = {
    "en": ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"),
    "de": ("1234567890ß", "qwertzuiopü", "asdfghjklöä", "yxcvbnm"),
    "fr": ("&é\"'(-è_çà)", "azertyuiop", "qsdfghjklmù", "wxcvbn"),
}
"""Each row of keys lies half a key to the right of the one above it."""
_CODES = {"German": "de", "French": "fr"}


def code_of(language: str | None) -> str:
    """Return the code of a language, given by its English name, that has its keys here; ``en`` for any other."""
    return _CODES.get(language or "", "en")


@cache
def natural_typos(language: str) -> Mapping[str, tuple[str, ...]]:
    """Return the typos that people made of each word.

    Raises:
        UserError: There is no such list.
    """
    name = f"typos/{language}.natural"
    path = place_of_file(name)
    if path is None:
        raise UserError(
            f"there is no file {name}; put Belinkov and Bisk's list noise/{language}.natural there, in the "
            "folder that UNFOOL_DATA names, or take kind=keyboard"
        )
    lines = (line.split() for line in path.read_text("utf-8").splitlines())
    return {line[0]: tuple(line[1:]) for line in lines if len(line) > 1}


@cache
def key_neighbours(character: str, language: str = "en") -> str:
    """Return the characters of the keys around one, in its case; empty if it is no letter or digit there."""
    rows = _KEYBOARDS[language]
    for number, row in enumerate(rows):
        at = row.find(character.lower())
        if at >= 0 and character:
            beside = row[max(0, at - 1) : at] + row[at + 1 : at + 2]
            above = rows[number - 1][at : at + 2] if number else ""
            below = rows[number + 1][max(0, at - 1) : at + 1] if number + 1 < len(rows) else ""
            found = beside + above + below
            return found.upper() if character.isupper() else found
    return ""
