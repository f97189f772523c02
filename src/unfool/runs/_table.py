"""Outcomes as flat rows, for tables, files of columns and files for other programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from unfool.engine import Outcome, Status, Verdict
from unfool.errors import UserError, did_you_mean
from unfool.labels import are_numbers
from unfool.runs._records import to_line
from unfool.runs._words import Piece, mark_changes
from unfool.storage import JSON, explaining, replacing

if TYPE_CHECKING:
    import pyarrow

    from unfool.runs._run import Run


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

numbers: Callable[[Outcome], tuple[int | float, ...]] = attrgetter(
    "before.label",
    "before.confidence",
    "after.label",
    "after.confidence",
    *[name for name in NUMBERS if not name.endswith(("_before", "_after"))],
    "before.tied",
    "after.tied",
)
"""Returns the values of `NUMBERS`."""


class Flat(NamedTuple):
    """The columns, with the type of each, and the rows, still to be read."""

    columns: dict[str, type]
    rows: Iterator[Row]


def flatten(outcomes: Iterable[Outcome], names: Sequence[str]) -> Flat:
    """Lay outcomes of one data set out as rows; each field of the text has a column before and one after."""
    rest = (outcome.as_read for outcome in outcomes)
    first = next(rest, None)
    if first is None:
        return Flat(_columns(("text",)), iter(()))
    return Flat(_columns(first.field_names), (flat_row(outcome, names) for outcome in chain([first], rest)))


def flat_row(outcome: Outcome, names: Sequence[str]) -> Row:
    """Return one outcome as a row of `flatten`."""
    outcome = outcome.as_read
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

    types = {int: pyarrow.int64(), float: pyarrow.float64(), str: pyarrow.string(), bool: pyarrow.bool_()}
    schema = pyarrow.schema([(name, types[kind]) for name, kind in flat.columns.items()])
    yield pyarrow.RecordBatch.from_pylist(list(islice(flat.rows, _BATCH)), schema)
    while rows := list(islice(flat.rows, _BATCH)):
        yield pyarrow.RecordBatch.from_pylist(rows, schema)


def to_table(outcomes: Iterable[Outcome], names: Sequence[str]) -> pyarrow.Table:
    """Return all outcomes as one Arrow table."""
    import pyarrow

    return pyarrow.Table.from_batches(batches(flatten(outcomes, names)))


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
    """Return the labels' names as the run's victim has them, or the data's if the victim only has numbers."""
    victims, datas = config.get("labels"), config.get("data_labels")
    names = [str(name) for name in victims] if isinstance(victims, list) else []
    if are_numbers(names) and isinstance(datas, list) and len(datas) == len(names) and set(datas) != set(names):
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
    """Return the name of a label, or its number if the run does not say."""
    return names[label] if label < len(names) else str(label)


def export(run: Run, format: str, path: str | Path) -> None:
    """Write the outcomes of a run to a file, which takes its place whole or not at all.

    Args:
        run: The run, finished or not.
        format: ``csv`` or ``parquet`` (a row a sample, the columns of `Run.table`), ``jsonl`` (everything, as
            in the run folder, and the labels' names) or ``textattack`` (the CSV log of that toolkit). Only
            ``jsonl`` can hold a lone surrogate; the others get U+FFFD instead.
        path: The file to write.
    """
    if format not in _WRITERS:
        raise UserError(f"unknown format {format!r}" + did_you_mean(format, _WRITERS))
    path = Path(path)
    with explaining(path, "write", "choose another place"), replacing(path) as file:
        _WRITERS[format](run, file)


def _write_csv(run: Run, file: BinaryIO) -> None:
    flat = flatten(run.outcomes(), run.label_names)
    _write_rows(file, flat.columns, flat.rows)


def _write_jsonl(run: Run, file: BinaryIO) -> None:
    names = run.label_names
    file.writelines(to_line(outcome, **named_labels(outcome, names)) for outcome in run.outcomes())


def _write_parquet(run: Run, file: BinaryIO) -> None:
    from pyarrow.parquet import ParquetWriter

    found = batches(flatten(run.outcomes(), run.label_names))
    first = next(found)
    with ParquetWriter(file, first.schema) as writer:
        for batch in chain([first], found):
            writer.write_batch(batch)


_TEXTATTACK_COLUMNS = (
    "original_text", "perturbed_text", "original_score", "perturbed_score", "original_output",
    "perturbed_output", "ground_truth_output", "num_queries", "result_type",
)  # fmt: skip
_TEXTATTACK_RESULTS = {Status.SUCCESS: "Successful", Status.FAILED: "Failed", Status.SKIPPED: "Skipped"}


def _write_textattack(run: Run, file: BinaryIO) -> None:
    _write_rows(file, _TEXTATTACK_COLUMNS, map(_textattack_row, run.outcomes()))


def _textattack_row(outcome: Outcome) -> dict[str, int | float | str]:
    marked = mark_changes(outcome)
    values = (
        _textattack_text(outcome.field_names, marked.original),
        _textattack_text(outcome.field_names, marked.perturbed),
        _textattack_score(outcome.before, outcome.label),
        _textattack_score(outcome.after, outcome.label),
        outcome.before.label,
        outcome.after.label,
        outcome.label,
        outcome.queries,
        _TEXTATTACK_RESULTS[outcome.status],
    )
    return dict(zip(_TEXTATTACK_COLUMNS, values, strict=True))


def _textattack_text(names: tuple[str, ...], fields: tuple[tuple[Piece, ...], ...]) -> str:
    """Put double brackets around changed words, and name the fields if there are several."""
    strings = ["".join(f"[[{p.string}]]" if p.changed else p.string for p in pieces) for pieces in fields]
    if len(strings) > 1:
        strings = [f"[[[[{name.capitalize()}]]]]: {s}" for name, s in zip(names, strings, strict=True)]
    return storable("\n".join(strings).replace("\n", "<SPLIT>"))


def _textattack_score(verdict: Verdict, gold: int) -> float:
    """Return one minus the probability of the gold label.

    An outcome keeps the probability of the answer alone; if that is wrong, this is exact for two classes and
    the least the score can be for more.
    """
    return 1 - verdict.confidence if verdict.label == gold else verdict.confidence


def _write_rows(file: BinaryIO, columns: Iterable[str], rows: Iterable[Mapping[str, int | float | str]]) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.DictWriter(text, list(columns), quoting=csv.QUOTE_NONNUMERIC)
    writer.writeheader()
    writer.writerows(rows)
    text.detach()


_WRITERS: dict[str, Callable[[Run, BinaryIO], None]] = {
    "csv": _write_csv,
    "jsonl": _write_jsonl,
    "parquet": _write_parquet,
    "textattack": _write_textattack,
}
