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


def told_in_order(data: str, ours: Sequence[str], victim: str, theirs: Sequence[str]) -> str | None:
    """Say which label was taken for which where no names told it; None where they did.

    Args:
        data: The name of the data.
        ours: Its labels.
        victim: The name of the victim.
        theirs: Its labels.
    """
    if {name.lower() for name in ours} <= {name.lower() for name in theirs}:
        return None
    return f"the labels {list(ours)} of {data} are {list(theirs[: len(ours)])} of {victim}, in order"
