"""Whether the labels of a data set and of a victim are the same, and in which order."""

from __future__ import annotations

from collections.abc import Sequence


def match_labels(ours: Sequence[str], theirs: Sequence[str]) -> list[int] | None:
    """Return the victim's number of each of the data's labels; None where the numbers are the same.

    Labels are matched by name where the victim has all the data's names, else by number.
    """
    data, victim = ([name.lower() for name in names] for names in (ours, theirs))
    if data != victim[: len(data)] and set(data) <= set(victim):
        return [victim.index(name) for name in data]
    return None
