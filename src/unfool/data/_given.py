"""Labelled texts that are in memory already."""

from __future__ import annotations

from collections.abc import Sequence

from unfool.data._columns import Columns
from unfool.data._dataset import Dataset
from unfool.data._labels import read_labels
from unfool.data._rows import BadRow, RowCollector
from unfool.errors import UserError


def from_texts(
    texts: Sequence[str], labels: Sequence[int | str], *, names: Sequence[str] | None = None, name: str = "texts"
) -> Dataset:
    """Make a data set of texts and their right labels.

    Args:
        texts: The texts.
        labels: A label each, a name or a number.
        names: The names of the label ids 0, 1, …, as `load` takes them.
        name: What a run calls the data.

    Raises:
        UserError: If there are no texts, not as many labels as texts, or one of either cannot be used.
    """
    if not len(texts) or len(texts) != len(labels):
        raise UserError(
            f"{len(texts)} texts and {len(labels)} labels; give a label for each text, and at least one"
        )
    collected = RowCollector(1)
    for row, (text, label) in enumerate(zip(texts, labels, strict=True), start=1):
        if not isinstance(text, str):
            raise UserError(
                f"text {row} is a {type(text).__name__}, not a string; write pairs to a file and load it"
            )
        missing = label is None or label != label  # a data frame's gap
        collected.add([text], None if missing else str(label), row)
    rows = collected.finish()
    found = read_labels(rows.labels, name, given=names, in_file=None)
    for bad in [*rows.bad, *(BadRow(int(rows.lines[place]), why) for place, why in found.reasons.items())]:
        raise UserError(f"text {bad.line}: {bad.reason}; mend it or leave it out")
    return Dataset(
        name=name,
        split=None,
        labels=found.names,
        columns=Columns("text", None, "label", names_sorted=found.names if found.are_sorted else ()),
        bad_rows=[],
        _texts=rows.texts,
        _label_ids=found.ids,
        _ids=rows.ids,
        _editable=None,
        _call=f"from_texts({len(texts)} texts, name={name!r})",
    )
