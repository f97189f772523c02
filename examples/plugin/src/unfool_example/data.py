"""A data set: anything that `unfool.load_data` takes."""

from __future__ import annotations

from unfool.data import data_set


@data_set
def weather(*, days: int = 4) -> list[tuple[str, str]]:
    """A few remarks about the weather."""
    remarks = [
        ("a great and lovely day after a sad night", "positive"),
        ("an awful and terrible rain over a nice town", "negative"),
    ]
    return [remarks[day % 2] for day in range(days)]
