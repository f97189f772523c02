"""FireBERT's stored sets: texts of train, dev and test that fool a victim, made by TextFooler.

``python -m unfool_papers.scripts.stored_sets mnli --folder DIR [--splits train dev test] [--n N] [--device cuda
--workers N]`` attacks N texts of each split (default: all) and writes those that fool the victim into
``DIR/mnli/SPLIT.jsonl``, which ``unfool search`` and ``unfool evaluate`` take as ``--premade``. Killed and called
again, it goes on. How many there are is in ``results/stored-sets.json``; the table comes last, and ``--table`` only
prints it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from unfool import zoo
from unfool.defences.evaluate import premade
from unfool.devices import torch_device
from unfool.job import attack
from unfool.runs import is_run
from unfool.stats import Rate
from unfool.victims import Options
from unfool_papers.firebert import STORED
from unfool_papers.study.pieces import Job, do_all
from unfool_papers.study.plan import Table
from unfool_papers.study.tables import markdown, told

RESULTS = Path(__file__).parents[4] / "results" / "stored-sets.json"


def trained(name: str, device: str) -> dict[str, Any]:
    """Train the victim that is to be fooled."""
    zoo.ensure(zoo.parse(STORED[name].victim), device=device, progress=False)
    return {}


def stored(name: str, split: str, n: int | None, device: str, folder: Path) -> dict[str, Any]:
    """Store the texts of a split that fool the victim, and tell how many there are."""
    sets, out = STORED[name], folder / name / split
    source = sets.splits[split]._replace(share=1 if n else None).load(n or 0, sets.editable)
    run = attack(
        sets.victim,
        source,
        sets.attack,
        options=Options(device),
        out=out,
        resume=is_run(out),
        progress=False,
    )
    if run.summary.successes:
        premade(run, out.with_suffix(".jsonl"))
    figures = run.summary.to_dict()
    kept = ("samples", "attacked", "successes", "words_changed", "queries_mean")
    return {"victim": sets.victim, "device": device, **{key: figures[key] for key in kept}}


def table(found: Mapping[str, Mapping[str, Any]]) -> Table:
    """Return how many texts of each split fooled."""
    return Table(
        "", ("set", "victim", "texts", "right before", "stored", "words, %", "queries"), list(_rows(found))
    )


def _rows(found: Mapping[str, Mapping[str, Any]]) -> Iterator[list[str]]:
    for name, splits in found.items():
        for split, each in splits.items():
            yield [
                f"{name}, {split}",
                each["victim"].removeprefix("zoo:"),
                f"{each['samples']:,}",
                f"{each['attacked']:,}",
                f"{each['successes']:,}: {Rate(each['successes'], each['attacked'])}",
                told(each["words_changed"]),
                told(each["queries_mean"]),
            ]


def main(arguments: list[str] | None = None) -> None:
    """Make the sets that are not made, keep how many texts they have, and print it."""
    parser = argparse.ArgumentParser(
        prog="python -m unfool_papers.scripts.stored_sets",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", choices=STORED)
    parser.add_argument("--folder", type=Path, required=True, help="where runs and sets lie")
    parser.add_argument("--splits", nargs="+", help="all of them if not given")
    parser.add_argument("--n", type=int, help="texts attacked of each split (default: all)")
    parser.add_argument("--workers", type=int, default=1, help="splits attacked at once")
    parser.add_argument("--device", default="auto", help="cpu, cuda or auto")
    parser.add_argument("--out", type=Path, default=RESULTS, help="the results")
    parser.add_argument("--table", action="store_true", help="print the table and leave")
    given = parser.parse_args(arguments)
    kept = json.loads(given.out.read_text("utf-8")) if given.out.is_file() else {}
    if not given.table:
        device, known = torch_device(given.device).type, STORED[given.name].splits
        if unknown := sorted({*(given.splits or known)} - {*known}):
            parser.error(f"{given.name} has no split {', '.join(unknown)}; it has {', '.join(known)}")
        needs = f"{given.name}-trained"
        jobs = [
            Job(needs, trained, (given.name, device)),
            *(
                Job(
                    f"{given.name}-{split}-{given.n}",
                    stored,
                    (given.name, split, given.n, device, given.folder),
                    (needs,),
                )
                for split in given.splits or known
            ),
        ]
        found = do_all(jobs, given.folder, given.workers, partial(print, file=sys.stderr, flush=True))
        for split in known:
            if made := found.kept.get(f"{given.name}-{split}-{given.n}"):
                kept.setdefault(given.name, {})[split] = made
        given.out.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        if found.failed:
            sys.exit("\n".join(found.failed.values()))
    print(markdown(table(kept)))


if __name__ == "__main__":
    main()
