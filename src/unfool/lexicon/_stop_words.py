"""Words that carry grammar rather than meaning, which attacks leave alone."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Self

from unfool import resources
from unfool.errors import UserError, did_you_mean


class StopWords(frozenset[str]):
    """A set of lower-case words that knows the name by which `stop_words` gives it."""

    name: str

    def __new__(cls, words: Iterable[str], name: str) -> Self:
        """Make the set."""
        self = super().__new__(cls, words)
        self.name = name
        return self

    def __repr__(self) -> str:
        return f"stop_words({self.name!r})"


@cache
def stop_words(name: str = "textfooler") -> StopWords:
    """Return a list of English stop words.

    Args:
        name: ``textfooler`` or ``nltk``.

            ``textfooler`` stands in for the list of 266 words TextFooler (Jin et al., 2020) leaves alone.
            This one is ours, of the same size, and keeps what is known of theirs: *not, no, never, but* are
            in it; *do, does, did, has, have, had, be, will, so, very* are not. ``nltk`` is NLTK's English
            list, obtained on first use.
    """
    if name not in ("textfooler", "nltk"):
        raise UserError(f"there is no stop word list {name!r}{did_you_mean(name, ('textfooler', 'nltk'))}")
    if name == "textfooler":
        listed = Path(__file__).with_name("stop_words.txt")
    else:
        listed = resources.get("stopwords") / "english"
    return StopWords(listed.read_text(encoding="utf-8").split(), name)


def kept_words(language: str | None = None) -> StopWords:
    """Return the words that attacks leave alone in a language: ours in English (None), NLTK's in any other."""
    return stop_words("textfooler") if language is None else stop_words_of(language)


@cache
def stop_words_of(language: str) -> StopWords:
    """Return NLTK's list of a language, given by its English name, obtained on first use; empty if it has none."""
    listed = resources.get("stopwords") / language.lower()
    return StopWords(listed.read_text(encoding="utf-8").split() if listed.is_file() else (), language)
