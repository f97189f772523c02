"""From runs to votes: attack, draw, let the stand-in vote, and gather what it and people said."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unfool.job import attack
from unfool.options import Options
from unfool.rating import Results, Study, ask_model, new_study, results
from unfool.runs import Run
from unfool_papers.people.plan import Question, Row

_RUNS = "runs"
_PER_ITEM = 3


def carry_out(
    folder: Path, rows: Mapping[str, Row], questions: Mapping[str, Question], options: Options | None = None
) -> None:
    """Make the runs and the studies that are not there yet, and let the stand-in vote in each.

    Studies that are there keep the votes that people gave.
    """
    opened = options or Options(dtype="fp32")
    for name, row in rows.items():
        attack(
            row.victim, row.data, row.attack, split="test", n=row.n, options=opened, out=folder / _RUNS / name,
            resume=True,
        )  # fmt: skip
    for name, question in questions.items():
        study = _study(folder / name, [folder / _RUNS / run for run in question.runs], question)
        if not study.stand_in_votes():
            ask_model(study, question.stand_in, opened)
        study.store.close()


def _study(folder: Path, runs: list[Path], question: Question) -> Study:
    if (folder / "rating.json").exists():
        return Study.open(folder)
    return new_study(folder, runs, question.task, per_item=_PER_ITEM)


def collect(folder: Path, rows: Mapping[str, Row], questions: Mapping[str, Question]) -> dict[str, Any]:
    """Return what the runs and the votes say, as it is kept: the stand-in's votes and people's apart."""
    return {
        "runs": {name: _run(folder / _RUNS / name, row) for name, row in rows.items()},
        "studies": {name: _votes(Study.open(folder / name), each) for name, each in questions.items()},
    }


def _run(folder: Path, row: Row) -> dict[str, Any]:
    found = Run.open(folder).summary
    return {**row._asdict(), "attacked": found.attacked, "fooled": found.successes}


def _votes(study: Study, question: Question) -> dict[str, Any]:
    people = results(study)
    names = {vote.rater for vote in study.stand_in_votes()}
    study.store.close()
    return {
        **question._asdict(),
        "items": sum(not item.gold for item in study.items),
        "model": {"name": ", ".join(sorted(names)), **_told(results(study, "model"))},
        # None until people have voted: on pages of ours, or elsewhere and imported.
        "people": {"raters": people.counted, **_told(people)} if people.votes else None,
    }


def _told(found: Results) -> dict[str, Any]:
    return {
        "readability": {
            each.method: {"value": each.relative, "low": each.low, "high": each.high}
            for each in found.readabilities
        },
        "accuracy": {
            each.version: {**each.votes.to_dict(), "median_rater": each.median_rater} for each in found.accuracies
        },
    }
