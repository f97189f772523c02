"""Ask what two papers asked people: tables 3 and 4 of Hsieh et al. (2019), section 4.2 of Ebrahimi et al. (2018).

``python -m unfool_papers.scripts.people --folder people`` attacks, makes a rating study of each question, lets
models that stand in for people vote, and writes ``results/people.json``. The studies wait for people: serve one
(``unfool rate serve people/table-3-readability``), or export it and import what comes back, and call this again:
the people's column is filled. Killed and called again, it goes on. ``--table`` only prints what is kept.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from unfool_papers.people import QUESTIONS, ROWS, carry_out, collect, tables
from unfool_papers.study.tables import markdown

RESULTS = Path(__file__).parents[4] / "results"


def main() -> None:
    """Attack, ask, and show."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path("people"), help="where runs and studies lie")
    parser.add_argument("--table", action="store_true", help="print the tables and leave")
    parser.add_argument("--out", type=Path, default=RESULTS / "people.json", help="the results")
    given = parser.parse_args()
    if not given.table:
        carry_out(given.folder, ROWS, QUESTIONS)
        found = collect(given.folder, ROWS, QUESTIONS)
        given.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    for table in tables(json.loads(given.out.read_text(encoding="utf-8"))).values():
        print(f"\n{markdown(table)}")


if __name__ == "__main__":
    main()
