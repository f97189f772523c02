"""A table for any crowd platform, and the table it gives back."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path

from unfool.errors import UserError
from unfool.rating._study import Study
from unfool.rating.elsewhere._html import question_html
from unfool.rating.elsewhere._questions import Given, Question

_NAMES = {
    "rater": ("rater", "WorkerId", "worker_id"),
    "question": ("item", "Input.item"),
    "answer": ("answer", "Answer.answer"),
}
"""Columns, as we call them and as Mechanical Turk does."""
_COMMENTS = ("comment", "Answer.comment")


def write(study: Study, questions: list[Question], folder: Path) -> None:
    """Write ``questions.csv``: texts, answers, and the whole question as HTML."""
    columns = ["item", "question", "text_1", "text_2", "answers", "html"]
    with (folder / "questions.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for question in questions:
            texts = (*question.texts, "")[:2]
            answers = " | ".join(study.wording.shown)
            writer.writerow(
                [question.name, study.wording.question, *texts, answers, question_html(study, question)]
            )


def read(path: Path) -> Iterator[Given]:
    """Read the columns ``rater``, ``item``, ``answer`` and perhaps ``comment``, or those of Mechanical Turk."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            yield Given(**{name: _cell(path, row, known) for name, known in _NAMES.items()}, comment=_comment(row))


def _cell(path: Path, row: Mapping[str, str | None], known: tuple[str, ...]) -> str:
    found = next((row[name] for name in known if row.get(name)), None)
    if found is None:
        raise UserError(f"{path} has a row without {known[0]!r}; name its columns rater, item and answer")
    return found


def _comment(row: Mapping[str, str | None]) -> str:
    return next((str(row[name]) for name in _COMMENTS if row.get(name)), "")
