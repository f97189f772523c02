"""Labelled texts that are in memory already."""

from __future__ import annotations

from collections.abc import Sequence

from unfool.data._columns import ANSWERS, Columns
from unfool.data._dataset import Dataset
from unfool.data._labels import read_labels, unlabelled
from unfool.data._rows import BadRow, RowCollector
from unfool.errors import UserError


def from_texts(
    texts: Sequence[str],
    labels: Sequence[int | str],
    *,
    pairs: Sequence[str] | None = None,
    edit: str | None = None,
    names: Sequence[str] | None = None,
    name: str = "texts",
) -> Dataset:
    """Make a data set of texts and their right labels.

    Args:
        texts: The texts.
        labels: A label each, a name or a number; or ``"@victim"``, for the answers of the victim that is attacked.
        pairs: A second text each, where the victim reads pairs.
        edit: Of a pair, the one that attacks may change: ``text`` or ``pair``; both where None.
        names: The names of the label ids 0, 1, …, as `load` takes them.
        name: What a run calls the data.

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
    )
