"""A run as one file for other programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import BinaryIO

from unfool.engine import Outcome, Status, Verdict
from unfool.errors import UserError, did_you_mean
from unfool.runs._records import to_line
from unfool.runs._run import Run
from unfool.runs._table import arrow_schema, batches, flatten, named_labels, storable
from unfool.runs._words import Piece, mark_changes
from unfool.storage import explaining, replacing


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

    flat = flatten(run.outcomes(), run.label_names)
    with ParquetWriter(file, arrow_schema(flat)) as writer:
        for batch in batches(flat):
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
    """Put double brackets around changed words, and name the fields where there are several."""
    strings = ["".join(f"[[{p.string}]]" if p.changed else p.string for p in pieces) for pieces in fields]
    if len(strings) > 1:
        strings = [f"[[[[{name.capitalize()}]]]]: {s}" for name, s in zip(names, strings, strict=True)]
    return storable("\n".join(strings).replace("\n", "<SPLIT>"))


def _textattack_score(verdict: Verdict, gold: int) -> float:
    """Return one minus the probability of the gold label.

    An outcome keeps the probability of the answer alone; where that is wrong, this is exact for two classes and
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
