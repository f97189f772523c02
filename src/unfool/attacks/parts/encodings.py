"""Propose: a word written another way, as those do who smuggle it past a filter."""

from __future__ import annotations

import unicodedata
from base64 import b64encode
from codecs import encode
from collections.abc import Callable, Mapping
from typing import Literal

from unfool.lexicon.confusables import look_alikes

Readable = Literal["full-width", "spaced", "leet", "accents", "bidi", "joiners", "zero-width", "homoglyphs"]
Hidden = Literal["tags", "emoji", "base64", "hex", "rot13"]
_LEET = str.maketrans("aeiostAEIOST", "431057431057")
_TO_FULL_WIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
_TO_TAG = {code: code + 0xE0000 for code in range(0x20, 0x7F)}
_ACUTE, _WORD_JOINER, _NO_WIDTH = "\u0301", "\u2060", "\u200b"
_FROM_RIGHT, _END = "\u202e", "\u202c"
_FIRST_SELECTORS, _OTHER_SELECTORS, _FEW = 0xFE00, 0xE0100, 16

ENCODINGS: Mapping[str, Callable[[str], str]] = {
    "full-width": lambda word: word.translate(_TO_FULL_WIDTH),
    "spaced": " ".join,
    "leet": lambda word: word.translate(_LEET),
    "accents": lambda word: "".join(c + _ACUTE if c.isalpha() else c for c in unicodedata.normalize("NFC", word)),
    "bidi": lambda word: f"{_FROM_RIGHT}{word[::-1]}{_END}",
    "joiners": _WORD_JOINER.join,
    "zero-width": _NO_WIDTH.join,
    "homoglyphs": lambda word: "".join(look_alikes(c)[:1] or c for c in word),
    "tags": lambda word: word.translate(_TO_TAG),
    "emoji": lambda word: "😀" + "".join(map(_selector, word.encode())),
    "base64": lambda word: b64encode(word.encode()).decode(),
    "hex": lambda word: word.encode().hex(),
    "rot13": lambda word: encode(word, "rot13"),
}
"""Ways to write a word; a person still reads the first eight at a glance."""
READABLE = tuple(ENCODINGS)[:8]


def _selector(byte: int) -> str:
    """Return the selector of variants that stands for a byte; it is not shown."""
    return chr(_FIRST_SELECTORS + byte if byte < _FEW else _OTHER_SELECTORS + byte - _FEW)
