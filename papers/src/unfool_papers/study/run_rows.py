"""The rows of a study: one after the other, or several at once, each in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from unfool import zoo
from unfool.parallel import Folder, Workers, works_here
from unfool.runs import Run
from unfool.zoo.victim_names import model_folders, models_home
from unfool_papers.study import record as measure
from unfool_papers.study.plan import LATER, Work
from unfool_papers.study.row import Row


class Done(NamedTuple):
    """The rows' runs, and what kept others from being done, by the rows' names."""

    runs: dict[str, Run]
    problems: dict[str, str]


class _Place(NamedTuple):
    runs: Path
    device: str
    progress: bool


def carry_out_rows(rows: Sequence[Row], own: Path, work: Work, elsewhere: Path | None = None) -> Done:
    """Do all rows that are not done, into a folder of their own; finished runs may also lie elsewhere.

    Of rows done here, the texts without a result are tried again.
    """
    problems: dict[str, str] = {}
    todo = [row for row in rows if not _is_done(row, own, elsewhere)]

    def announced() -> Iterator[Row]:
        for number, row in enumerate(todo, start=len(rows) - len(todo) + 1):
            work.say(f"{number}/{len(rows)} {row.name}, {row.n} texts")
            yield row

    in_turn = works_here(work.workers)
    if todo and not in_turn and not work.time_is_up:
        _train(todo, work)
        work.say(f"{len(todo)} of {len(rows)} rows, {work.workers} at once")
    place = _Place(own, work.device, work.progress and in_turn)
    folders = [Folder(own), Folder(models_home(), models_home)]
    workers = Workers(min(work.workers, len(todo)), place, folders=folders, device=work.device)
    with suppress(TimeoutError), workers as processes:
        for each in processes.do(_row, announced(), pieces=partial(_touched, own), ends=work.ends):
            if each.problem:
                problems[each.job.name] = str(each.problem)
                work.say(f"failed: {each.job.name}: {each.problem}")
    runs = {row.name: run for row in rows if (run := _finished(row, own, elsewhere))}
    if work.time_is_up:
        problems |= {row.name: LATER for row in rows if row.name not in runs and row.name not in problems}
    return Done(runs, problems)


def _is_done(row: Row, own: Path, elsewhere: Path | None) -> bool:
    here = measure.finished(row, own, row.n)
    return here.whole if here else _finished(row, own, elsewhere) is not None


def _finished(row: Row, own: Path, elsewhere: Path | None) -> Run | None:
    found = (measure.finished(row, place, row.n) for place in (own, elsewhere) if place)
    return next((run for run in found if run), None)


def _train(rows: Sequence[Row], work: Work) -> None:
    """Train the victims first, each once; the rows of one that cannot be trained tell why."""
    named = dict.fromkeys(zoo.parse(row.victim) for row in rows if row.victim.startswith("zoo:"))
    missing = [each for each in named if each.report is None]
    for trained in zoo.train_many(missing, workers=work.workers, device=work.device, progress=False):
        work.say(f"{trained.named}: {trained.error or 'trained'}")


def _touched(runs: Path, row: Row) -> list[Path]:
    return [runs / row.folder(row.n), *model_folders(row.victim)]


def _row(place: _Place, row: Row) -> None:
    measure.carry_out(row, place.runs, row.n, place.device, progress=place.progress)
