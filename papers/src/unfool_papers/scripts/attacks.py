"""Every attack of the five papers on its paper's victims and data, with the paper's figures beside ours.

``python -m unfool_papers.scripts.attacks [--only PATTERN] [--n N] [--device cpu|cuda] [--workers N] [--runs DIR]
[--train]``. The rows are those of ``unfool study … --scale full``; each is one run, kept in a folder of its own:
what is finished is not done again, what was stopped goes on, and runs made on another machine count once their
folders lie in ``--runs``. ``results/attacks.json``, ``papers/pages/attacks.md`` and the figures on the attacks'
pages are made of the runs; the table and what the papers claim come last. ``--table`` only prints what is there.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

from docs.generator.__main__ import main as renew_pages

from unfool.devices import torch_device
from unfool.resources import cache_root
from unfool.runs import Run
from unfool_papers.catalogue import STUDIES, all_claims, all_rows
from unfool_papers.study import record as measure
from unfool_papers.study.claim import CANNOT_BE_TOLD, DOES_NOT_HOLD, HOLDS, Claim, judged
from unfool_papers.study.plan import Table, Work
from unfool_papers.study.row import Row
from unfool_papers.study.run_rows import carry_out_rows
from unfool_papers.study.tables import ROW_LEGEND, differences, figures_of, row_table
from unfool_papers.study.tables import markdown as table_markdown

ROOT = Path(__file__).parents[4]
RESULTS, PAGE = ROOT / "results" / "attacks.json", ROOT / "papers" / "pages" / "attacks.md"
ROWS = all_rows()
_INTRODUCTION = f"""# The papers' attacks on the papers' victims

Written by `python -m unfool_papers.scripts.attacks` from `results/attacks.json`. Each row is \
one run on texts drawn with one
seed. {ROW_LEGEND} ([the zoo](../../docs/zoo.md)).

A claim is that figures fall from left to right, and it holds where they do
[beyond chance](studies.md#what-a-sentence-says); that figures are about equal, where the 95 % interval of their
difference lies within the margin. *p* tells how likely two neighbours would differ as much by chance
(McNemar's test over the texts that both attacked). Why one does not hold is told where the runs are looked into:
[attention and MNLI](analysis.md#where-the-order-does-not-hold),
[the LSTM and the SVM](analysis.md#the-lstm-and-the-svm),
[the beam](analysis.md#success-against-confidence-figure-1),
[the black box](analysis.md#why-the-black-box-is-ahead), [deletions](analysis.md#the-mix-of-operations)."""


def main(arguments: list[str] | None = None) -> None:
    """Carry the rows out, keep what came of them, and print it."""
    parser = argparse.ArgumentParser(
        prog="python -m unfool_papers.scripts.attacks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", default="*", metavar="PATTERN", help="rows whose names fit, e.g. 'pwws*' or imdb")
    parser.add_argument("--n", type=int, help="texts a row; each row's own number if not given")
    parser.add_argument("--device", default="auto", help="cpu, cuda or auto")
    parser.add_argument("--workers", type=int, default=1, help="rows done at once, each in a process of its own")
    parser.add_argument("--runs", type=Path, default=cache_root() / "studies" / "attacks", help="the runs' folder")
    parser.add_argument("--out", type=Path, default=RESULTS, help="the results")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page of the documentation")
    parser.add_argument("--train", action="store_true", help="train victims that are not trained")
    parser.add_argument("--table", action="store_true", help="print the table and leave")
    given = parser.parse_args(arguments)
    kept = json.loads(given.out.read_text(encoding="utf-8")) if given.out.is_file() else {"rows": [], "claims": []}
    failed: list[str] = []
    if not given.table:
        failed = carry_out(given)
        kept = gather(given.runs, given.n, kept)
        given.out.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        given.page.write_text(markdown(kept), encoding="utf-8")
        if given.out == RESULTS:
            renew_pages([])
    print(markdown(kept))
    if failed:
        sys.exit(f"{len(failed)} failed: {'; '.join(failed)}")


def carry_out(given: argparse.Namespace) -> list[str]:
    """Do the rows that are not done and whose victims are at hand; return the names of those that failed."""
    device = torch_device(given.device).type
    todo = []
    for row in (row._replace(n=given.n or row.n) for row in chosen(given.only)):
        done = measure.finished(row, given.runs, row.n)
        if done and measure.trained_anew(row, done, device):
            print(f"{row.name}: {row.victim} was trained anew since; remove {done.folder} to attack it again")
        elif done and done.whole:
            continue
        elif given.train or measure.is_trained(row.victim):
            todo.append(row)
        else:
            print(f"{row.name}: left out, since {row.victim} is not trained (--train trains it)")
    work = Work(given.runs, device, given.workers, partial(print, flush=True))
    return list(carry_out_rows(todo, given.runs, work).problems)


def chosen(pattern: str) -> list[Row]:
    """Return the rows whose names a pattern fits, or occurs in."""
    return [row for row in ROWS if fnmatchcase(row.name, pattern) or pattern in row.name]


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
    earlier = {(each["claim"], each["on"]): each for each in kept["claims"]}
    found = [_judged(claim, runs, earlier.get((claim.said, claim.about))) for claim in all_claims(records)]
    return {"rows": list(records.values()), "claims": [each for each in found if each]}


def _judged(claim: Claim, runs: Mapping[str, Run], earlier: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Judge a claim, by the chances and differences told earlier where none of its runs is here."""
    if not earlier or any(term.row in runs for term in claim.terms):
        return judged(claim, runs)
    return judged(claim, runs, earlier["p"], earlier.get("apart"))


def markdown(results: Mapping[str, Any]) -> str:
    """Return the page: for each paper its rows, what differs from it, and its claims."""
    return "\n\n".join([_INTRODUCTION, *_sections(results)]) + "\n"


def _sections(results: Mapping[str, Any]) -> Iterator[str]:
    for study in STUDIES.values():
        rows, claims = (
            [each for each in results[key] if each["paper"] == study.paper] for key in ("rows", "claims")
        )
        if rows:
            yield f"## {study.title}"
            yield table_markdown(row_table(rows))
            if notes := differences(rows):
                yield "What differs:\n\n" + "\n".join(f"- {note}" for note in notes)
        if claims:
            columns = ("claim", "on", "figures", "p", "verdict")
            yield table_markdown(Table("", columns, [_claim(each) for each in claims]))
    counts = Counter(each["verdict"] for each in results["claims"])
    yield (
        f"{len(results['rows'])} rows; of {len(results['claims'])} claims {counts[HOLDS]} hold, "
        f"{counts[DOES_NOT_HOLD]} do not, {counts[CANNOT_BE_TOLD]} cannot be told."
    )


def _claim(each: Mapping[str, Any]) -> tuple[str, ...]:
    chances = ", ".join("–" if p is None else f"{p:g}" for p in each["p"])
    verdict = f"**{each['verdict']}**" if each["verdict"] == DOES_NOT_HOLD else each["verdict"]
    return each["claim"], each["on"], figures_of(each), chances, verdict


if __name__ == "__main__":
    main()
