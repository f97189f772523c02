"""Do texts that fool one model fool others? The 63 models of Yuan et al. (2021), or some of them.

``python -m unfool_papers.scripts.transfer --data ag_news --attack pwws --folder DIR [--device cuda --workers 12]
[--ensembles]`` trains what is not trained yet, crafts on every model, tries the texts on every other, and with
``--ensembles`` crafts on ensembles chosen from the rates. Killed and called again, it goes on. Results are in
``results/transfer-DATA-ATTACK.json``; tables with the paper's figures come last. ``--table`` takes them from the
rates in that file and prints them, without any model; ``--picture FILE`` draws the rates (figure 3).
"""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path
from typing import Any

from unfool.report import heat_map
from unfool_papers.study.tables import markdown
from unfool_papers.transferability.matrix import Matrices, complete, craft_on_ensembles, matrix_of, read, transfer
from unfool_papers.transferability.matrix_tables import tables

RESULTS = Path(__file__).parents[4] / "results"


def main() -> None:
    """Train, craft, fill, and show."""
    usual = Matrices()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=usual.data)
    parser.add_argument("--attack", default=usual.attack)
    parser.add_argument("--models", nargs="+", default=list(usual.models), help="zoo63, or names and patterns")
    parser.add_argument("--n", type=int, default=usual.n, help="samples attacked on each source")
    parser.add_argument("--keep", type=int, default=usual.keep, help="successes of each source tried on others")
    parser.add_argument("--folder", type=Path, help="where the study lies; not needed for --table")
    parser.add_argument("--ensembles", action="store_true")
    parser.add_argument(
        "--ensembles-by", type=Path, metavar="RESULTS", help="craft on ensembles chosen by these rates, and stop"
    )
    parser.add_argument("--workers", type=int, default=None)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--out", type=Path, help="the file of results, where it is not to be the one in results/")
    parser.add_argument("--table", action="store_true", help="print the tables and leave")
    parser.add_argument("--picture", type=Path, help="an SVG file for the heat map")
    given = parser.parse_args()
    if not (given.table or given.folder):
        parser.error("name the --folder of the study, or only print --table")
    attack = given.attack.partition(":")[0]
    if given.ensembles_by:
        asked = Matrices(tuple(given.models), given.data, given.attack, given.n, given.keep)
        say = partial(print, flush=True)
        rates = json.loads(given.ensembles_by.read_text(encoding="utf-8"))
        made = craft_on_ensembles(asked, rates, given.folder, device=given.device, workers=given.workers, say=say)
        write(given.out or RESULTS / f"ensembles-{given.data}-{attack}.json", made)
        return
    file = given.out or RESULTS / f"transfer-{given.data}-{attack}.json"
    if not given.table:
        sizes = usual.sizes if given.ensembles else ()
        asked = Matrices(tuple(given.models), given.data, given.attack, given.n, given.keep, sizes)
        say = partial(print, flush=True)
        found = transfer(asked, given.folder, device=given.device, workers=given.workers, say=say)
        keep(given.folder, file, found)
    found = complete(json.loads(file.read_text(encoding="utf-8")))
    if not given.table:
        write(file, found)
    if given.picture:
        given.picture.write_text(heat_map(matrix_of(found)), encoding="utf-8")
    show(found, genetic_attack(file, found))


def keep(folder: Path, file: Path, found: dict[str, Any]) -> None:
    """Write the results; a stage has taken what all sittings in the study's folder have spent on it."""
    spent = folder / "seconds.json"
    before = read(spent) or {}
    found["seconds"] = {
        stage: round(before.get(stage, 0) + found["seconds"].get(stage, 0), 1)
        for stage in {**before, **found["seconds"]}
    }
    spent.write_text(json.dumps(found["seconds"]), encoding="utf-8")
    write(file, found)


def write(file: Path, found: dict[str, Any]) -> None:
    """Write results, a line each."""
    lines = (f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in found.items())
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def genetic_attack(file: Path, found: dict[str, Any]) -> dict[str, Any] | None:
    """Return the results of the genetic attack on the same models, which lie beside those of PWWS."""
    other = read(file.with_name(file.name.replace("pwws", "ga"))) if found["attack"].startswith("pwws") else None
    return other if other and _models(other) == _models(found) else None


def _models(found: dict[str, Any]) -> list[str]:
    return [model["name"] for model in found["models"]]


def show(found: dict[str, Any], genetic: dict[str, Any] | None) -> None:
    """Print every table, the paper's figures behind ours."""
    print(f"\n{found['data']}, {found['attack']}: {len(found['models'])} models on {found['device']}")
    print("seconds: " + ", ".join(f"{stage} {seconds}" for stage, seconds in found["seconds"].items()))
    for name, problem in found["problems"].items():
        print(f"{name}: {problem}")
    print(
        f"mean base rate {found['mean base rate']:.3f}; mean between models {found['mean rate between models']:.3f}"
    )
    for table in tables(found, genetic):
        print(f"\n{markdown(table)}")


if __name__ == "__main__":
    main()
