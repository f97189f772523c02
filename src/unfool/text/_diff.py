"""What changed between two texts: one answer for metrics and for display."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from unfool.text._text import Text


class Change(NamedTuple):
    """Words ``before`` at ``position`` of the old text became ``after``; either may be empty."""

    position: int
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class Diff:
    """All changes, and their size in words and characters."""

    changes: tuple[Change, ...]

    @property
    def words_changed(self) -> int:
        """How many words changed; of words that became fewer or more, the larger number."""
        return sum(max(len(change.before), len(change.after)) for change in self.changes)

    @property
    def characters_changed(self) -> int:
        """The edit distance inside the changed words."""
        return sum(edit_distance(" ".join(c.before), " ".join(c.after)) for c in self.changes)


def diff(old: Text, new: Text) -> Diff:
    """Compare two texts word by word."""
    return Diff(_aligned(old, new) if len(old) == len(new) else _matched(old, new))


def edit_distance(first: str, second: str) -> int:
    """Return the Levenshtein distance: the fewest characters to flip, insert or delete."""
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.distance(first, second)


def _aligned(old: Text, new: Text) -> tuple[Change, ...]:
    places = _touched(old, new)
    pairs = ((i, old.words[i], new.words[i]) for i in (range(len(old)) if places is None else places))
    return tuple(Change(i, (a,), (b,)) for i, a, b in pairs if a != b)


def _touched(old: Text, new: Text) -> list[int] | None:
    """Return the places of the words changed on the way from one text to the other, or None if it is unknown."""
    places = set[int]()
    text = new
    while text is not old:
        if text.origin is None:
            return None
        text, changed = text.origin
        places.update(changed)
    return sorted(places)


def _matched(old: Text, new: Text) -> tuple[Change, ...]:
    matcher = SequenceMatcher(None, old.words, new.words, autojunk=False)
    return tuple(
        Change(i1, old.words[i1:i2], new.words[j1:j2])
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    )
