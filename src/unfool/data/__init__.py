"""Labelled texts by name: a file, a folder of splits, a set at hand, a built-in one, or a hub id; or given."""

from unfool.data._columns import ANSWERS, Columns
from unfool.data._dataset import Dataset
from unfool.data._drawn import drawn
from unfool.data._find import at_hand, has_splits, names
from unfool.data._given import from_texts
from unfool.data._load import as_dataset, load
from unfool.data._rows import BadRow
from unfool.data._splits import Absent
from unfool.options import GUESSED, Reading

__all__ = [
    "ANSWERS",
    "GUESSED",
    "Absent",
    "BadRow",
    "Columns",
    "Dataset",
    "Reading",
    "as_dataset",
    "at_hand",
    "drawn",
    "from_texts",
    "has_splits",
    "load",
    "names",
]
