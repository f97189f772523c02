"""The forms in which people's own code and servers answer about texts, each turned into a row of probabilities."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Floats
from unfool.errors import UserError, VictimError
from unfool.victims._victim import Unusable, require_one_each


def label_names(victim: str, labels: Sequence[str]) -> tuple[str, ...]:
    """Return label names as they are kept, or raise a `UserError` if they cannot name classes."""
    names = tuple(map(str, labels))
    if isinstance(labels, str) or len(names) < 2 or len(set(names)) < len(names):
        raise UserError(f"labels {labels!r} for {victim}: give at least two different names, one a class")
    return names


def numbered_labels(classes: int) -> tuple[str, ...]:
    """Return names for classes nobody named: their numbers."""
    return tuple(map(str, range(classes)))


def names_of_classes(given: Mapping[Any, object] | None) -> tuple[str, ...] | None:
    """Return the names in an ``id2label`` of transformers; None if there are none or they were made up."""
    by_number = {int(number): str(name) for number, name in (given or {}).items()}
    names = tuple(by_number.get(number, "") for number in range(len(by_number)))
    return None if not names or names == tuple(f"LABEL_{n}" for n in range(len(names))) else names


def read_labels(written: str) -> tuple[str, ...]:
    """Return the labels in ``A|B``, the form in which they stand behind a victim's name."""
    return tuple(unquote(label.strip()) for label in written.split("|"))


_NUMBERED = re.compile(r"label_(\d{1,9})")
"""What transformers calls, in lower case, a class that has no name."""


def read_scores(value: Any) -> dict[str, float] | None:
    """Return the scores by label of one text's answer, or None if it has another form.

    Args:
        value: ``[{"label": "POSITIVE", "score": 0.9}, …]``, or the best alone, without a list; or, as spaCy gives
            it, ``{"POSITIVE": 0.9, …}``.
    """
    if isinstance(value, dict) and value and all(isinstance(k, str) and _is_number(v) for k, v in value.items()):
        return dict(value)
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
    """Return a label's number: by its name, in any case if only one fits, or by the number in its name."""
    if name in labels:
        return labels.index(name)
    alike = [number for number, label in enumerate(labels) if label.lower() == name.lower()]
    numbered = _NUMBERED.fullmatch(name.lower())
    if not alike and numbered:
        alike = [number for number in [int(numbered[1])] if number < len(labels)]
    return alike[0] if len(alike) == 1 else None


def row_of(scores: Mapping[str, float], labels: Sequence[str]) -> list[float] | None:
    """Return one score a label, or None if the names do not fit; a single missing score is what is left to 1."""
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
    return _is_number(item.get("score"))


def _is_number(score: Any) -> bool:
    return isinstance(score, int | float) and not isinstance(score, bool)


_LONE = str | int | float | np.generic


def as_rows(victim: str, answers: Any, count: int, labels: Sequence[str]) -> NDArray[Any] | list[Any]:
    """Return one row a text, for `checked` to judge; a `VictimError` in place of one that cannot be read."""
    answers = _without_device(answers)
    if isinstance(answers, np.ndarray) and answers.shape == (count, len(labels)) and answers.dtype.kind in "fiub":
        return answers
    return [_as_row(victim, answer, labels) for answer in one_a_text(victim, answers, count)]


def one_a_text(victim: str, answers: Any, count: int) -> list[Any]:
    """Return the answers as a list, or raise a `VictimError` if there is not one a text."""
    answers = _without_device(answers)
    require_one_each(victim, answers, count)
    try:
        return [_plain(answers[number]) for number in range(count)]
    except LookupError:  # a dictionary, a data frame
        raise Unusable(f"{victim} gave a {type(answers).__name__}; it must give one row a text") from None


def classes_in(victim: str, answer: Any) -> tuple[str, ...]:
    """Return the labels that the answer to one text tells of, or raise a `VictimError` if it does not."""
    if isinstance(answer, str | int):
        raise VictimError(f"{victim} answers with one label a text, {answer!r}, not with all")
    if isinstance(answer, float):
        return numbered_labels(2)
    if scores := read_scores(answer):
        if len(scores) == 1:
            raise VictimError(f"{victim} answers with its best label alone, {answer!r:.80}")
        return names_in_order(scores)
    if not hasattr(answer, "__len__") or len(answer) < 2:
        raise VictimError(f"{victim} answered {answer!r:.80}; expected one number a class")
    return numbered_labels(len(answer))


def _as_row(victim: str, answer: Any, labels: Sequence[str]) -> Any:
    if isinstance(answer, VictimError):
        return answer
    if isinstance(answer, str | int):
        return _certain(victim, answer, labels)
    if isinstance(answer, float):
        if len(labels) != 2:
            return Unusable(
                f"{victim} answered {answer!r}: one number a text is the probability of the second of two labels, "
                f"and there are {len(labels)}; return one number a label"
            )
        if not 0 <= answer <= 1:
            return Unusable(
                f"{victim} answered {answer!r}, which is no probability of {labels[1]!r}; "
                "return a number from 0 to 1: apply a sigmoid to a logit"
            )
        return [1 - answer, answer]
    scores = read_scores(answer)
    if scores is None:
        return answer
    row = row_of(scores, labels)
    told = f"{victim} answered {answer!r:.80}; expected a score for each of the labels {list(labels)}"
    return Unusable(f"{told}; a pipeline tells all of them with top_k=None") if row is None else row


def _certain(victim: str, answer: str | int, labels: Sequence[str]) -> Floats | VictimError:
    place = _place(answer, labels)
    if place is None:
        return Unusable(f"{victim} answered {answer!r:.80}, which is none of the labels {list(labels)}")
    row: Floats = np.zeros(len(labels), dtype=np.float32)
    row[place] = 1
    return row


def _place(answer: str | int, labels: Sequence[str]) -> int | None:
    named = place_of(str(answer), labels)
    if named is not None or isinstance(answer, str):
        return named
    if all(map(str.isdecimal, labels)):  # numbers of their own, such as one to five stars
        return place_of(str(int(answer)), labels)
    return int(answer) if 0 <= answer < len(labels) else None


def _without_device(answers: Any) -> Any:
    if hasattr(answers, "detach"):  # a tensor, perhaps on a device or still tied to its graph
        answers = answers.detach().cpu()
        return (answers.float() if answers.is_floating_point() else answers).numpy()
    return answers


def _plain(answer: Any) -> Any:
    """Return what stands alone, a number of any library or a list of one, as Python's own."""
    answer = _without_device(answer)
    if isinstance(answer, np.ndarray | np.generic) and answer.ndim <= 1 and answer.size == 1:
        return answer.item()
    if isinstance(answer, list | tuple) and len(answer) == 1 and isinstance(answer[0], _LONE):
        return _plain(answer[0])
    return answer
