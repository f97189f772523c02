"""Which columns hold the text, the second text of a pair, and the label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from unfool.data._files import Absent
from unfool.errors import UserError

_TEXTS = ("text", "sentence", "content", "review", "document", "comment", "tweet", "question", "body")
_PAIRS = (
    ("premise", "hypothesis"),
    ("sentence1", "sentence2"),
    ("question1", "question2"),
    ("question", "sentence"),
    ("question", "passage"),
    ("text1", "text2"),
    ("text_a", "text_b"),
)
_LABELS = ("label", "labels", "target", "class", "gold_label", "category", "sentiment")
_ROW_NAMES = ("", "id", "idx", "index", "uid", "guid", "row", "unnamed: 0")
"""Columns that number the rows, and are never taken for a text or a label."""
_LONGEST_NAME_SHOWN = 40

ANSWERS = "@victim"
"""Stands for the label column if every text is to have the label that the victim gives it."""


class Columns(NamedTuple):
    """The columns a data set was read from, and how they came to be chosen."""

    text: str
    """The column of the text, or of the first text of a pair."""
    pair: str | None
    """The column of the second text; None if texts are single."""
    label: str
    guessed: tuple[str, ...] = ()
    """Which of the three (``"text"``, ``"pair"``, ``"label"``) the user did not name."""
    names_sorted: tuple[str, ...] = ()
    """The label names, if their ids follow their sorted order because the file has no other."""
    names_given: bool = False
    """Whether the user named the labels."""
    renamed: tuple[tuple[str, str], ...] = ()
    """The labels the user renamed, each with its new name."""
    behind: tuple[str, ...] = ()
    """Columns that stand behind the text for a goal to look at, such as a reference."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The columns that hold text."""
        return (self.text, *(() if self.pair is None else (self.pair,)), *self.behind)

    def describe(self) -> str:
        """Say in one line which columns are used and what was guessed."""
        roles = {"text": self.text, "pair": self.pair, "label": self.label}
        parts = [
            f"{role}={column}{' (guessed)' if role in self.guessed else ''}"
            for role, column in roles.items()
            if column is not None
        ]
        line = f"columns: {', '.join(parts)}"
        if self.names_sorted:
            ids = ", ".join(f"{number}={name}" for number, name in enumerate(self.names_sorted))
            line += f"; label ids by sorted name: {ids}"
        return line


def choose_columns(
    where: str, there: Sequence[str], *, text: str | None, pair: str | None, label: str | None
) -> Columns:
    """Take the columns the user named and guess the others: from the usual names, or the only one that is left.

    The labels may be `ANSWERS`, which is no column. A column may be named in another case if only one fits. A
    text the user named without a pair is a single text, even if the file has the usual columns of a pair.
    """
    text, pair, label = (as_written(name, there) for name in (text, pair, label))
    guessed = []
    in_lower = {name.lower() for name in there}
    found_pair = next((names for names in _PAIRS if in_lower.issuperset(names)), None)
    if text is None and pair is None and found_pair is not None:
        text, pair = (_guess(there, [name]) for name in found_pair)
        guessed += ["text", "pair"]
    elif text is None:
        usual = [first for first, second in _PAIRS if second == pair] if pair is not None else _TEXTS
        text = _guess(there, usual)
        guessed.append("text")
    if label is None:
        label = _guess(there, [name for name in _LABELS if name not in (text, pair)])
        guessed.append("label")
    if label is None and text is not None:
        label = _only_one_left(there, (text, pair))
    elif text is None and label is not None:
        text = _only_one_left(there, (pair, label))
    if text is None or label is None:
        role = "text" if text is None else "label"
        raise (UserError if text is None else Absent)(
            f"{where!r} has no column that looks like the {role}; name it with --{role} (from Python: "
            f"unfool.data.load(…, {role}=…)); there is {_listed(there)}"
        )
    for column in (text, pair, label):
        if column not in (None, ANSWERS) and there.count(column) != 1:
            count = "no column" if column not in there else "more than one column"
            problem = Absent if column == label and column not in there else UserError
            raise problem(f"{where!r} has {count} {column!r}; there is {_listed(there)}")
    columns = Columns(text, pair, label, tuple(guessed))
    if len({*columns.texts, label}) <= len(columns.texts):
        raise UserError(f"{columns.describe()}: text, pair and label must be different columns of {where!r}")
    return columns


def as_written(name: str | None, there: Sequence[str]) -> str | None:
    """Return a column's name as the file writes it, if it was named in another case and only one fits."""
    if name is None or name in there:
        return name
    alike = [column for column in there if column.lower() == name.lower()]
    return alike[0] if len(alike) == 1 else name


def _guess(there: Sequence[str], usual: Sequence[str]) -> str | None:
    """Return the first column of a usual name, whatever its case."""
    by_lower = {name.lower(): name for name in reversed(there)}
    return next((by_lower[name] for name in usual if name in by_lower), None)


def _only_one_left(there: Sequence[str], taken: Sequence[str | None]) -> str | None:
    """Return the only column that is not taken and does not number the rows, or None if several could be meant."""
    left = [name for name in there if name not in taken and name.strip().lower() not in _ROW_NAMES]
    return left[0] if len(left) == 1 else None


def _listed(there: Sequence[str]) -> str:
    return ", ".join(repr(name[:_LONGEST_NAME_SHOWN]) for name in there)
