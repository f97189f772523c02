"""Synonyms from WordNet, read straight from its database files.

The files are small enough to be held as bytes and looked into on demand: that loads in a fraction of the
seconds NLTK's reader takes, and threads share it freely. A test holds it equal to NLTK's reader.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path

from unfool import resources
from unfool.errors import UserError

_FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}  # WordNet's own order of the parts of speech

_INFLECTIONS = {
    "n": "s: ses:s ves:f xes:x zes:z ches:ch shes:sh men:man ies:y",
    "v": "s: ies:y es:e es: ed:e ed: ing:e ing:",
    "a": "er: est: er:e est:e",
    "r": "",
}
_ENDINGS = {pos: [pair.split(":") for pair in pairs.split()] for pos, pairs in _INFLECTIONS.items()}
"""Endings of inflected words, each with what takes its place in the base form."""

_NAME_FILES = {"14": "group", "15": "location", "18": "person"}
"""WordNet's numbers for the files its editors sort such nouns into."""
_INSTANCE = "@i"
"""Points from one such thing, which has a name, to what it is one of."""

_WORDS_KEPT = 1 << 18


@dataclass(frozen=True, slots=True)
class _PartOfSpeech:
    index: dict[str, str]  # lemma -> the rest of its line, which ends with the offsets of its synsets
    data: bytes  # one synset a line, found by offset
    irregular: dict[str, list[str]]  # inflected form -> base forms

    def synsets(self, lemma: str) -> Iterator[list[str]]:
        """Yield the words of each synset of a lemma, the most frequent sense first."""
        for record in self.records(lemma):
            yield record[4 : 4 + 2 * int(record[3], 16) : 2]

    def records(self, lemma: str) -> Iterator[list[str]]:
        """Yield the fields of each synset of a lemma, its gloss left out."""
        fields = self.index[lemma].split()
        for offset in fields[-int(fields[1]) :]:
            start = int(offset)
            yield self.data[start : self.data.index(b"|", start)].decode().split()


def _read(archive: Path) -> dict[str, _PartOfSpeech]:
    with zipfile.ZipFile(archive) as files:

        def lines(name: str) -> list[str]:
            return files.read(f"wordnet/{name}").decode().splitlines()

        return {
            pos: _PartOfSpeech(
                index=dict(
                    line.split(" ", 1)
                    for line in lines(f"index.{name}")
                    if not line.startswith(" ")  # the licence
                ),
                data=files.read(f"wordnet/data.{name}"),
                irregular={form: bases for form, *bases in map(str.split, lines(f"{name}.exc"))},
            )
            for pos, name in _FILES.items()
        }


class WordNet:
    """WordNet's synonyms of single words and set phrases; it is read when it is first needed.

    Args:
        archive: Gives the path of ``wordnet.zip``.
        name: The expression that rebuilds this object.
    """

    def __init__(self, archive: Callable[[], Path], name: str) -> None:
        self._archive, self._name = archive, name
        self._kept = lru_cache(maxsize=_WORDS_KEPT)(self._find)

    def __repr__(self) -> str:
        return self._name

    def synonyms(self, word: str, pos: str | None = None) -> tuple[str, ...]:
        """Return the words that share a synset with ``word``, in WordNet's order, each once.

        Args:
            word: A word in any inflection, or a phrase.
            pos: ``n``, ``v``, ``a``, ``r``, or None for all four in that order.

        Returns:
            Lemmas, phrases with spaces, spelled as WordNet spells them; never ``word`` itself in any case.
        """
        return self._kept(word.lower(), pos)

    def base_forms(self, word: str, pos: str) -> tuple[str, ...]:
        """Return the lemmas of one part of speech that ``word`` may be an inflection of, itself included."""
        part = self._part(pos)
        form = word.lower().replace(" ", "_")
        bases = part.irregular.get(form)
        if bases is None:
            bases = [form.removesuffix(old) + new for old, new in _ENDINGS[pos] if form.endswith(old)]
        return tuple(base.replace("_", " ") for base in dict.fromkeys([form, *bases]) if base in part.index)

    def name_kind(self, word: str) -> str | None:
        """Return what a name stands for in its first sense that is one: a ``person``, ``location`` or ``group``."""
        nouns = self._part("n")
        lemma = word.lower().replace(" ", "_")
        if lemma not in nouns.index:
            return None
        kinds = (_NAME_FILES.get(record[1]) for record in nouns.records(lemma) if _INSTANCE in record)
        return next(filter(None, kinds), None)

    @cached_property
    def _parts(self) -> dict[str, _PartOfSpeech]:
        return _read(self._archive())

    def _part(self, pos: str) -> _PartOfSpeech:
        if pos not in _FILES:
            raise UserError(f"WordNet has no part of speech {pos!r}; use one of {', '.join(_FILES)}")
        return self._parts[pos]

    def _find(self, word: str, pos: str | None) -> tuple[str, ...]:
        found = (
            lemma.split("(", 1)[0].replace("_", " ")  # adjectives may carry a marker: "alive(p)"
            for one in ([pos] if pos else _FILES)
            for base in self.base_forms(word, one)
            for synset in self._part(one).synsets(base.replace(" ", "_"))
            for lemma in synset
        )
        return tuple(lemma for lemma in dict.fromkeys(found) if lemma.lower() != word)


@cache
def wordnet() -> WordNet:
    """Return WordNet 3.0, which is obtained and read on first use."""
    return WordNet(lambda: resources.get("wordnet"), "wordnet()")
