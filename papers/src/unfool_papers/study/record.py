"""From a row to a run, and from a run to what the table shows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from unfool import data, zoo
from unfool.engine import Outcome, Predictor, Status
from unfool.job import attack
from unfool.runs import Run, Summary, is_finished, is_run
from unfool.stats import Rate
from unfool.victims import Options, open_victim
from unfool_papers.analysis.operations import operations_between
from unfool_papers.study.row import Row

SEED = 0
Record = dict[str, Any]


def is_trained(victim: str) -> bool:
    """Whether a victim is at hand; only the zoo's have to be trained."""
    return not victim.startswith("zoo:") or zoo.parse(victim).report is not None


def finished(row: Row, runs: Path, n: int) -> Run | None:
    """Return the row's run if it is done."""
    folder = runs / row.folder(n)
    return Run.open(folder) if is_finished(folder) else None


def carry_out(row: Row, runs: Path, n: int, device: str, progress: bool = True) -> Run:
    """Start the row's run, or go on with it."""
    folder = runs / row.folder(n)
    return attack(
        _victim(row.victim, device),
        data.load(row.data, split=row.split, edit=row.editable),
        row.attack,
        n=n,
        seed=SEED,
        confidence=row.confidence,
        out=folder,
        resume=is_run(folder),
        progress=progress,
    )


def trained_anew(row: Row, run: Run, device: str) -> bool:
    """Whether the run is about another training of its victim than the one at hand."""
    here = is_trained(row.victim) and getattr(_victim(row.victim, device), "fingerprint", None)
    return bool(here) and here != run.config["victim_fingerprint"]


@lru_cache(maxsize=1)  # the rows of one victim stand together
def _victim(name: str, device: str) -> Predictor:
    # On a GPU a transformer's search costs an eighth in half precision; what fools is checked in full.
    half = device == "cuda" and name.startswith("zoo:BERT")
    return open_victim(name, Options(device, "bf16" if half else "fp32"))


def record(row: Row, run: Run) -> Record:
    """Sum a run up; nothing is rounded, which is for those who show it."""
    summary = run.summary
    sessions = json.loads((run.folder / "environment.json").read_bytes())["sessions"]
    made: Record = {
        "row": row.name,
        "paper": row.paper,
        "attack": row.attack,
        "victim": row.victim,
        "data": row.data,
        "confidence": row.confidence,
        "n": summary.samples,
        "errors": summary.errors,
        "attacked": summary.attacked,
        **_share("clean accuracy %", summary.clean_accuracy),
        **_share("accuracy under attack %", summary.accuracy_under_attack),
        **_share("success %", summary.success_rate),
        "words changed %": summary.words_changed,
        "characters changed %": summary.characters_changed,
        "queries": summary.queries_mean,
        **_own_figures(row, run, summary),
    }
    return made | {
        "reported": [each._asdict() | {"ours": made[each.figure]} for each in row.reported],
        "differs": row.differs.replace("{n}", f"{summary.samples:,}"),
        "stand-in": zoo.stand_in(zoo.parse(row.victim).model) if row.victim.startswith("zoo:") else "",
        "seconds": round(run.seconds, 1),
        "device": sessions[-1]["device"] + (", bf16" if run.config["approximate"] else ""),
        "seed": run.config["seed"],
    }


def _share(name: str, rate: Rate) -> Record:
    value = None if rate.value is None else 100 * rate.value
    return {name: value, f"{name} interval": [100 * bound for bound in rate.interval]}


def _own_figures(row: Row, run: Run, summary: Summary) -> Record:
    if row.kind == "random":
        return {"mean success over trials %": 100 * summary.notes["mean success over trials"]}
    if row.kind in ("hotflip", "hotflip-exact"):
        return {"operations": dict(operations(run.outcomes()))}
    return {}


_PLURALS = {"flip": "flips", "delete": "deletions", "insert": "insertions"}


def operations(outcomes: Iterable[Outcome]) -> Counter[str]:
    """Count the character operations of the successes, read from the texts before and after."""
    counted: Counter[str] = Counter(dict.fromkeys(_PLURALS.values(), 0))
    for outcome in outcomes:
        if outcome.status is Status.SUCCESS:
            for old, new in zip(outcome.original, outcome.perturbed, strict=True):
                counted.update({_PLURALS[kind]: n for kind, n in operations_between(old, new).items()})
    return counted
