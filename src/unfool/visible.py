"""Strings of strangers made fit for a terminal and a page: no character of theirs steers either."""

from __future__ import annotations

from unicodedata import category, normalize

_LONGEST_LINE = 2000
_JOINER, _NON_JOINER = "\u200d", "\u200c"
_SELECTORS = frozenset({*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)})
"""Of variants: nothing is seen of them."""
# Control characters could steer a terminal and have no place in HTML: their pictures stand for them.
_PICTURES = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"}
_PICTURES |= {0x7F: 0x2421} | dict.fromkeys(range(0x80, 0xA0), 0xFFFD)
_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)
_VISIBLE = _PICTURES | _SURROGATES


def visible(string: str) -> str:
    """Return a text with a sign for every character that cannot be shown."""
    return string.translate(_VISIBLE)


def visible_line(said: object) -> str:
    """Return a message as one line of bounded length, in which every character can be seen."""
    line = " ".join(str(said).split()).translate(_VISIBLE)
    # Marks without a picture of their own are shown by their number: some turn around the order of what follows,
    # so that a line reads as what it is not. Emoji are joined by one of them.
    shown = "".join(f"\\u{ord(c):04x}" if category(c) == "Cf" and c != _JOINER else c for c in line)
    return shown if len(shown) <= _LONGEST_LINE else f"{shown[:_LONGEST_LINE]}…"


def shown(string: str) -> str:
    """Return a text in which every character can be seen, those that turn the direction of writing included.

    Joiners stay: emoji and several scripts need them.
    """
    return "".join(
        _sign(character) if category(character) == "Cf" and character not in _JOINER + _NON_JOINER else character
        for character in visible(string)
    )


def told_apart(string: str, original: str) -> str:
    """Return what a text became so that nothing in it passes for a part of the original that it is not.

    What cannot be seen gets a sign, joiners and selectors of variants, too. A letter or digit gets its number
    behind it where the original has none such and it is neither ASCII nor such a letter with an accent: it may look
    like another. Characters of the original are shown as they are there.
    """
    return "".join(
        shown(character) if character.isascii() or character in original else _told(character)
        for character in string
    )


def _told(character: str) -> str:
    if category(character) == "Cf" or ord(character) in _SELECTORS:
        return _sign(character)
    is_new_letter = character.isalnum() and not normalize("NFD", character)[0].isascii()
    return f"{character}{_sign(character)}" if is_new_letter else shown(character)


def _sign(character: str) -> str:
    return f"⟨{ord(character):04X}⟩"
