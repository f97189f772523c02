"""Search methods on one space each, as Yoo et al. (2020) set them side by side: success against queries.

``python -m bench.searches`` attacks the word CNN of the zoo by every search, once, with the most queries a sentence
may cost, and reads from those of each success how many would have come with fewer. Rows are kept once done, in
``results/searches-compared.json``; the page is ``docs/attacks-compared.md``.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch
from docs.generator.searches import KEPT, write_part

from bench._common import run_unfool
from bench.cpu import DATA, NETS, open_victim
from unfool import data
from unfool.attacks import find_attack
from unfool.engine import Budget, Status

VICTIM = "word CNN"
QUERIES = (25, 50, 100, 250, 500, 1000, 2500, 5000)
_BEAMS = ("beam:space={0},width=1", "beam:space={0},width=4", "beam:space={0},width=8", "best-first:space={0}")
SEARCHES: Mapping[str, Sequence[str]] = {
    # The genetic attack has its own neighbours, at a closer cosine; among synonyms it has those of all the others.
    "synonyms": (*(each.format("synonyms") for each in _BEAMS), "pso", "ga", "greedy-synonym"),
    "neighbours": (*(each.format("neighbours") for each in _BEAMS), "pso:substitutes=neighbours"),
}


def row(space: str, search: str, sentences: int) -> dict[str, Any]:
    """Attack with one search, and count successes by the queries they took."""
    victim, _ = open_victim(VICTIM)
    samples = list(data.load(DATA, split="test").sample(sentences, 0))
    budget = Budget(queries=QUERIES[-1])
    began = time.process_time()
    attacked = run_unfool(victim, samples, find_attack(search), 256, budget).attacked
    fallen = [outcome for outcome in attacked if outcome.status is Status.SUCCESS]
    return {
        "space": space,
        "search": search,
        "attacked": len(attacked),
        "within": {str(most): sum(outcome.queries <= most for outcome in fallen) for most in QUERIES},
        "words changed %": round(100 * float(np.mean([o.words_changed / max(1, o.words) for o in fallen])), 1),
        "CPU seconds": round(time.process_time() - began, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=200, help="sentences of the test split, drawn by seed 0")
    parser.add_argument("--out", type=Path, default=KEPT)
    given = parser.parse_args()
    torch.set_num_threads(1)
    kept: dict[str, Any] = {
        "date": datetime.now(UTC).date().isoformat(),
        "data": DATA,
        "victim": NETS[VICTIM],
        "sentences": given.n,
        "rows": [],
    }
    for space, searches in SEARCHES.items():
        for search in searches:
            kept["rows"].append(row(space, search, given.n))
            given.out.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
            print(kept["rows"][-1], flush=True)
    if given.out == KEPT:
        write_part()


if __name__ == "__main__":
    main()
