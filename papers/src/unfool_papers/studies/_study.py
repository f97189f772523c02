"""Carrying a study out: its rows, then its parts, then the page."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import TIMEOUT_MAX
from time import monotonic, perf_counter
from typing import Any

from unfool.devices import torch_device
from unfool.errors import UserError, did_you_mean
from unfool.storage import explaining, locked, make_folder, replacing, to_json
from unfool_papers.studies import _measure as measure
from unfool_papers.studies import cs229, firebert, hotflip, self_attention, transferability
from unfool_papers.studies._claim import Figures, judged
from unfool_papers.studies._page import Found, write_page
from unfool_papers.studies._plan import LATER, Plan, Scale, Section, Study, Work
from unfool_papers.studies._row import Row
from unfool_papers.studies._rows import carry_out_rows

STUDIES: dict[str, Study] = {
    each.STUDY.name: each.STUDY for each in (self_attention, transferability, cs229, firebert, hotflip)
}
_RESULTS = "results.json"


@dataclass(frozen=True)
class Finished:
    """A study that was carried out, and where it lies."""

    found: Found
    page: Path
    results: Path
    seconds: float


def find_study(name: str) -> Study:
    """Return a study by name.

    Raises:
        UserError: If there is none of that name.
    """
    if name not in STUDIES:
        raise UserError(f"there is no study {name!r}{did_you_mean(name, STUDIES)}")
    return STUDIES[name]


def plan_of(study: Study, scale: str) -> tuple[Scale, Plan]:
    """Return a study's plan at a scale.

    Raises:
        UserError: If there is no such scale.
    """
    for known, plan in study.plans.items():
        if known == scale:
            return known, plan
    raise UserError(f"there is no scale {scale!r}{did_you_mean(scale, study.plans)}")


def carry_out(
    study: str | Study,
    scale: str = "smoke",
    *,
    out: str | Path | None = None,
    device: str = "auto",
    workers: int = 1,
    minutes: float | None = None,
    runs: Path | None = None,
    say: Callable[[str], None] = lambda told: None,
    progress: bool = True,
) -> Finished:
    """Carry a study out, or go on with it, and write its page.

    What is finished is not done again: called twice, it does nothing but write the page anew. A row or a part that
    fails is named on the page; the others go on.

    Args:
        study: Its name, or itself.
        scale: ``smoke`` for minutes on two cores, ``full`` for the papers' sizes.
        out: The folder; ``runs/study-NAME-SCALE`` where None.
        device: ``cpu``, ``cuda`` or ``auto``.
        workers: How many rows, trainings and pieces of a part are done at once, each in a process of its own.
        minutes: When to stop: nothing is begun any more, pieces under way in other processes are left as they are,
            and what is not done is named among the problems.
        runs: Another folder in which finished runs of rows are looked for.
        say: Is told what is done next.
        progress: Whether to show bars.

    Raises:
        UserError: If there is no such study or scale, or the folder cannot be written.
    """
    asked = find_study(study) if isinstance(study, str) else study
    size, plan = plan_of(asked, scale)
    folder = Path(out) if out else Path("runs") / f"study-{asked.name}-{size}"
    started = perf_counter()
    with explaining(folder, "write", "choose another --out"):
        make_folder(folder)
        with locked(folder):
            _refuse_another(folder, asked, size)
            # Who waits longer than any clock can tell waits for ever.
            ends = None if minutes is None or 60 * minutes > TIMEOUT_MAX else monotonic() + 60 * minutes
            work = Work(folder, torch_device(device).type, workers, say, progress, ends=ends)
            found = _found(asked, size, plan, work, runs)
            results = folder / _RESULTS
            with replacing(results) as file:
                file.write(to_json(found.results(), indent=1))
            page = write_page(found, folder)
    return Finished(found, page, results, perf_counter() - started)


def _refuse_another(folder: Path, study: Study, scale: Scale) -> None:
    """Refuse a folder with the results of another study, or of another scale: these would be overwritten."""
    file = folder / _RESULTS
    if not file.is_file():
        return
    there = json.loads(file.read_bytes())
    told = [str(there.get(key)) for key in ("study", "scale")] if isinstance(there, dict) else []
    if told != [study.name, scale]:
        raise UserError(f"{folder} holds other results ({', '.join(told) or _RESULTS}); choose another --out")


def _found(study: Study, scale: Scale, plan: Plan, work: Work, elsewhere: Path | None) -> Found:
    runs, problems = carry_out_rows(plan.rows, work.out / "runs", work, elsewhere)
    sections: dict[str, Section] = {}
    for part in plan.parts:
        if work.time_is_up:
            problems[part.title] = LATER
            continue
        work.say(part.title)
        try:
            sections[part.title] = part.do(work._replace(runs=runs))
            problems |= sections[part.title].problems
        except Exception as error:  # the other parts are worth having all the same
            problems[part.title] = _told(error)
            work.say(f"failed: {problems[part.title]}")
    records = {row.name: measure.record(row, runs[row.name]) for row in plan.rows if row.name in runs}
    claims = [judged(claim, runs) for claim in plan.claims(Figures(records))]
    return Found(study, scale, plan, list(records.values()), [each for each in claims if each], sections, problems)


def _told(error: Exception) -> str:
    return str(error) if isinstance(error, UserError) else repr(error)


def all_rows() -> tuple[Row, ...]:
    """Return the rows of every paper at full scale."""
    return tuple(row for study in STUDIES.values() for row in study.plans["full"].rows)


def all_claims(records: dict[str, Any]) -> list[Any]:
    """Return the claims of every paper about rows at full scale, measured or not."""
    figures = Figures(records)
    return [claim for study in STUDIES.values() for claim in study.plans["full"].claims(figures)]
