"""A study's items as any platform shows them, and its answers as the study stores them."""

from __future__ import annotations

import random
from typing import NamedTuple

from unfool.errors import UserError
from unfool.rating._records import Answered
from unfool.rating._study import Study
from unfool.rating._tasks import Task

_NAME = "item-"


class Question(NamedTuple):
    """An item as it is shown."""

    name: str
    """What the platform calls it, such as ``item-7``."""
    texts: tuple[str, ...]
    """One text or two, in the order to show them."""


class Given(NamedTuple):
    """An answer as a platform tells it."""

    rater: str
    question: str
    answer: str
    comment: str = ""


def questions(study: Study) -> list[list[Question]]:
    """Return the questions in parts, of which none holds two texts made of the same; gold items are in each."""
    of_group: dict[int, int] = {}
    parts: list[list[Question]] = [[] for _ in range(study.fewest_raters // study.per_item)]
    for item in study.items:
        question = _question(study, item.id)
        if item.gold:
            for part in parts:
                part.append(question)
            continue
        # The first version of one group stands beside the second version of the next.
        place = of_group[item.group] = of_group.get(item.group, item.group - 1) + 1
        parts[place % len(parts)].append(question)
    for number, part in enumerate(parts):
        random.Random(f"{study.seed} part {number}").shuffle(part)
    return parts


def answered(study: Study, given: Given) -> Answered:
    """Return an answer as the study stores it."""
    number = given.question.removeprefix(_NAME)
    if not number.isdecimal() or int(number) >= len(study.items):
        raise UserError(f"{given.rater} answers {given.question!r:.60}, which this study does not ask")
    item, shown = int(number), list(study.wording.shown)
    if given.answer not in shown:
        raise UserError(f"{given.rater} answers {given.answer!r:.60} to {given.question}; it is one of {shown}")
    answers = study.answers[::-1] if _swapped(study, item) else study.answers
    return Answered(item, answers[shown.index(given.answer)], given.comment)


def _question(study: Study, number: int) -> Question:
    item = study.items[number]
    texts = tuple(_joined(item.field_names, text) for text in item.texts)
    return Question(f"{_NAME}{number}", texts[::-1] if _swapped(study, number) else texts)


def _joined(names: tuple[str, ...], text: tuple[str, ...]) -> str:
    if len(text) == 1:
        return text[0]
    return "\n\n".join(f"{name}: {field}" for name, field in zip(names, text, strict=True))


def _swapped(study: Study, number: int) -> bool:
    """Whether a pair is shown with its second text first: drawn by the seed, so that answers can be told apart."""
    return study.task is Task.READABILITY and random.Random(f"{study.seed} pair {number}").random() < 1 / 2
