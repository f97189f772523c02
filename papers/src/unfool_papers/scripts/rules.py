"""Do universal rules fool models they were not mined with? Tables 5, 9 and 10 of Yuan et al. (2021).

``python -m unfool_papers.scripts.rules --data rotten_tomatoes --folder DIR [--device cuda --dtype bf16 --workers
12]`` mines once with the seven models of the paper's expert, reads from that the rules of its first two to seven,
mines rules by counts alone, and has every model of the zoo judge what all these books make of 1,000 test texts.
Killed and called again, it goes on. Results are in ``results/rules-DATA.json``; tables with the paper's figures
come last. ``--members`` and ``--targets`` choose other models (then sizes go as far as there are members), ``--n``
and ``--texts`` fewer texts to mine and to judge, ``--table`` only prints what is there.

One word may change in any text, however short: the paper's success at a budget of 5 %, one word of twenty, asks for
it.
"""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path

from unfool_papers.study.tables import markdown
from unfool_papers.transferability.rules import Rules, rules, tables

RESULTS = Path(__file__).parents[4] / "results"


def main() -> None:
    """Mine, judge, and show."""
    usual = Rules()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=usual.data)
    parser.add_argument("--folder", type=Path, required=True, help="where the study lies")
    parser.add_argument("--members", nargs="+", default=list(usual.members), help="models of the zoo that mine")
    parser.add_argument("--targets", nargs="+", default=list(usual.targets), help="models that judge")
    parser.add_argument("--n", type=int, default=None, help="training texts to mine; all by default")
    parser.add_argument("--texts", type=int, default=usual.texts, help="test texts to judge")
    parser.add_argument("--workers", type=int, default=None)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--dtype", default="fp32")
    parser.add_argument("--table", action="store_true", help="print the tables and leave")
    parser.add_argument("--out", type=Path, default=None, help="the results; else results/rules-DATA.json")
    given = parser.parse_args()
    file = given.out or RESULTS / f"rules-{given.data}.json"
    if not given.table:
        asked = Rules(given.data, tuple(given.members), tuple(given.targets), given.n, given.texts)
        say = partial(print, flush=True)
        found = rules(asked, given.folder, device=given.device, workers=given.workers, say=say, dtype=given.dtype)
        file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    written = json.loads(file.read_text(encoding="utf-8"))
    for table in tables(written):
        print(f"\n{markdown(table)}")
    for model, problem in written["problems"].items():
        print(f"no figure of {model}: {problem}")
    print(f"\n{written['rules']} rules; {len(written['models'])} judges; seconds: {written['seconds']}")


if __name__ == "__main__":
    main()
