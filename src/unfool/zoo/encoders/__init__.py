"""How the zoo's nets read texts: as words, as characters, or as words made of characters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from unfool.zoo.encoders._characters import FIRST_SYMBOL, START, CharacterEncoder, Characters, CharWords
from unfool.zoo.encoders._encoder import PAD, UNKNOWN, NetEncoder
from unfool.zoo.encoders._words import FIRST_WORD, PADDING_WORD, UNKNOWN_WORD, WordVocabulary, split_words

_KINDS: dict[str, Any] = {"words": WordVocabulary, "characters": Characters, "char-words": CharWords}


def encoder_from_texts(kind: str, texts: Iterable[str], max_length: int) -> NetEncoder:
    """Make an encoder that knows what some texts hold; ``byte-words`` knows every byte."""
    if kind == "byte-words":
        return CharWords.from_texts(texts, max_length=max_length, bytes_only=True)
    encoder: NetEncoder = _KINDS[kind].from_texts(texts, max_length=max_length)
    return encoder


def encoder_from_json(written: dict[str, Any]) -> NetEncoder:
    """Make the encoder that its `to_json` wrote."""
    settings = dict(written)
    encoder: NetEncoder = _KINDS[settings.pop("kind")](**settings)
    return encoder


__all__ = [
    "FIRST_SYMBOL",
    "FIRST_WORD",
    "PAD",
    "PADDING_WORD",
    "START",
    "UNKNOWN",
    "UNKNOWN_WORD",
    "CharWords",
    "CharacterEncoder",
    "Characters",
    "NetEncoder",
    "WordVocabulary",
    "encoder_from_json",
    "encoder_from_texts",
    "split_words",
]
