"""Propose: changes of characters that a reader does not see (Boucher et al., 2021)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from unfool.lexicon.confusables import look_alikes
from unfool.text import Text

Unseen = Literal["invisible", "homoglyph", "reordering", "deletion"]
INVISIBLE = "\u200b\u200c\u200d"
"""A space of no width, a non-joiner, a joiner."""
BACKSPACE = "\b"
_KEYS = "".join(map(chr, range(33, 127)))
# Both letters are isolated, and the two are written from right to left: shown, they stand as before.
_TURNED = "\u202d\u2066\u202e\u2066{}\u2069\u2066{}\u2069\u202c\u2069\u202c"


class Edit(NamedTuple):
    """What comes into a word at a place, instead of so many of its characters."""

    position: int
    place: int
    width: int
    put: str

    def made_in(self, word: str) -> str:
        """Return the word with this edit."""
        return word[: self.place] + self.put + word[self.place + self.width :]


def unseen_edits(text: Text, kind: Unseen) -> list[Edit]:
    """Return every edit of a kind in the words that may be edited, from left to right."""
    edits_of = _EDITS[kind]
    return [Edit(at, *edit) for at in text.editable for edit in edits_of(text.words[at])]


def with_edits(text: Text, edits: Sequence[Edit]) -> Text:
    """Return a text with several edits; of those that touch the same characters, the first is made."""
    kept: dict[int, list[Edit]] = {}
    for edit in edits:
        others = kept.setdefault(edit.position, [])
        if not any(_touch(edit, other) for other in others):
            others.append(edit)
    words = {}
    for at, several in kept.items():
        words[at] = text.words[at]
        # From the end, so that the places before stay where they are.
        for edit in sorted(several, key=lambda edit: -edit.place):
            words[at] = edit.made_in(words[at])
    return text.replace_several(list(words), words.values())


def _touch(one: Edit, other: Edit) -> bool:
    first, second = sorted((one, other), key=lambda edit: (edit.place, edit.width))
    return second.place < first.place + first.width


def _insertions(word: str) -> Iterator[tuple[int, int, str]]:
    return ((place, 0, put) for place in range(len(word) + 1) for put in INVISIBLE)


def _homoglyphs(word: str) -> Iterator[tuple[int, int, str]]:
    return ((place, 1, put) for place, old in enumerate(word) for put in look_alikes(old))


def _reorderings(word: str) -> Iterator[tuple[int, int, str]]:
    pairs = ((place, word[place : place + 2]) for place in range(len(word) - 1))
    return ((place, 2, _TURNED.format(pair[1], pair[0])) for place, pair in pairs if pair.isalnum())


def _deletions(word: str) -> Iterator[tuple[int, int, str]]:
    # Behind a key that is to be deleted stands its backspace, and nothing may come between them.
    places = (place for place in range(len(word) + 1) if word[place : place + 1] != BACKSPACE)
    return ((place, 0, key + BACKSPACE) for place in places for key in _KEYS)


_EDITS: Mapping[Unseen, Callable[[str], Iterator[tuple[int, int, str]]]] = {
    "invisible": _insertions,
    "homoglyph": _homoglyphs,
    "reordering": _reorderings,
    "deletion": _deletions,
}
