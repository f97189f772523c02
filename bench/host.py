"""What the host does for a sample of PWWS: the attack again, with a victim that answers at once.

``OMP_NUM_THREADS=1 python -m bench.host``. The first run asks the victim; those behind it know all its answers and
checks, so that what is left is reading texts, rows of tokens, counting queries and the attack itself. Shares are
those of a run under Python's profiler, which makes calls dearer than they are. Texts are those of rotten_tomatoes
(UNFOOL_DATA).
"""

from __future__ import annotations

import argparse
import cProfile
import json
import os
import pstats
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench._common import outcomes_of, print_table
from bench.cpu import DATA, NETS, TF_IDF, fitted, open_victim
from unfool import data
from unfool.attacks import find_attack
from unfool.engine import Answers, Later, Outcome, PendingAnswers, RowCache, attack_samples
from unfool.text import Sample, Text
from unfool.victims import Input, Pipeline, Victim

PLACES, TIMES = 1 << 20, 5
PARTS = {
    "texts read as rows": ("_units.py", "rows"),
    "queries counted, answers handed out": ("_predict.py", "launch"),
    "the attack, its verdicts, outcomes": ("_loop.py", "step"),
}
OUT = Path(__file__).parents[1] / "results" / "bench-host.json"


class AtOnce:
    """Checks of a victim, each asked once and then known."""

    def __init__(self, victim: Victim) -> None:
        self._check = victim.check
        self._known: dict[Input, Any] = {}

    def __call__(self, inputs: Sequence[Input]) -> PendingAnswers:
        """Check rendered texts."""
        new = [one for one in inputs if one not in self._known]
        if new:
            self._known.update(zip(new, self._check(new).result().values, strict=True))
        return Later.of(Answers(np.array([self._known[one] for one in inputs]), {}))


def attacked(victim: Victim, samples: list[Sample], known: RowCache) -> tuple[list[Outcome], float]:
    # Fresh texts: what was cached about these very ones must not help.
    fresh = [Sample(sample.id, Text.of(sample.text.strings[0]), sample.label) for sample in samples]
    began = time.process_time()
    found = list(outcomes_of(attack_samples(victim, fresh, find_attack("pwws"), width=256, known=known)))
    return found, time.process_time() - began


def row(name: str, samples: list[Sample]) -> dict[str, Any]:
    victim = Pipeline(fitted(), TF_IDF) if name == TF_IDF else open_victim(name)[0]
    victim.check = AtOnce(victim)  # type: ignore[method-assign]
    known = RowCache(PLACES, len(victim.labels))
    outcomes, _ = attacked(victim, samples, known)
    host = min(attacked(victim, samples, known)[1] for _ in range(TIMES))
    asked = sum(outcome.queries + outcome.checks for outcome in outcomes)
    return {
        "victim": name,
        "samples": len(samples),
        "asked": asked,
        "host, ms a sample": round(1000 * host / len(samples), 2),
        "host, µs a query": round(1e6 * host / asked, 1),
        **shares(victim, samples, known),
    }


def shares(victim: Victim, samples: list[Sample], known: RowCache) -> dict[str, float]:
    profile = cProfile.Profile(time.process_time)
    profile.runcall(attacked, victim, samples, known)
    found = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    spent = {
        part: sum(figures[3] for (file, _, called), figures in found.items() if (Path(file).name, called) == where)
        for part, where in PARTS.items()
    }
    spent["queries counted, answers handed out"] -= spent["texts read as rows"]
    whole = max(figures[3] for figures in found.values())
    return {f"{part} %": round(100 * seconds / whole) for part, seconds in spent.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=200, help="sentences of the test split, drawn by seed 0")
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    samples = list(data.load(DATA, split="test").sample(given.n, 0))
    rows = [row(name, samples) for name in (*NETS, TF_IDF)]
    given.out.write_text(json.dumps({"load": os.getloadavg(), "rows": rows}, indent=1, ensure_ascii=False) + "\n")
    print_table(rows)


if __name__ == "__main__":
    main()
