"""Mining stretch by stretch: each leaves a small file in the folder of the mining, whole or not there at all.

Stretches are done one after the other, or in several processes that each keep the models open.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from unfool.devices import gpu_is_full
from unfool.errors import RESUME
from unfool.parallel import Cause, Folder, Problem, Workers
from unfool.rules._scores import ScoringModels
from unfool.rules._trial import (
    COUNTS,
    FLIPPED,
    FLIPS_KEPT,
    KEYS,
    MiningFigures,
    PlacedSample,
    StretchTrial,
    sum_column,
)
from unfool.storage import JSON, Kind, explaining, replacing, to_json
from unfool.victims import Options, open_victim
from unfool.zoo.victim_names import model_folders, models_home

MINING = Kind("a mining", "config.json")
_FIGURES = b"told"
_PART = re.compile(r"(\d{9})\.parquet")
_ROWS_AT_ONCE = 2_000_000
"""Rows of single stretches held before they are put together; memory then grows with the rules alone."""

_STRETCHES_A_TASK = 8
"""On a GPU, where a stretch takes a fraction of a second and the next is prepared meanwhile."""

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
        with self._writing(), replacing(self.file(number)) as file:
            pq.write_table(table.replace_schema_metadata({_FIGURES: to_json(figures._asdict())}), file)

    def figures(self) -> MiningFigures:
        """Return the figures of all stretches together."""
        with self._reading():
            each = [json.loads(pq.read_schema(path).metadata[_FIGURES]) for path in self._paths()]
        return MiningFigures(*(sum(one[name] for one in each) for name in MiningFigures._fields))

    def rules(self, models: int) -> pa.Table:
        """Return a row for each rule: counts and sums added up over all stretches, and the first places it flips.

        Places are in the last column: of each, its place in the data and the position in the text, one after the
        other; null if there is none.
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
        return (self.file(number) for number in sorted(self.done()))

    def file(self, number: int) -> Path:
        """Return where a stretch lies."""
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


class Job(NamedTuple):
    """A stretch of texts and its number."""

    number: int
    stretch: Sequence[PlacedSample]


class Shared(NamedTuple):
    """What each of several processes needs: where files go, how it opens the models, and whether it works ahead."""

    parts: Parts
    names: tuple[str, ...]
    options: Options
    labels: tuple[str, ...]
    ahead: bool


def mine_here(jobs: Iterable[Job], parts: Parts, models: ScoringModels, *, ahead: bool) -> Iterator[int]:
    """Do stretches one after the other, leave their files, and yield how many texts each had.

    With ``ahead``, the next stretch is prepared while a device works on one.

    Raises:
        UserError: The GPU's memory is full.
    """
    try:
        yield from _in_turn(jobs, parts, models, ahead)
    except RuntimeError as error:
        if not gpu_is_full(error):
            raise
        raise Problem(Cause.MEMORY_FULL, str(error)).error() from None


def mine_in_processes(jobs: Iterable[Job], shared: Shared, workers: int) -> Iterator[int]:
    """Do as `mine_here` does in several processes, each of which opens the models for itself.

    Raises:
        UserError: A process ended early or failed, or the GPU's memory is full.
    """
    source = iter(jobs)
    tasks = iter(lambda: list(islice(source, _STRETCHES_A_TASK if shared.ahead else 1)), [])
    parts, models = shared.parts, [folder for name in shared.names for folder in model_folders(name)]

    def touched(jobs: Sequence[Job]) -> list[Path]:
        return [*(parts.file(job.number) for job in jobs), *models]

    folders = [Folder(parts.folder), Folder(models_home(), models_home)]
    with Workers(workers, shared, folders=folders, device=shared.options.device) as processes:
        for done in processes.do(_do, tasks, pieces=touched, retry=False):
            if done.problem:
                raise done.problem.error()
            yield done.result or 0


def _do(shared: Shared, jobs: Sequence[Job]) -> int:
    return sum(_in_turn(jobs, shared.parts, _opened(shared.names, shared.options, shared.labels), shared.ahead))


def _in_turn(jobs: Iterable[Job], parts: Parts, models: ScoringModels, ahead: bool) -> Iterator[int]:
    waiting: deque[tuple[Job, StretchTrial]] = deque()

    def finish() -> int:
        job, trial = waiting.popleft()
        parts.write(job.number, *trial.result())
        return len(job.stretch)

    for job in jobs:
        waiting.append((job, StretchTrial(models, job.stretch)))
        if len(waiting) > ahead:
            yield finish()
    while waiting:
        yield finish()


@cache
def _opened(names: tuple[str, ...], options: Options, labels: tuple[str, ...]) -> ScoringModels:
    return ScoringModels([open_victim(name, options) for name in names], labels)
