"""Keep what ``unfool search`` found: every trial with its settings and accuracies.

``python -m unfool_papers.scripts.searched NAME FOLDER`` copies the trials of a search's folder into
``results/search-NAME.json`` and prints
the best of them; without FOLDER it prints those that are kept.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unfool_papers.defence_tables.records import portable
from unfool_papers.study.plan import Table
from unfool_papers.study.tables import markdown

RESULTS = Path(__file__).parents[4] / "results"
_CONFIG = ("template", "vary", "data", "split", "n", "attacks", "sampler", "seed")
_SHOWN = 5


def kept(folder: Path) -> dict[str, Any]:
    """Return what a search was asked for, and all of its trials."""
    config, found = (json.loads((folder / name).read_bytes()) for name in ("evaluation.json", "summary.json"))
    made: dict[str, Any] = portable({**{key: config[key] for key in _CONFIG}, **found})
    return made


def table(found: Mapping[str, Any]) -> Table:
    """Return the best trials, and the worst, with what was set in each."""
    trials = found["trials"]
    names = list(trials[0]["settings"])
    chosen = [*trials[:_SHOWN], *([trials[-1]] if len(trials) > _SHOWN else [])]
    rows = [
        [
            f"{trials.index(each) + 1} of {len(trials)}",
            *(_told(each["settings"][name]) for name in names),
            f"{100 * each['clean']:.1f}",
            ", ".join(f"{100 * share:.1f}" for share in each["adversarial"]),
            f"{100 * each['score']:.1f}",
        ]
        for each in chosen
    ]
    return Table("", ("place", *names, "clean, %", "stored or attacked, %", "mean of both"), rows)


def _told(value: Any) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def main(arguments: list[str] | None = None) -> None:
    """Keep the trials of a search, and print the best."""
    parser = argparse.ArgumentParser(
        prog="python -m unfool_papers.scripts.searched",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", help="what the search is kept as")
    parser.add_argument("folder", type=Path, nargs="?", help="the folder of the search")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where results are kept")
    given = parser.parse_args(arguments)
    file = given.results / f"search-{given.name}.json"
    if given.folder:
        file.write_text(json.dumps(kept(given.folder), indent=1) + "\n", encoding="utf-8")
    print(markdown(table(json.loads(file.read_text("utf-8")))))


if __name__ == "__main__":
    main()
