"""How a data set is read, as one value: for what loads several splits of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from unfool.data._dataset import Dataset
from unfool.data._load import load


class Reading(NamedTuple):
    """What `load` takes beside a name and a split; ``edit`` is its ``editable``."""

    text: str | None = None
    pair: str | None = None
    label: str | None = None
    edit: str | None = None
    labels: Sequence[str] | None = None
    skip_bad: bool = False
    rename: Mapping[str, str] | None = None
    encoding: str | None = None

    @property
    def given(self) -> dict[str, Any]:
        """What is not left to `load`."""
        return {name: value for name, value in self._asdict().items() if value not in (None, False)}

    def load(self, name: str, split: str | None = None) -> Dataset:
        """Load a split."""
        return load(
            name,
            split=split,
            text=self.text,
            pair=self.pair,
            label=self.label,
            editable=self.edit,
            labels=self.labels,
            skip_bad=self.skip_bad,
            rename=self.rename,
            encoding=self.encoding,
        )


GUESSED = Reading()
"""Columns by their usual names, and no row left out."""
