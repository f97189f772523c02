"""JSMA on the CS229 report's LSTM in every reading of the report, beside its 39.86 % left.

``python -m unfool_papers.scripts.jsma_readings [--data imdb] [--n 300] [--minutes 10] [--device cpu]`` attacks the
LSTM read at step 250, behind the padding of shorter reviews, with words put into the padding and without, with the
gradient taken anew and once, by the projection of the vector and of its direction. The first call trains the net,
on 10,000 reviews if no others are named. Each reading is a run in ``--folder``: killed and called again it goes on.
What came of it is in ``results/jsma-readings.json``, of other reviews in a file beside it; ``--table`` prints it.
With the first reading go the report's Figures 9 and 10: answers before and after, and words replaced; ``--draw
FOLDER`` draws what is kept of them.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from time import monotonic
from typing import Any

from unfool import data, zoo
from unfool.job import attack
from unfool.resources import cache_root
from unfool.runs import is_run
from unfool.stats import Rate
from unfool_papers.analysis import Figure, confusion_after_attack, words_replaced, write_svg
from unfool_papers.study.plan import Table
from unfool_papers.study.tables import markdown

RESULTS = Path(__file__).parents[4] / "results" / "jsma-readings.json"
MODEL, DATA, REPORTED = "CS229-LSTM:read=last-step", "imdb[10000]", 39.86
READINGS = {
    "padding left alone": "jsma",
    "words put into padding": "jsma:padding=true",
    "words put into padding, by angle": "jsma:padding=true,projection=cosine",
    "words put into padding, one gradient": "jsma:padding=true,slopes=once",
    "words put into padding, by angle, one gradient": "jsma:padding=true,projection=cosine,slopes=once",
    "padding left alone, one gradient": "jsma:slopes=once",
}


def measured(data_name: str, folder: Path, n: int, device: str, ends: float) -> dict[str, Any]:
    """Attack in every reading, as far as time goes, and return what came of it."""
    named = zoo.parse(f"{MODEL}@{data_name}")
    zoo.ensure(named, device=device, progress=False)
    report = named.report
    found: dict[str, Any] = {
        "victim": f"zoo:{named}",
        "test accuracy": report.test._asdict() if report and report.test else None,
        "data": data_name,
        "n": n,
        "reported % left": REPORTED,
        "readings": {},
        "figures": [],
    }
    for reading, spec in READINGS.items():
        if monotonic() >= ends:
            break
        out = folder / f"{spec.replace(':', '_').replace(',', '_')}_n{n}"
        run = attack(
            zoo.victim(f"zoo:{named}", device=device),
            data.load(data_name, split="test"),
            spec,
            n=n,
            seed=0,
            out=out,
            resume=is_run(out),
            progress=False,
        )
        summary = run.summary
        found["readings"][reading] = {
            "attack": spec,
            "right before": summary.clean_accuracy.to_dict(),
            "left": summary.accuracy_under_attack.to_dict(),
            "fooled": summary.success_rate.to_dict(),
            "notes": dict(summary.notes),
            "seconds": round(run.seconds, 1),
        }
        if spec == "jsma":
            figures = confusion_after_attack(run, labels=("negative", "positive")), words_replaced(run)
            found["figures"] = [figure._asdict() for figure in figures]
    return found


def table(found: dict[str, Any]) -> Table:
    """Return the readings, the report's figure beside them."""
    rows = []
    for reading, each in found["readings"].items():
        before, left, fooled = (
            Rate(each[key]["count"], each[key]["of"]) for key in ("right before", "left", "fooled")
        )
        low, high = (100 * bound for bound in left.interval)
        verdict = "yes" if low <= found["reported % left"] <= high else "no"
        rows.append((f"{reading}: `{each['attack']}`", str(before), str(left), str(fooled), verdict))
    columns = ("reading", "right before", "left", "fooled", f"{found['reported % left']} % within the interval")
    return Table("", columns, rows)


def main() -> None:
    """Measure, keep and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=DATA, help="the reviews it learns from; those of test are attacked")
    parser.add_argument("--n", type=int, default=300, help="reviews, those wrong from the start among them")
    parser.add_argument("--minutes", type=float, default=10.0, help="no reading is begun after so many")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--folder", type=Path, default=cache_root() / "studies" / "jsma-readings")
    parser.add_argument("--table", action="store_true", help="print what is kept and leave")
    parser.add_argument("--draw", type=Path, help="where the figures are drawn")
    given = parser.parse_args()
    out = RESULTS if given.data == DATA else RESULTS.with_stem(f"{RESULTS.stem}-{given.data}")
    if not given.table:
        ends = monotonic() + 60 * given.minutes
        found = measured(given.data, given.folder / given.data, given.n, given.device, ends)
        out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    kept = json.loads(out.read_text("utf-8"))
    if given.draw:
        for figure in kept["figures"]:
            drawn = Figure(**figure)
            write_svg(drawn._replace(name=f"analysis-{drawn.name}"), given.draw)
    print(markdown(table(kept)))


if __name__ == "__main__":
    main()
