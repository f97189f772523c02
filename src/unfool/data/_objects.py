"""Labelled texts that are in memory: data frames, Hugging Face data sets, lists of pairs or dicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from unfool.data._columns import ANSWERS, Columns
from unfool.data._dataset import Dataset
from unfool.data._files import choose_split
from unfool.data._labels import read_labels, unlabelled
from unfool.data._rows import BadRow, RowCollector, Rows, Source
from unfool.data.hub import source_of
from unfool.errors import UserError

_ACCEPTED = (
    "a name such as FILE.csv, a pandas DataFrame, a Hugging Face Dataset or DatasetDict, a list of (text, label) "
    "pairs, or a list of dicts"
)


def open_object(data: object, split: str | None) -> tuple[Source, str | None]:
    """Open an object that holds texts."""
    kind = type(data).__name__
    if isinstance(data, Mapping) and data and all(map(_is_hub_dataset, data.values())):
        chosen = choose_split(kind, split, list(map(str, data)))
        return source_of(data[chosen], kind), chosen
    if split is not None:
        raise UserError(f"a {kind} in memory has no split {split!r}; name no split")
    if _is_hub_dataset(data):
        return source_of(data, kind), None
    if hasattr(data, "columns") and hasattr(data, "iloc"):
        frame: Any = data
        columns = tuple(map(str, frame.columns))
        return Source(kind, columns, _reader(lambda name: frame.iloc[:, columns.index(name)].tolist()), "row"), None
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _list_source(data), None
    raise UserError(f"the data is a {kind}; give {_ACCEPTED}")


def _is_hub_dataset(data: object) -> bool:
    return hasattr(data, "features") and hasattr(data, "select_columns") and hasattr(data, "with_format")


def _list_source(rows: Sequence[object]) -> Source:
    if not rows:
        raise UserError("the data is an empty list; give at least one text and its label")
    if all(isinstance(row, Mapping) for row in rows):
        dicts: list[Mapping[str, object]] = list(rows)  # type: ignore[arg-type]
        keys = tuple(dict.fromkeys(str(key) for row in dicts for key in row))
        return Source("the list of dicts", keys, _reader(lambda key: [row.get(key) for row in dicts]), "row")
    for number, row in enumerate(rows, start=1):
        if not (isinstance(row, (tuple, list)) and len(row) == 2 and isinstance(row[0], str)):
            raise UserError(
                f"item {number} of the list is {row!r:.60}; give (text, label) pairs or dicts, or make a data set: "
                "unfool.data.from_texts(TEXTS, LABELS, pairs=SECOND_TEXTS)"
            )
    pairs: list[Sequence[object]] = list(rows)  # type: ignore[arg-type]
    columns = ("text", "label")
    return Source("the list", columns, _reader(lambda name: [row[columns.index(name)] for row in pairs]), "row")


def _reader(values: Callable[[str], Sequence[object]]) -> Callable[[Sequence[str], str], Rows]:
    """Return how rows are read, given how the values of a column are."""

    def read(texts: Sequence[str], label: str) -> Rows:
        collected = RowCollector(len(texts))
        columns = (values(column) for column in (*texts, label))
        for row, (*strings, written) in enumerate(zip(*columns, strict=True), start=1):
            found = [None if _is_missing(string) else string for string in strings]
            wrong = next((each for each in found if not isinstance(each, str | None)), None)
            if wrong is not None:
                collected.reject(row, f"the text is a {type(wrong).__name__}, not a string")
            else:
                label_string = None if _is_missing(written) else str(written)
                collected.add([string for string in found if isinstance(string, str | None)], label_string, row)
        return collected.finish()

    return read


def _is_missing(value: object) -> bool:
    """Return whether a value is a gap: None, or one of the kinds of NaN, none of which equals itself."""
    if isinstance(value, str) or value is None:
        return value is None
    try:
        return not value == value  # noqa: SIM201
    except (TypeError, ValueError):  # pandas.NA has no truth, an array more than one
        return type(value).__name__ == "NAType"


def from_texts(
    texts: Sequence[str],
    labels: Sequence[int | str],
    *,
    pairs: Sequence[str] | None = None,
    edit: str | None = None,
    names: Sequence[str] | None = None,
    name: str = "texts",
    cutter: str | None = None,
) -> Dataset:
    """Make a data set of texts and their right labels.

    Args:
        texts: The texts.
        labels: A label each, a name or a number; or ``"@victim"``, for the answers of the victim that is attacked.
        pairs: A second text each, if the victim reads pairs.
        edit: Of a pair, the one that attacks may change: ``text`` or ``pair``; both if None.
        names: The names of the label ids 0, 1, …, as `load` takes them.
        name: What a run calls the data.
        cutter: Who cuts texts without spaces into words, as `load` takes it.

    Raises:
        UserError: If there are no texts, not as many of the others as texts, or one of them cannot be used.
    """
    answered = isinstance(labels, str) and labels == ANSWERS
    if answered:
        labels = [""] * len(texts)
    columns = Columns("text", None if pairs is None else "pair", ANSWERS if answered else "label")
    if edit not in (None, *columns.texts):
        raise UserError(f"there is no {edit!r} to edit; there is {' and '.join(columns.texts)}")
    given = [texts] if pairs is None else [texts, pairs]
    if not len(texts) or {*map(len, (labels, *given))} != {len(texts)}:
        counts = [f"{len(texts)} texts", *(f"{len(second)} second texts" for second in given[1:])]
        raise UserError(
            f"{', '.join(counts)} and {len(labels)} labels; give a label for each text, and at least one"
        )
    collected = RowCollector(len(given))
    for row, (label, *strings) in enumerate(zip(labels, *given, strict=True), start=1):
        for string in strings:
            if not isinstance(string, str):
                raise UserError(
                    f"text {row} is a {type(string).__name__}, not a string; give second texts apart: pairs=[…]"
                )
        missing = label is None or label != label  # a data frame's gap
        collected.add(strings, None if missing else str(label), row)
    rows = collected.finish()
    found = unlabelled(len(texts)) if answered else read_labels(rows.labels, name, given=names, in_file=None)
    for bad in [*rows.bad, *(BadRow(int(rows.lines[place]), why) for place, why in found.reasons.items())]:
        raise UserError(f"text {bad.line}: {bad.reason}; mend it or leave it out")
    return Dataset(
        name=name,
        split=None,
        labels=found.names,
        columns=columns._replace(
            names_sorted=found.names if found.are_sorted else (), names_given=names is not None
        ),
        bad_rows=[],
        _texts=rows.texts,
        _label_ids=found.ids,
        _ids=rows.ids,
        _editable=edit,
        _call=f"from_texts({len(texts)} texts, name={name!r})",
        cutter=cutter,
    )
