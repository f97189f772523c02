"""What mining has done so far: a folder with a small file for each stretch of texts, whole or not there at all."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from unfool.errors import RESUME
from unfool.rules._trial import COUNTS, FLIPPED, FLIPS_KEPT, KEYS, MiningFigures, sum_column
from unfool.storage import JSON, Kind, explaining, replacing, to_json

MINING = Kind("a mining", "config.json")
_FIGURES = b"told"
_PART = re.compile(r"(\d{9})\.parquet")
_ROWS_AT_ONCE = 2_000_000
"""Rows of single stretches held before they are put together; memory then grows with the rules alone."""

RuleKey = tuple[int, str, str]


class Parts:
    """The folder of a mining under way.

    Args:
        folder: Where it lies.
        config: All that decides what the files hold.
    """

    def __init__(self, folder: Path, config: Mapping[str, JSON]) -> None:
        self.folder, self.config = folder, config

    def done(self) -> set[int]:
        """Return the numbers of the stretches that are there."""
        with self._reading():
            found = map(_PART.fullmatch, (path.name for path in self.folder.iterdir()))
            return {int(match[1]) for match in found if match}

    def write(self, number: int, table: pa.Table, figures: MiningFigures) -> None:
        """Add the file of a stretch."""
        with self._writing(), replacing(self._path(number)) as file:
            pq.write_table(table.replace_schema_metadata({_FIGURES: to_json(figures._asdict())}), file)

    def figures(self) -> MiningFigures:
        """Return the figures of all stretches together."""
        with self._reading():
            each = [json.loads(pq.read_schema(path).metadata[_FIGURES]) for path in self._paths()]
        return MiningFigures(*(sum(one[name] for one in each) for name in MiningFigures._fields))

    def rules(self, models: int) -> pa.Table:
        """Return a row for each rule: counts and sums added up over all stretches, and the first places it flips.

        Places are in the last column: of each, its place in the data and the position in the text, one after the
        other; null where there is none.
        """
        numbers = [*COUNTS, *map(sum_column, range(models))]
        waiting: list[pa.Table] = []
        rows = 0
        flipped: dict[RuleKey, list[int]] = {}
        with self._reading():
            for path in self._paths():
                table = pq.read_table(path, columns=[*KEYS, *numbers, FLIPPED])
                _add_flipped(flipped, table.filter(pc.field("flips") > 0))
                waiting.append(table.drop_columns(FLIPPED))
                rows += len(table)
                if rows > _ROWS_AT_ONCE:
                    waiting = [_together(waiting, numbers)]
                    rows = 0
        rules = _together(waiting, numbers)
        keys = zip(*(rules[name].to_pylist() for name in KEYS), strict=True)
        places = pa.array(map(flipped.get, keys), pa.list_(pa.int64()))
        return rules.append_column(FLIPPED, places)

    def remove(self) -> None:
        """Remove the folder; what is in it is written elsewhere by now."""
        with self._writing():
            shutil.rmtree(self.folder)

    def _paths(self) -> Iterator[Path]:
        return (self._path(number) for number in sorted(self.done()))

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:09d}.parquet"

    def _writing(self) -> AbstractContextManager[None]:
        return explaining(self.folder, "write", f"what was done is kept: mend that and add {RESUME}")

    def _reading(self) -> AbstractContextManager[None]:
        return explaining(self.folder, "read", "remove it to mine anew")


def _add_flipped(found: dict[RuleKey, list[int]], table: pa.Table) -> None:
    """Add the places of a stretch to rules that have few yet; stretches come in the order of their texts."""
    *keys, places = (table[name].to_pylist() for name in (*KEYS, FLIPPED))
    for key, each in zip(zip(*keys, strict=True), places, strict=True):
        there = found.setdefault(key, [])
        if len(there) < 2 * FLIPS_KEPT:
            there += each[: 2 * FLIPS_KEPT - len(there)]


def _together(tables: Sequence[pa.Table], numbers: Sequence[str]) -> pa.Table:
    if not tables:
        return pa.table({name: pa.array([], pa.int64()) for name in (*KEYS, *numbers)})
    joined = pa.concat_tables(tables).group_by(list(KEYS)).aggregate([(name, "sum") for name in numbers])
    return joined.select([*KEYS, *(f"{name}_sum" for name in numbers)]).rename_columns([*KEYS, *numbers])
