"""Carrying a study out: its rows, then its parts, then the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import TIMEOUT_MAX
from time import monotonic, perf_counter

from unfool.devices import torch_device
from unfool.errors import UserError, did_you_mean
from unfool.storage import Kind, WorkFolder, replacing, to_json
from unfool_papers.study import record as measure
from unfool_papers.study.claim import Figures, judged
from unfool_papers.study.kept import Kept
from unfool_papers.study.page import Found, write_page
from unfool_papers.study.plan import LATER, Plan, Scale, Section, Study, Work
from unfool_papers.study.run_rows import carry_out_rows

_RESULTS = "results.json"
_STUDY = Kind("a study of a paper", "study.json", beside=lambda path: path.name != _RESULTS)


@dataclass(frozen=True)
class Finished:
    """A study that was carried out, and where it lies."""

    found: Found
    page: Path
    results: Path
    seconds: float


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
    study: Study,
    scale: str = "smoke",
    *,
    out: str | Path | None = None,
    device: str = "auto",
    workers: int = 1,
    minutes: float | None = None,
    runs: Path | None = None,
    kept: Path | None = None,
    only: str | None = None,
    say: Callable[[str], None] = lambda told: None,
    progress: bool = True,
) -> Finished:
    """Carry a study out, or go on with it, and write its page.

    What is finished is not done again: called twice, it does nothing but write the page anew. A row or a part that
    fails is named on the page; the others go on.

    Args:
        study: The study.
        scale: ``smoke`` for minutes on two cores, ``full`` for the papers' sizes.
        out: The folder; ``runs/study-NAME-SCALE`` where None.
        device: ``cpu``, ``cuda`` or ``auto``.
        workers: How many rows, trainings and pieces of a part are done at once, each in a process of its own.
        minutes: When to stop: nothing is begun any more, pieces under way in other processes are left as they are,
            and what is not done is named among the problems.
        runs: Another folder in which finished runs of rows are looked for.
        kept: A folder of results, as ``results/`` is: rows, matrices and rules found there are not done again.
        only: The title of one part, to be carried out alone; everything if None.
        say: Is told what is done next.
        progress: Whether to show bars.

    Raises:
        UserError: There is no such scale or part, the folder holds another study or scale, or it cannot be written.
    """
    size, plan = plan_of(study, scale)
    if only is not None:
        plan = plan.part_alone(only)
    folder = Path(out) if out else Path("runs") / f"study-{study.name}-{size}"
    started = perf_counter()
    settings = {"study": study.name, "scale": size}
    with WorkFolder(folder, _STUDY, settings, resume=True, quiet=True) as held, held.writing():
        # A time longer than any clock can tell is no limit.
        ends = None if minutes is None or 60 * minutes > TIMEOUT_MAX else monotonic() + 60 * minutes
        work = Work(
            folder, torch_device(device).type, workers, say, progress, ends=ends, kept=Kept(kept) if kept else None
        )
        found = _found(study, size, plan, work, runs)
        results = folder / _RESULTS
        with replacing(results) as file:
            file.write(to_json(found.results(), indent=1))
        page = write_page(found, folder)
    return Finished(found, page, results, perf_counter() - started)


def _found(study: Study, scale: Scale, plan: Plan, work: Work, elsewhere: Path | None) -> Found:
    kept = work.kept.records(plan.rows) if work.kept else {}
    todo = [row for row in plan.rows if row.name not in kept]
    runs, problems = carry_out_rows(todo, work.out / "runs", work, elsewhere)
    if work.kept and work.time_is_up:  # then figures of fewer texts are better than none; the page says so
        kept |= work.kept.records([row for row in todo if row.name not in runs], of_as_many=False)
        problems = {name: problem for name, problem in problems.items() if name not in kept}
    sections: dict[str, Section] = {}
    for part in plan.parts:
        if work.time_is_up and not (work.kept and part.takes_kept):
            problems[part.title] = LATER
            continue
        work.say(part.title)
        try:
            sections[part.title] = part.do(work._replace(runs=runs))
            problems |= sections[part.title].problems
        except Exception as error:  # the other parts are worth having all the same
            problems[part.title] = _told(error)
            work.say(f"failed: {problems[part.title]}")
    records = {
        row.name: kept.get(row.name) or measure.record(row, runs[row.name])
        for row in plan.rows
        if row.name in runs or row.name in kept
    }
    claims = [judged(claim, runs) for claim in plan.claims(Figures(records))]
    return Found(study, scale, plan, list(records.values()), [each for each in claims if each], sections, problems)


def _told(error: Exception) -> str:
    return str(error) if isinstance(error, UserError) else repr(error)
