"""The defences of three papers: the tables of ``unfool study firebert`` and two more studies, and no rows.

``python -m unfool_papers.scripts.defences firebert --folder DIR [--data imdb mnli] [--device cuda --workers 10]
[--n 500]`` makes FireBERT's Tables 1 to 3 and Figures 5 to 7, and switches on the two faults that may be behind its
strangest rows; ``python -m unfool_papers.scripts.defences hotflip --folder DIR`` makes Table 2 of Ebrahimi et al.
(2018), and ``… defences self-attention --folder DIR`` trains against the attacks of Hsieh et al. (2019). Killed and
called again, it goes on: every finished piece lies in DIR, where the study finds it if DIR is its folder
``defences``. What came of it is in ``results/defences.json``; tables with the papers' figures come last.
``--minutes`` stops it in time, with what is done by then; ``--table`` only prints; ``--scale smoke`` takes the
small study's table, and keeps what came of it in ``results/defences-smoke.json``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from unfool.devices import torch_device
from unfool.errors import UserError
from unfool.storage import replacing
from unfool_papers import firebert, hotflip, self_attention
from unfool_papers.analysis import Figure, write_svg
from unfool_papers.defence_tables.part import LEGEND, bars_of, tables_of
from unfool_papers.defence_tables.pieces import defended
from unfool_papers.defence_tables.table import DefenceTable
from unfool_papers.study.page import sentence
from unfool_papers.study.tables import markdown

RESULTS = Path(__file__).parents[4] / "results"
PAPERS = {"self-attention": self_attention, "firebert": firebert, "hotflip": hotflip}


def main(arguments: list[str] | None = None) -> None:
    """Do the pieces that are not done, keep what came of them, and print it."""
    given = _parser().parse_args(arguments)
    out = given.out or RESULTS / ("defences.json" if given.scale == "full" else "defences-smoke.json")
    kept: dict[str, Any] = json.loads(out.read_text(encoding="utf-8")) if out.is_file() else {}
    problems: Mapping[str, str] = {}
    if not given.table:
        try:
            found = defended(
                _tables(given),
                given.folder,
                device=torch_device(given.device).type,
                workers=given.workers,
                say=partial(print, file=sys.stderr, flush=True),
                ends=None if given.minutes is None else monotonic() + 60 * given.minutes,
                progress=False,
            )
        except UserError as error:
            sys.exit(f"error: {error}")
        problems = found.problems
        kept.setdefault(given.paper, {}).update(found.records)
        out.parent.mkdir(parents=True, exist_ok=True)
        with replacing(out) as file:
            file.write(json.dumps(kept, indent=1, ensure_ascii=False).encode() + b"\n")
        drawn = [bars_of(name, record) for name, record in found.records.items() if record["arms"]]
        _draw([*drawn, *found.figures], given.folder / "figures")
    print(text(kept.get(given.paper, {})))
    if problems:
        sys.exit("\n".join(["", "not done:", *(f"{piece}: {problem}" for piece, problem in problems.items())]))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m unfool_papers.scripts.defences",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("paper", choices=PAPERS)
    parser.add_argument("--folder", type=Path, required=True, help="where the pieces lie")
    parser.add_argument("--scale", choices=["full", "smoke"], default="full")
    parser.add_argument("--data", nargs="+", help="which tables; all of the study if not given")
    parser.add_argument("--n", type=int, help="texts attacked on each victim, if not as many as the study's")
    parser.add_argument("--workers", type=int, default=1, help="pieces done at once")
    parser.add_argument("--minutes", type=float, help="when to stop and show what is done")
    parser.add_argument("--device", default="auto", help="cpu, cuda or auto")
    parser.add_argument("--out", type=Path, help="the results, where they are not to be in results/")
    parser.add_argument("--table", action="store_true", help="print the tables and leave")
    return parser


def _tables(given: argparse.Namespace) -> list[DefenceTable]:
    paper = PAPERS[given.paper]
    tables = paper.TABLES[given.scale]
    known = {table.name: table for table in (*tables, *paper.BESIDE)}
    if unknown := [name for name in given.data or () if name not in known]:
        raise UserError(f"there is no table of {', '.join(unknown)}; there are {', '.join(known)}")
    chosen = [known[name] for name in given.data] if given.data else tables
    return [table._replace(n=given.n or table.n) for table in chosen]


def text(records: Mapping[str, Any]) -> str:
    """Return some tables of a paper as a person reads them."""
    parts = []
    for name, record in records.items():
        parts += [f"## {name}", LEGEND, *map(markdown, tables_of(name, record))]
        parts += ["\n".join(f"- {said}" for said in [*map(sentence, record["claims"]), *record["notes"]])]
    return "\n\n".join(parts)


def _draw(figures: Sequence[Figure], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for figure in figures:
        try:
            write_svg(figure, folder)
        except UserError as problem:
            print(f"{figure.name} is not drawn: {problem}", file=sys.stderr)


if __name__ == "__main__":
    main()
