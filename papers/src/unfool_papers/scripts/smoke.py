"""Do all five studies in small, from an empty cache, and keep how long each takes.

``python -m unfool_papers.scripts.smoke`` gives ``unfool study NAME --scale smoke`` five times, in a new folder and
with a new, empty cache that the five share, so that all word lists and vectors are fetched and all nets trained
anew. Seconds by the clock and of the processor, downloads among them, are written to ``results/studies-smoke.json``
after each study. Where other programs keep the machine busy, the processor's seconds say more than the clock's.
``--only NAME …`` times some of them anew and keeps what is known of the others: a study that comes later in the
list then fetches what an earlier one would have left.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from unfool_papers.catalogue import STUDIES
from unfool_papers.study.plan import Table
from unfool_papers.study.tables import markdown

RESULTS = Path(__file__).parents[4] / "results" / "studies-smoke.json"


def carry_out_all(names: Sequence[str], folder: Path, file: Path) -> list[dict[str, Any]]:
    """Carry studies out below a folder, and return what each is known to take."""
    took: dict[str, dict[str, Any]] = {}
    if set(names) < set(STUDIES) and file.is_file():
        took = {each["study"]: each for each in json.loads(file.read_bytes())["studies"]}
    environment = {**os.environ, "UNFOOL_CACHE": str(folder / "cache")}
    for name in names:
        command = ["study", name, "--scale", "smoke", "--device", "cpu", "--out", str(folder / name)]
        began, used = perf_counter(), _processor()
        subprocess.run([sys.executable, "-m", "unfool", *command], env=environment, check=True)
        wall, processor = perf_counter() - began, _processor() - used
        took[name] = {
            "study": name,
            "wall s": round(wall, 1),
            "processor s": round(processor, 1),
            "programs that wanted a core": round(os.getloadavg()[-1], 1),
        }
        studies = [took[known] for known in STUDIES if known in took]
        threads = os.environ.get("OMP_NUM_THREADS", "as many")
        kept = {"cores": os.cpu_count(), "threads": threads, "studies": studies}
        file.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return studies


def _processor() -> float:
    """Return the seconds of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def table(took: list[dict[str, Any]]) -> Table:
    """Return what each study took, and all together."""
    columns = ("wall s", "processor s")
    rows = [[f"`{each['study']}`", *(f"{each[column]:.0f}" for column in columns)] for each in took]
    whole = ["together", *(f"{sum(each[column] for each in took):.0f}" for column in columns)]
    return Table("", ("study", "by the clock, s", "of the processor, s"), [*rows, whole])


def main() -> None:
    """Time the studies and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=RESULTS, help="the file to write")
    parser.add_argument("--only", nargs="+", choices=[*STUDIES], default=[*STUDIES], metavar="NAME")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="unfool-smoke-") as folder:
        print(markdown(table(carry_out_all(given.only, Path(folder), given.results))))


if __name__ == "__main__":
    main()
