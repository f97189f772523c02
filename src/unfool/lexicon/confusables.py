"""Characters that look alike: Unicode's confusables, and letters that differ by their accents alone."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from functools import cache

from unfool import resources

_FIRST_ACCENTED, _BEHIND_ACCENTED = 0xC0, 0x2000
"""Latin letters with accents, each of one character, have their codes between these."""


@cache
def confusables() -> Mapping[str, str]:
    """Return the characters that look like each one, by Unicode's table.

    They are single, not ASCII, of the same kind (a small letter for a small letter), in order of their codes.
    Copies of the letter in another style, which are seen and which a normalisation (NFKC) undoes, are left out.
    """
    table = json.loads(resources.get("confusables").read_text("utf-8"))
    return {
        character: "".join(sorted({one["c"] for one in alike if _stands_for(one["c"], character)}))
        for character, alike in table.items()
        if len(character) == 1
    }


def look_alikes(character: str) -> str:
    """Return the characters that look like one; empty if there are none."""
    return confusables().get(character, "")


@cache
def accented(character: str) -> str:
    """Return the letters that are this Latin one with an accent or another mark, in order of their codes."""
    name = unicodedata.name(character, "")
    if not name.startswith("LATIN "):
        return ""
    return "".join(
        chr(code)
        for code in range(_FIRST_ACCENTED, _BEHIND_ACCENTED)
        if unicodedata.name(chr(code), "").startswith(f"{name} WITH ")
    )


def _stands_for(other: str, character: str) -> bool:
    return (
        len(other) == 1
        and not other.isascii()
        and unicodedata.category(other) == unicodedata.category(character)
        and unicodedata.normalize("NFKC", other) == other
    )
