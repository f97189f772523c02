"""Outcomes as flat rows, for tables and for files of columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from unfool.engine import Outcome
from unfool.storage import JSON

if TYPE_CHECKING:
    import pyarrow

_BATCH = 10_000

Row = dict[str, int | float | str]

NUMBERS: dict[str, type] = {
    "label_before": int,
    "confidence_before": float,
    "label_after": int,
    "confidence_after": float,
    "queries": int,
    "checks": int,
    "words": int,
    "words_changed": int,
    "characters": int,
    "characters_changed": int,
    "tied_before": bool,
    "tied_after": bool,
}
"""The numbers of an outcome, with the type of each."""


class Flat(NamedTuple):
    """The columns, with the type of each, and the rows, still to be read."""

    columns: dict[str, type]
    rows: Iterator[Row]


def flatten(outcomes: Iterable[Outcome], names: Sequence[str]) -> Flat:
    """Lay outcomes of one data set out as rows; each field of the text has a column before and one after.

    Args:
        outcomes: The outcomes.
        names: What the label numbers mean.
    """
    rest = iter(outcomes)
    first = next(rest, None)
    if first is None:
        return Flat(_columns(("text",)), iter(()))
    return Flat(_columns(first.field_names), (flat_row(outcome, names) for outcome in chain([first], rest)))


def flat_row(outcome: Outcome, names: Sequence[str]) -> Row:
    """Return one outcome as a row of `flatten`."""
    gold, before, after = map(storable, named_labels(outcome, names).values())
    values = (
        outcome.id,
        outcome.label,
        gold,
        outcome.status.value,
        storable(outcome.reason),
        *map(storable, outcome.original),
        *map(storable, outcome.perturbed),
        before,
        after,
        *numbers(outcome),
    )
    return dict(zip(_columns(outcome.field_names), values, strict=True))


def batches(flat: Flat) -> Iterator[pyarrow.RecordBatch]:
    """Yield the rows as Arrow batches of bounded size: at least one, so that an empty run keeps its columns."""
    import pyarrow

    schema = arrow_schema(flat)
    yield pyarrow.RecordBatch.from_pylist(list(islice(flat.rows, _BATCH)), schema)
    while rows := list(islice(flat.rows, _BATCH)):
        yield pyarrow.RecordBatch.from_pylist(rows, schema)


def arrow_schema(flat: Flat) -> pyarrow.Schema:
    """Return the columns as an Arrow schema."""
    import pyarrow

    types = {int: pyarrow.int64(), float: pyarrow.float64(), str: pyarrow.string(), bool: pyarrow.bool_()}
    return pyarrow.schema([(name, types[kind]) for name, kind in flat.columns.items()])


def to_table(outcomes: Iterable[Outcome], names: Sequence[str]) -> pyarrow.Table:
    """Return all outcomes as one Arrow table."""
    import pyarrow

    return pyarrow.Table.from_batches(batches(flatten(outcomes, names)))


def numbers(outcome: Outcome) -> tuple[int | float, ...]:
    """Return the values of `NUMBERS`."""
    return (
        outcome.before.label,
        outcome.before.confidence,
        outcome.after.label,
        outcome.after.confidence,
        outcome.queries,
        outcome.checks,
        outcome.words,
        outcome.words_changed,
        outcome.characters,
        outcome.characters_changed,
        outcome.before.tied,
        outcome.after.tied,
    )


def storable(string: str) -> str:
    """Return the string with U+FFFD for each lone surrogate, which UTF-8 cannot hold."""
    return string.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _columns(fields: Sequence[str]) -> dict[str, type]:
    return {
        "id": int,
        "label": int,
        "label_name": str,
        "status": str,
        "reason": str,
        **{f"original_{name}": str for name in fields},
        **{f"perturbed_{name}": str for name in fields},
        "label_name_before": str,
        "label_name_after": str,
        **NUMBERS,
    }


def label_names(config: Mapping[str, JSON]) -> list[str]:
    """Return the labels' names as the run's victim has them, or the data's where the victim only has numbers."""
    victims, datas = config.get("labels"), config.get("data_labels")
    names = [str(name) for name in victims] if isinstance(victims, list) else []
    numbered = names == [str(number) for number in range(len(names))]
    if numbered and isinstance(datas, list) and len(datas) == len(names) and set(datas) != set(names):
        # Labels that were not matched by name were matched by number.
        return [str(name) for name in datas]
    return names


def named_labels(outcome: Outcome, names: Sequence[str]) -> dict[str, str]:
    """Return the names of an outcome's labels, as files for other programs call them."""
    return {
        "label_name": label_name(names, outcome.label),
        "label_name_before": label_name(names, outcome.before.label),
        "label_name_after": label_name(names, outcome.after.label),
    }


def label_name(names: Sequence[str], label: int) -> str:
    """Return the name of a label; its number where the run does not say."""
    return names[label] if label < len(names) else str(label)
