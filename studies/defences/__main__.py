"""Do the pieces that are not done, keep what came of them, and print it."""

from __future__ import annotations

import argparse
import json
import sys
from itertools import zip_longest
from pathlib import Path
from typing import Any

import studies.defences
from studies.defences import firebert, hotflip, records, table
from studies.defences.jobs import Job, Results, carry_out
from studies.defences.setting import Setting

from unfool.analysis import Figure, write_svg
from unfool.errors import UserError
from unfool.runs._files import replacing
from unfool.victims._device import torch_device

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results" / "defences.json"
REHEARSED = 6


def main(arguments: list[str] | None = None) -> None:
    """Do what was asked for."""
    given = _parser().parse_args(arguments)
    out = given.out or (given.folder / "results.json" if given.rehearse else RESULTS)
    kept: dict[str, Any] = json.loads(out.read_text(encoding="utf-8")) if out.is_file() else {}
    unfinished = ""
    if not given.table:
        n = given.n or (REHEARSED if given.rehearse else 500)
        setting = Setting(given.folder.resolve(), torch_device(given.device).type, n)
        _same_n(setting)
        study = _firebert if given.paper == "firebert" else _hotflip
        results = study(given, setting, kept)
        unfinished = _told(results)
        out.parent.mkdir(parents=True, exist_ok=True)
        with replacing(out) as file:
            file.write(json.dumps(kept, indent=1).encode() + b"\n")
        _draw(results, setting.folder / "figures")
    print(table.text(kept))
    if unfinished:
        sys.exit(unfinished)


def _told(results: Results) -> str:
    """Say what is not done, if anything."""
    failed, left = ", ".join(results.failed), ", ".join(results.left)
    said = [f"{len(results.failed)} pieces failed: {failed}"] * bool(failed) + [
        f"{len(results.left)} pieces are left: {left}"
    ] * bool(left)
    return "; ".join([*said, "call again to go on"]) if said else ""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m studies.defences",
        description=studies.defences.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("paper", choices=["firebert", "hotflip"])
    parser.add_argument("--folder", type=Path, required=True, help="where the pieces lie")
    parser.add_argument("--data", nargs="+", choices=list(firebert.TASKS), default=["imdb", "mnli"])
    parser.add_argument("--n", type=int, help="texts attacked on each victim; 500, in a rehearsal 6")
    parser.add_argument("--workers", type=int, default=1, help="pieces done at once")
    parser.add_argument("--minutes", type=float, help="when to stop and show what is done")
    parser.add_argument("--device", default="auto", help="cpu, cuda or auto")
    parser.add_argument("--out", type=Path, help="the results, where they are not to be in results/")
    parser.add_argument("--table", action="store_true", help="print the tables and leave")
    parser.add_argument("--rehearse", action="store_true", help="tiny nets and data; results stay in the folder")
    return parser


def _firebert(given: argparse.Namespace, setting: Setting, kept: dict[str, Any]) -> Results:
    tasks = [firebert.REHEARSAL] if given.rehearse else [firebert.TASKS[name] for name in given.data]
    # Woven, so that no data set waits for another.
    rows = zip_longest(*(firebert.jobs(task, setting) for task in tasks))
    every: list[Job] = [job for row in rows for job in row if job]
    results = carry_out(every, setting.folder, given.workers, _seconds(given))
    for task in tasks:
        kept.setdefault("firebert", {})[task.name] = records.of_firebert(task, setting, results.kept)
    return results


def _hotflip(given: argparse.Namespace, setting: Setting, kept: dict[str, Any]) -> Results:
    task = hotflip.REHEARSAL if given.rehearse else hotflip.TASK
    results = carry_out(list(hotflip.jobs(task, setting)), setting.folder, given.workers, _seconds(given))
    kept["hotflip"] = records.of_hotflip(task, setting, results.kept)
    return results


def _seconds(given: argparse.Namespace) -> float | None:
    return None if given.minutes is None else 60 * float(given.minutes)


def _same_n(setting: Setting) -> None:
    """Refuse a folder whose pieces were made with other numbers of texts."""
    setting.folder.mkdir(parents=True, exist_ok=True)
    file = setting.folder / "study.json"
    if file.is_file() and (before := json.loads(file.read_bytes())["n"]) != setting.n:
        raise SystemExit(f"{setting.folder} was begun with --n {before}; go on with that, or choose another folder")
    file.write_text(json.dumps({"n": setting.n}), encoding="utf-8")


def _draw(results: Results, folder: Path) -> None:
    """Keep the numbers of figures, and draw them where that can be done."""
    folder.mkdir(parents=True, exist_ok=True)
    for plain in records.figures(results.kept):
        figure = Figure(**plain)
        (folder / f"{figure.name}.json").write_text(json.dumps(plain), encoding="utf-8")
        try:
            write_svg(figure, folder)
        except UserError as problem:
            print(f"{figure.name} is not drawn: {problem}", file=sys.stderr)


if __name__ == "__main__":
    main()
