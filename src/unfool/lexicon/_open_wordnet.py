"""Synonyms in thirty languages, from the Open Multilingual Wordnet: words that share one of WordNet's meanings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType

from unfool import resources
from unfool.errors import UserError, did_you_mean

WORDNETS: Mapping[str, str] = MappingProxyType(
    {
        "Albanian": "als/wn-data-als",
        "Arabic": "arb/wn-data-arb",
        "Basque": "mcr/wn-data-eus",
        "Bulgarian": "bul/wn-data-bul",
        "Catalan": "mcr/wn-data-cat",
        "Chinese": "cow/wn-data-cmn",
        "Croatian": "hrv/wn-data-hrv",
        "Danish": "dan/wn-data-dan",
        "Dutch": "nld/wn-data-nld",
        "Finnish": "fin/wn-data-fin",
        "French": "fra/wn-data-fra",
        "Galician": "mcr/wn-data-glg",
        "Greek": "ell/wn-data-ell",
        "Hebrew": "heb/wn-data-heb",
        "Icelandic": "isl/wn-data-isl",
        "Indonesian": "msa/wn-data-ind",
        "Italian": "iwn/wn-data-ita",
        "Japanese": "jpn/wn-data-jpn",
        "Lithuanian": "slk/wn-data-lit",
        "Malay": "msa/wn-data-zsm",
        "Norwegian": "nor/wn-data-nob",
        "Nynorsk": "nor/wn-data-nno",
        "Polish": "pol/wn-data-pol",
        "Portuguese": "por/wn-data-por",
        "Romanian": "ron/wn-data-ron",
        "Slovak": "slk/wn-data-slk",
        "Slovene": "slv/wn-data-slv",
        "Spanish": "mcr/wn-data-spa",
        "Swedish": "swe/wn-data-swe",
        "Thai": "tha/wn-data-tha",
    }
)
"""The files by language; there is no German one."""


class OpenWordNet:
    """The synonyms of single words of one language; the file is read when they are first needed.

    Words are looked up as they stand, in lower case: nothing here knows inflections.

    Args:
        file: Gives the path of the language's file.
        name: The expression that rebuilds this object.
    """

    def __init__(self, file: Callable[[], Path], name: str) -> None:
        self._file, self._name = file, name

    def __repr__(self) -> str:
        return self._name

    def synonyms(self, word: str) -> tuple[str, ...]:
        """Return the words that share a meaning with ``word``, in the file's order, each once."""
        lower = word.lower()
        found = (other for meaning in self._meanings.get(lower, ()) for other in self._words[meaning])
        return tuple(other for other in dict.fromkeys(found) if other.lower() != lower)

    @cached_property
    def _words(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        with self._file().open(encoding="utf-8") as lines:
            for line in lines:
                meaning, kind, *rest = line.rstrip("\n").split("\t")
                # Phrases are not synonyms of a word; Chinese and Japanese ones are cut by a plus sign.
                if kind.endswith("lemma") and not any(mark in rest[-1] for mark in " _+"):
                    found.setdefault(meaning, []).append(rest[-1])
        return found

    @cached_property
    def _meanings(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for meaning, words in self._words.items():
            for word in words:
                found.setdefault(word.lower(), []).append(meaning)
        return found


@cache
def open_wordnet(language: str) -> OpenWordNet:
    """Return the wordnet of a language, which is obtained on first use.

    Raises:
        UserError: There is none of that language.
    """
    if language not in WORDNETS:
        raise UserError(f"there is no wordnet for {language!r}{did_you_mean(language, WORDNETS)}")
    return OpenWordNet(
        lambda: resources.get("open-wordnet") / f"{WORDNETS[language]}.tab", f"open_wordnet({language!r})"
    )
