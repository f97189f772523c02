"""A function that tells where in a text it read each token, as an `Encoder`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from unfool.errors import UserError
from unfool.text import Text
from unfool.victims.tokens._unit_store import Whole

Token = tuple[int, int, int]
"""A token's number, and where it was read: the first character and the one behind the last."""


class SpanEncoder:
    """A function from a text to its tokens as an `Encoder`; every text is encoded whole.

    Args:
        tokenize: From a string to its tokens.
        words: The words that it knows.
        longest: The most tokens of a text.
    """

    splices, lead = False, ""
    middle: tuple[int, ...] = ()

    def __init__(self, tokenize: Callable[[str], Sequence[Token]], words: Sequence[str], longest: int) -> None:
        self._tokenize, self.vocabulary, self.max_length = tokenize, tuple(words), longest
        self.prefix, self.suffix = self._around("a")

    def pieces(self, chunks: Sequence[str]) -> list[list[int]]:
        """Encode chunks, without the tokens that stand for nothing in them."""
        return [[number for number, start, end in self._tokens(chunk) if start < end] for chunk in chunks]

    def whole(self, inputs: Sequence[tuple[str, ...]]) -> list[Whole]:
        """Encode rendered texts, cut to the longest length, without the closing tokens."""
        return [Whole([number for number, _, _ in self._kept(text)], None) for (text,) in inputs]

    def words_of_tokens(self, text: Text) -> tuple[Whole, list[int]]:
        """Encode a text whole and say which word each token comes from; -1 for none."""
        (string,) = text.strings
        kept = self._kept(string)
        words = [text.word_at(0, start, end) if start < end else -1 for _, start, end in kept]
        return Whole([number for number, _, _ in kept], None), [*words, *[-1] * len(self.suffix)]

    def _around(self, text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the tokens before and behind those of a text."""
        tokens = self._tokens(text)
        numbers = tuple(number for number, _, _ in tokens)
        inside = [place for place, (_, start, end) in enumerate(tokens) if start < end]
        if not inside:
            raise UserError(
                f"the tokenizer makes no token of the text {text!r}, or does not tell where it was read"
            )
        return numbers[: inside[0]], numbers[inside[-1] + 1 :]

    def _kept(self, text: str) -> list[Token]:
        tokens = self._tokens(text)
        return tokens[: len(tokens) - len(self.suffix)][: self.max_length - len(self.suffix)]

    def _tokens(self, text: str) -> list[Token]:
        try:
            return [(int(number), int(start), int(end)) for number, start, end in self._tokenize(text)]
        except (TypeError, ValueError) as error:
            raise UserError(
                f"the tokenizer gives no (number, start, end) for each token of {text[:40]!r}: {error}"
            ) from error


class SpansOfTokenizer:
    """A tokenizer of the package tokenizers as a function from a text to its tokens.

    Args:
        tokenizer: The tokenizer.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def __call__(self, text: str) -> list[Token]:
        """Encode a text."""
        read = self._tokenizer.encode(text)
        return [(number, *span) for number, span in zip(read.ids, read.offsets, strict=True)]

    @property
    def words(self) -> list[str]:
        """All it knows, in order of the numbers."""
        known: dict[str, int] = self._tokenizer.get_vocab()
        return sorted(known, key=known.__getitem__)
