"""Labelled texts: a file, a folder of splits, a built-in set or a hub id by name, or what is in memory."""

from unfool.data._columns import ANSWERS, Columns
from unfool.data._dataset import Dataset
from unfool.data._files import Absent
from unfool.data._find import DATA_SETS, NamedData, at_hand, data_set, drawn, has_splits, names, place_of_file
from unfool.data._load import as_dataset, load
from unfool.data._objects import from_texts
from unfool.data._rows import BadRow
from unfool.options import GUESSED, Reading

__all__ = [
    "ANSWERS",
    "DATA_SETS",
    "GUESSED",
    "Absent",
    "BadRow",
    "Columns",
    "Dataset",
    "NamedData",
    "Reading",
    "as_dataset",
    "at_hand",
    "data_set",
    "drawn",
    "from_texts",
    "has_splits",
    "load",
    "names",
    "place_of_file",
]
