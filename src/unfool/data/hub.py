"""Data sets of the hub, through the `datasets` library."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unfool.data._files import choose_split
from unfool.data._parquet import rows_of
from unfool.data._rows import Rows, Source
from unfool.errors import UserError, first_line


class NotOnHub(UserError):
    """The hub does not have a name, or nobody can say: a clause that begins with what was tried."""


def open_hub(name: str, split: str | None) -> tuple[Source, str]:
    """Open a split of a hub id, or of a local folder in the hub's layout, and return it with its name.

    A set of several configurations is named with one behind it: ``nyu-mll/glue:sst2``.
    """
    try:
        import datasets
    except ImportError:
        raise NotOnHub("looking on the hub needs datasets: pip install 'unfool[hub]'") from None
    from unfool.resources import ask_hub

    set_name, _, config = name.partition(":")
    if not Path(set_name).is_dir():
        try:
            ask_hub("dataset", set_name)
        except LookupError:
            raise NotOnHub("the hub has no such data set") from None
        except ConnectionError as problem:
            raise NotOnHub(
                f"the hub cannot be reached ({problem}; HF_HUB_OFFLINE=1 uses a copy loaded before)"
            ) from problem
    try:
        there = datasets.get_dataset_split_names(set_name, config or None)
        chosen = choose_split(name, split, there)
        loaded = datasets.load_dataset(set_name, config or None, split=chosen)
    except UserError:
        raise
    except Exception as problem:  # its many kinds of failure share no base; the first line says what it was
        raise UserError(f"the hub's data set {name!r} cannot be loaded: {first_line(problem)}") from problem
    return source_of(loaded, name), chosen


def source_of(loaded: Any, name: str) -> Source:
    """Return a loaded data set as a source."""

    def read(texts: Sequence[str], label: str) -> Rows:
        columns = list(dict.fromkeys([*texts, label]))  # without labels, the text is read in their place
        table = loaded.select_columns(columns).with_format("arrow")[:]
        return rows_of(table, texts, label, name)

    class_names = {
        column: tuple(feature.names)
        for column, feature in loaded.features.items()
        if type(feature).__name__ == "ClassLabel"
    }
    return Source(name, tuple(loaded.column_names), read, "row", class_names)
