"""Carry the rows out, keep what came of them, and print it."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import studies.attacks
from studies.attacks import claims, measure
from studies.attacks.rows import ROWS, chosen
from studies.attacks.table import markdown

from unfool.resources import cache_root
from unfool.runs import Run
from unfool.victims._device import torch_device

ROOT = Path(__file__).parents[2]
RESULTS, PAGE = ROOT / "results" / "attacks.json", ROOT / "docs" / "papers.md"


def main(arguments: list[str] | None = None) -> None:
    """Do what was asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m studies.attacks",
        description=studies.attacks.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", default="*", metavar="PATTERN", help="rows whose names fit, e.g. 'pwws*' or imdb")
    parser.add_argument("--n", type=int, help="texts a row; each row's own number if not given")
    parser.add_argument("--device", default="auto", help="cpu, cuda or auto")
    parser.add_argument("--runs", type=Path, default=cache_root() / "studies" / "attacks", help="the runs' folder")
    parser.add_argument("--out", type=Path, default=RESULTS, help="the results")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page of the documentation")
    parser.add_argument("--train", action="store_true", help="train victims that are not trained")
    parser.add_argument("--table", action="store_true", help="print the table and leave")
    given = parser.parse_args(arguments)
    kept = json.loads(given.out.read_text(encoding="utf-8")) if given.out.is_file() else {"rows": [], "claims": []}
    failed: list[str] = []
    if not given.table:
        device = torch_device(given.device).type
        for number, row in enumerate(rows := chosen(given.only), start=1):
            print(f"{number}/{len(rows)} {row.name}: ", end="", flush=True)
            began = time.perf_counter()
            n = given.n or row.n
            if done := measure.finished(row, given.runs, n):
                stale = measure.trained_anew(row, done, device)
                print("done before" + f", but {row.victim} was trained anew: remove {done.folder}" * stale)
            elif not (given.train or measure.is_trained(row.victim)):
                print(f"left out, since {row.victim} is not trained (--train trains it)")
            else:
                try:
                    run = measure.carry_out(row, given.runs, n, device)
                except Exception as error:  # the other rows are worth having all the same
                    failed.append(row.name)
                    print(f"failed: {error!r}", flush=True)
                else:
                    print(f"{run.summary.success_rate} in {time.perf_counter() - began:.0f} s", flush=True)
        kept = gather(given.runs, given.n, kept)
        given.out.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        given.page.write_text(markdown(kept), encoding="utf-8")
    print(markdown(kept))
    if failed:
        sys.exit(f"{len(failed)} failed: {'; '.join(failed)}")


def gather(folder: Path, n: int | None, kept: dict[str, Any]) -> dict[str, Any]:
    """Make the results of the finished runs; what has no run here stays as it was."""
    runs: dict[str, Run] = {}
    for row in ROWS:
        if run := measure.finished(row, folder, n or row.n):
            runs[row.name] = run
    before = {each["row"]: each for each in kept["rows"]}
    records = {
        row.name: measure.record(row, runs[row.name]) if row.name in runs else before[row.name]
        for row in ROWS
        if row.name in runs or row.name in before
    }
    judged = [claims.judged(claim, runs) for claim in claims.claims(records)]
    return {"rows": list(records.values()), "claims": [each for each in judged if each]}


if __name__ == "__main__":
    main()
