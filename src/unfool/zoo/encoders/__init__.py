"""How the zoo's nets read texts: as words, as characters, or as words made of characters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from unfool.text import Text
from unfool.victims.tokens import Encoder, Whole
from unfool.zoo.encoders._char_words import FIRST_SYMBOL, START, CharWords
from unfool.zoo.encoders._characters import Characters
from unfool.zoo.encoders._tokens import PAD, UNKNOWN
from unfool.zoo.encoders._words import FIRST_WORD, UNKNOWN_WORD, WordVocabulary, split_words


class NetEncoder(Encoder, Protocol):
    """An encoder that can be stored, and can say which word each token comes from."""

    unknown: str
    """A word the net knows nothing of."""

    def __len__(self) -> int:
        """How many token ids there are."""
        ...

    def words_of_tokens(self, text: Text) -> tuple[Whole, list[int]]:
        """Encode a text whole and say which word each token comes from; -1 for none."""
        ...

    def to_json(self) -> dict[str, Any]:
        """Return what `encoder_from_json` makes this encoder of."""
        ...


def encoder_from_texts(kind: str, texts: Iterable[str], max_length: int) -> NetEncoder:
    """Make an encoder that knows what some texts hold.

    Args:
        kind: ``words``, ``characters``, ``char-words``, or ``byte-words``, which knows every byte.
        texts: The training texts.
        max_length: Longer texts lose their end.
    """
    if kind == "words":
        return WordVocabulary.from_texts(texts, max_length=max_length)
    if kind == "characters":
        return Characters.from_texts(texts, max_length=max_length)
    if kind == "char-words":
        return CharWords.from_texts(texts, max_length=max_length)
    return CharWords.from_texts(texts, max_length=max_length, bytes_only=True)


def encoder_from_json(written: dict[str, Any]) -> NetEncoder:
    """Make the encoder that its `to_json` wrote."""
    kinds: dict[str, type[Any]] = {"words": WordVocabulary, "characters": Characters, "char-words": CharWords}
    encoder: NetEncoder = kinds[written["kind"]].from_json(written)
    return encoder


__all__ = [
    "FIRST_SYMBOL",
    "FIRST_WORD",
    "PAD",
    "START",
    "UNKNOWN",
    "UNKNOWN_WORD",
    "CharWords",
    "Characters",
    "NetEncoder",
    "WordVocabulary",
    "encoder_from_json",
    "encoder_from_texts",
    "split_words",
]
