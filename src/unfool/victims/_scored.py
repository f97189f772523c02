"""Answers as Hugging Face's pipelines and servers give them: labels with their scores, the best first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from unfool.victims._labels import numbered_labels

_NUMBERED = re.compile(r"label_(\d{1,9})")
"""What transformers calls, in lower case, a class that has no name."""


def read_scores(value: Any) -> dict[str, float] | None:
    """Return the scores by label of one text's answer; None where it has another form.

    Args:
        value: ``[{"label": "POSITIVE", "score": 0.9}, …]``, or the best alone, without a list.
    """
    items = [value] if isinstance(value, dict) else value
    if not isinstance(items, list) or not items or not all(map(_is_scored, items)):
        return None
    scores = {item["label"]: item["score"] for item in items}
    return scores if len(scores) == len(items) else None


def names_in_order(names: Iterable[str]) -> tuple[str, ...]:
    """Return label names in an order that is the same for every answer; numbers for those nobody named."""
    found = list(names)
    numbers = sorted(int(match[1]) for name in found if (match := _NUMBERED.fullmatch(name.lower())))
    if numbers == list(range(len(found))):
        return numbered_labels(len(found))
    return tuple(sorted(found, key=int if all(map(str.isdecimal, found)) else None))


def place_of(name: str, labels: Sequence[str]) -> int | None:
    """Return a label's number: by its name, in any case where one alone fits, or by the number in its name."""
    if name in labels:
        return labels.index(name)
    alike = [number for number, label in enumerate(labels) if label.lower() == name.lower()]
    numbered = _NUMBERED.fullmatch(name.lower())
    if not alike and numbered:
        alike = [number for number in [int(numbered[1])] if number < len(labels)]
    return alike[0] if len(alike) == 1 else None


def row_of(scores: Mapping[str, float], labels: Sequence[str]) -> list[float] | None:
    """Return one score a label, what is missing to 1 where a single one is; None where the names do not fit."""
    row: list[float | None] = [None] * len(labels)
    for name, score in scores.items():
        place = place_of(name, labels)
        if place is None or row[place] is not None:
            return None
        row[place] = score
    if row.count(None) > 1:
        return None
    rest = max(0.0, 1 - sum(scores.values()))
    return [rest if score is None else score for score in row]


def _is_scored(item: Any) -> bool:
    if not isinstance(item, dict) or not isinstance(item.get("label"), str):
        return False
    score = item.get("score")
    return isinstance(score, int | float) and not isinstance(score, bool)
