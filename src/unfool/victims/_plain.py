"""Rendered texts as people's own code wants them: strings, or pairs of strings."""

from __future__ import annotations

from collections.abc import Sequence

from unfool.victims._text_victim import Input

EMPTY_TEXT: Input = ("",)
EMPTY_PAIR: Input = ("", "")


def plain(inputs: Sequence[Input]) -> list[str] | list[Input]:
    """Return single texts as strings and pairs as tuples."""
    if all(len(strings) == 1 for strings in inputs):
        return [strings[0] for strings in inputs]
    return list(inputs)
