"""Compare: what of a text changed, as strings that a model can read."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from unfool.text import Change, Text, diff

LONGEST_STRETCH = 64
"""Words that a sentence encoder reads to their end: it looks at 128 tokens."""


def editable_string(text: Text) -> str:
    """Return the fields that may be edited as one string."""
    return "\n".join(string for field, string in zip(text.fields, text.strings, strict=True) if field.editable)


def changed_stretches(original: Text, text: Text, longest: int = LONGEST_STRETCH) -> list[tuple[str, str]]:
    """Return what changed as it was and as it is: whole fields, or even stretches of those with too many words."""
    pairs: list[tuple[str, str]] = []
    changes: Sequence[Change] | None = None
    for number, (old, new) in enumerate(zip(original.fields, text.fields, strict=True)):
        if original.strings[number] == text.strings[number]:
            continue
        count = -(-(old.stop - old.start) // longest)
        if count <= 1:
            pairs.append((original.strings[number], text.strings[number]))
            continue
        if changes is None:
            changes = diff(original, text).changes
        cuts = [old.start + (old.stop - old.start) * part // count for part in range(1, count)]
        before = [old.start, *cuts, old.stop]
        after = [new.start, *(_moved(cut, changes) for cut in cuts), new.stop]
        for (a, b), (c, d) in zip(pairwise(before), pairwise(after), strict=True):
            was, now = _part(original, number, a, b), _part(text, number, c, d)
            if was != now:
                pairs.append((was, now))
    return pairs


def _moved(place: int, changes: Sequence[Change]) -> int:
    """Return where the word at a place of the original stands after the changes."""
    moved = place
    for change in changes:
        gone = min(max(place - change.position, 0), len(change.before))
        if change.position + len(change.before) <= place:
            moved += len(change.after) - gone
        else:
            moved += min(gone, len(change.after)) - gone
    return moved


def _part(text: Text, number: int, start: int, stop: int) -> str:
    pieces = [piece for place in range(start, stop) for piece in (text.gaps[place + number], text.words[place])]
    if stop == text.fields[number].stop:
        pieces.append(text.gaps[stop + number])
    return "".join(pieces)
