"""Propose: changes after which a text's label should stand (Ribeiro et al., 2020)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Literal

import numpy as np

from unfool.attacks.parts.propose import in_case_of
from unfool.text import Text

Test = Literal["contractions", "names", "places", "numbers"]
_KINDS: Mapping[Test, Sequence[str]] = {"names": ("person", "family"), "places": ("city", "country", "nationality")}
_DRAWN = 3
_SAID_OFTEN = ("2", "4")
"""Numbers that mean more than a count: *2 good 4 u*."""
_MOST_MOVED = 0.2
_LARGEST = 10**9
_BEFORE_NOT = tuple(
    "is are was were do does did have has had would could should must need might ought".split()  # noqa: SIM905
)
_ENDINGS = {
    "am": ("'m", "I"),
    "are": ("'re", "you we they"),
    "is": ("'s", "he she it that there what where who how"),
    "have": ("'ve", "I you we they could should would might must"),
    "will": ("'ll", "I you he she it we they"),
    "would": ("'d", "I you he she we they"),
}


def invariant_texts(text: Text, tests: Sequence[Test], draw: np.random.Generator) -> list[Text]:
    """Return the text with each change that some tests make, one at a time; other words are drawn."""
    found: list[Text] = []
    for test in tests:
        if test == "contractions":
            found += _contractions(text)
            continue
        for at in text.editable:
            word = text.words[at]
            others = _numbers(word, draw) if test == "numbers" else _namesakes(word, _KINDS[test], draw)
            found += [text.replace(at, other) for other in others]
    return found


def _contractions(text: Text) -> Iterator[Text]:
    short = _short_forms()
    long = {contracted: pair for pair, contracted in short.items()}
    for at in text.editable:
        word = text.words[at].replace("’", "'")
        if word.lower() in long:
            yield text.replace(at, in_case_of(word, " ".join(long[word.lower()])))
        field = text.field_of(at)
        if at + 1 < field.stop and text.gaps[at + 1 + text.fields.index(field)] == " ":
            pair = (word.lower(), text.words[at + 1].lower())
            if pair in short:
                yield text.delete(at + 1).replace(at, in_case_of(word, short[pair]))


@cache
def _short_forms() -> dict[tuple[str, str], str]:
    """Return the contraction of each two words, in lower case."""
    found = {(verb, "not"): f"{verb}n't" for verb in _BEFORE_NOT}
    found |= {("can", "not"): "can't", ("will", "not"): "won't", ("shall", "not"): "shan't"}
    for verb, (ending, subjects) in _ENDINGS.items():
        found |= {(subject.lower(), verb): subject.lower() + ending for subject in subjects.split()}
    return found


def _namesakes(word: str, kinds: Sequence[str], draw: np.random.Generator) -> list[str]:
    """Return some other names of the kind that a word is."""
    for kind in kinds:
        names = _names()[kind]
        if word in names:
            others = [name for name in names if name != word]
            return [others[number] for number in draw.choice(len(others), _DRAWN, replace=False).tolist()]
    return []


def _numbers(word: str, draw: np.random.Generator) -> list[str]:
    """Return some numbers near to one: a fifth more or less at most, and one at least."""
    if not (word.isascii() and word.isdigit()) or word in _SAID_OFTEN or not 0 < int(word) < _LARGEST:
        return []
    number = int(word)
    reach = max(1, int(_MOST_MOVED * number))
    moved = draw.integers(max(0, number - reach), number + reach + 1, size=_DRAWN).tolist()
    return [str(other) for other in dict.fromkeys(moved) if other != number]


@cache
def _names() -> dict[str, tuple[str, ...]]:
    lines = resources.files("unfool.lexicon").joinpath("names.txt").read_text("utf-8").splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    return {kind: tuple(words) for kind, *words in rows}
