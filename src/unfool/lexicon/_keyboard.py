"""Keys that lie beside each other on an English keyboard."""

from __future__ import annotations

from functools import cache

_ROWS = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")


@cache
def key_neighbours(character: str) -> str:
    """Return the characters of the keys around one, in its case; empty where it is no letter or digit there.

    Each row of keys lies half a key to the right of the one above it.
    """
    for number, row in enumerate(_ROWS):
        at = row.find(character.lower())
        if at >= 0 and character:
            beside = row[max(0, at - 1) : at] + row[at + 1 : at + 2]
            above = _ROWS[number - 1][at : at + 2] if number else ""
            below = _ROWS[number + 1][max(0, at - 1) : at + 1] if number + 1 < len(_ROWS) else ""
            found = beside + above + below
            return found.upper() if character.isupper() else found
    return ""
