"""What the papers look at beside success rates and no net is needed for: kept in ``results/analysis.json``.

``python -m unfool_papers.scripts.look`` checks theorem 1 of Hsieh et al. and lays the CS229 report's training set
on two components, in a minute on one core. ``--only theorem`` or ``--only components`` does one of them.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[4] / "results" / "analysis.json"
REVIEWS = "imdb[5000]"


def theorem() -> dict[str, Any]:
    """Return what came of theorem 1: the change of a score by dimensions, its tail, and how far words move."""
    from unfool_papers import analysis

    check = analysis.check_theorem_1()
    tails = [tail for tail in check.tails if tail.setting != "change chosen for the text"]  # which is ruled out
    return {
        "scores": [
            {
                "setting": each.setting,
                "dimensions": each.dimensions,
                "mean": each.mean.value,
                "bound": each.bound,
                "bound / mean": each.bound / each.mean.value,
                "holds": each.holds,
            }
            for each in check.scores
        ],
        "tails hold": all(tail.measured <= tail.markov for tail in tails),
        "normal tails hold": all(tail.measured <= tail.gaussian for tail in tails),
        "slopes": dict(check.slopes),
        "moved": {layer: each._asdict() for layer, each in check.moved.items()},
    }


def components() -> dict[str, Any]:
    """Return how far two principal components part the labels of reviews, by what is projected."""
    from unfool import data
    from unfool_papers import analysis

    texts = data.load(REVIEWS, split="train")
    return {
        by: {"data": REVIEWS, "caption": analysis.principal_components(texts, by=by).caption}
        for by in ("vectors", "words")
    }


PARTS = {"theorem": theorem, "components": components}


def main() -> None:
    """Compute, and keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=PARTS, nargs="+", default=[*PARTS])
    given = parser.parse_args()
    kept = json.loads(RESULTS.read_text("utf-8")) if RESULTS.is_file() else {}
    for part in given.only:
        kept[part] = PARTS[part]()
        RESULTS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        print(json.dumps(kept[part], indent=1))


if __name__ == "__main__":
    main()
