"""From finished pieces to the figures that are kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from studies.defences import firebert, hotflip
from studies.defences.jobs import Kept
from studies.defences.setting import Setting

from unfool.defences.evaluate._pairs import paired
from unfool.defences.evaluate._robust import attacked
from unfool.runs import Run

Record = dict[str, Any]


def of_firebert(task: firebert.Task, setting: Setting, kept: Mapping[str, Kept]) -> Record:
    """Return a data set's rows, faults, transfer and what was trained."""
    name = task.name
    rows = {}
    for row in firebert.JUDGED:
        judged, under = kept.get(f"{name}-{row}-judged"), kept.get(f"{name}-{row}-attacked")
        rows[row] = {**(_judged(judged) if judged else {}), **(_attacked(under) if under else {})}
        if under and row != "base" and f"{name}-base-attacked" in kept:
            rows[row]["left p"] = _compared(task, setting, row)
    faults = {}
    for row, fault in (("fuse", "shuffled"), ("fuse", "item-zero"), ("fuse-fact", "item-zero")):
        if found := kept.get(f"{name}-shuffled" if fault == "shuffled" else f"{name}-{row}-{fault}"):
            faults[f"{row} {fault}"] = _judged(found) if fault == "shuffled" else _attacked(found)
    again = kept.get(f"{name}-again-attacked", {})
    return {
        "n": setting.n,
        "device": setting.device,
        "attack": firebert.ATTACK,
        "task": task._asdict(),
        "rows": rows,
        "faults": faults,
        "transfer": again.get("transfer", []),
        "premade": kept.get(f"{name}-premade", {}).get("figures", {}),
        "trained": {piece: kept.get(f"{name}-{piece}") for piece in ("base", "again", "fact")},
        "clouds": kept.get(f"{name}-clouds", {}).get("shares", {}),
        "seconds": {piece: found["seconds"] for piece, found in kept.items() if piece.startswith(f"{name}-")},
    }


def of_hotflip(task: hotflip.Task, setting: Setting, kept: Mapping[str, Kept]) -> Record:
    """Return the rows of Table 2 and the points of Figure 1."""
    rows = {}
    for arm in sorted(task.arms):
        if found := kept.get(f"hotflip-{arm}"):
            rows[arm] = _judged(found) | {
                row["attack"]: _under(row["victim"]) for row in found["attacks"]
            }  # the black-box attack that is added stands beside
            if arm != "baseline" and "hotflip-baseline" in kept:
                rows[arm]["left p"] = _beside_baseline(setting, arm)
            rows[arm]["method"] = task.arms[arm]
    points = [kept[name] for name in kept if "confidence" in kept[name]]
    return {
        "n": setting.n,
        "device": setting.device,
        "attack": hotflip.ATTACK,
        "task": task._asdict() | {"arms": dict(task.arms)},
        "rows": rows,
        "curve": [{key: point[key] for key in ("search", "confidence", "success_rate")} for point in points],
        "seconds": {piece: found["seconds"] for piece, found in kept.items()},
    }


def figures(kept: Mapping[str, Kept]) -> Iterator[Record]:
    """Yield the figures that were made, as plain values."""
    yield from (found["figure"] for found in kept.values() if "figure" in found)


def _judged(found: Kept) -> Record:
    clean, stored = found["clean"], found["premade"][0] if found["premade"] else None
    record = {
        "clean": clean["victim"]["accuracy"],
        "clean f1": clean["victim"]["macro_f1"],
        "clean p": clean.get("paired", {}).get("p_value"),
        "ms a query": 1000 * found["cost"]["victim"]["seconds"],
        "passes": found["cost"]["victim"]["forward"],
    }
    if stored:
        record |= {
            "premade": stored["victim"]["accuracy"],
            "premade f1": stored["victim"]["macro_f1"],
            "premade p": stored.get("paired", {}).get("p_value"),
        }
    return record


def _attacked(found: Kept) -> Record:
    (row,) = found["attacks"]
    (anew,) = found["asked_anew"].values()
    return _under(row["victim"]) | {"asked anew": anew["accuracy"], "warnings": found["warnings"]}


def _under(figures: Mapping[str, Any]) -> Record:
    return {
        "before": figures["clean_accuracy"],
        "left": figures["accuracy_under_attack"],
        "success": figures["success_rate"],
        "words changed": figures["words_changed"],
        "characters changed": figures["characters_changed"],
        "queries": figures["queries_mean"],
    }


def _compared(task: firebert.Task, setting: Setting, row: str) -> float:
    folders = [firebert.attacks_folder(task, setting, each) for each in (row, "base")]
    return _p([Run.open(next((folder / "runs").glob("victim-1-*"))) for folder in folders])


def _beside_baseline(setting: Setting, arm: str) -> float:
    folders = [hotflip.runs_folder(setting, each) for each in (arm, "baseline")]
    return _p([Run.open(next((folder / "runs").glob("victim-1-*"))) for folder in folders])


def _p(runs: Sequence[Run]) -> float:
    return paired(*(attacked(run).robust for run in runs)).p_value
