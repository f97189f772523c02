"""Strings of strangers made fit for a terminal and a page: no character of theirs steers either."""

from __future__ import annotations

from unicodedata import category

_LONGEST_LINE = 2000
_JOINER = "\u200d"
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
