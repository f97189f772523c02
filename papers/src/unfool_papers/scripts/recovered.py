"""How far a defended victim can recover stored texts: those whose originals it has right, and of these, the texts.

``python -m unfool_papers.scripts.recovered --folder DIR [--data imdb mnli]`` reads the finished pieces of ``python
-m unfool_papers.scripts.defences firebert --folder DIR``. A stored text fooled the base, which had its original
right; a victim trained anew need not have it right, and then has nothing to recover.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from unfool.defences.evaluate import Answers
from unfool.stats import Rate
from unfool_papers import firebert
from unfool_papers.defence_tables.records import Place
from unfool_papers.defence_tables.table import DefenceTable
from unfool_papers.study.plan import Table
from unfool_papers.study.tables import markdown


def recovered(table: DefenceTable, folder: Path) -> Table:
    """Return the shares of every arm that was judged."""
    place = Place(folder / table.name, "cpu", False, folder / (table.trained_in or table.name))
    many = json.loads((place.folder / "table.json").read_bytes())["n"]  # --n draws other texts than the table's own
    number = {sample.id: n for n, sample in enumerate(table.clean.load(many, table.editable))}
    lines = place.stored.read_text("utf-8").splitlines()
    originals = [number[json.loads(line)["id"]] for line in lines]
    rows = []
    for arm in table.arms:
        files = [place.judged(arm) / f"{name}-victim.json" for name in ("clean", "premade-1")]
        if not all(file.is_file() for file in files):
            continue
        clean, stored = (Answers.from_json(json.loads(file.read_bytes())).right for file in files)
        before = [clean[n] for n in originals]
        both = sum(one and other for one, other in zip(before, stored, strict=True))
        rates = Rate(sum(before), len(before)), Rate(sum(stored), len(stored)), Rate(both, sum(before))
        rows.append((arm.name, *map(str, rates)))
    return Table("", ("defence", "right on the originals", "right on the texts", "of the former, the latter"), rows)


def main() -> None:
    """Print the tables."""
    tables = {table.name: table for table in (*firebert.TABLES["full"], *firebert.BESIDE)}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="where the pieces lie")
    parser.add_argument("--data", nargs="+", choices=tables, default=["imdb", "mnli"], help="which tables")
    given = parser.parse_args()
    for name in given.data:
        print(f"{name}\n\n{markdown(recovered(tables[name], given.folder))}\n")


if __name__ == "__main__":
    main()
