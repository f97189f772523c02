"""What a Ray cluster costs: the same study by two processes of this machine, and by a cluster of its two cores.

``python -m bench.cluster [--n 800] [--work 120] [--times 2]`` makes a transfer study of four victims in turn with
``--workers 2`` and with ``--cluster local``; each victim counts its scores ``--work`` times, so that a crafting job
takes about a minute of a quiet core. Seconds are those of the whole command: the cluster starts and ends within
them. Every study has to have the same bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from bench.million import Took, measured

VICTIMS = """
import zlib
from math import exp

labels = ("negative", "positive")


def weight(number, word):
    return zlib.crc32(f"{number} {word}".encode()) % 101 / 50 - 1


def classifier(number):
    def answer(texts):
        for _ in range(WORK):
            scores = [sum(weight(number, word) for word in text.split()) for text in texts]
        return [[1 / (1 + exp(score)), 1 / (1 + exp(-score))] for score in scores]

    return answer


one, two, three, four = map(classifier, range(4))
"""
NAMES = ("one", "two", "three", "four")
WAYS = {"pool": ["--workers", "2"], "cluster": ["--workers", "2", "--cluster", "local"]}
OUT = Path(__file__).parents[1] / "results" / "bench-cluster.json"


def study(folder: Path, n: int, way: str, out: str) -> Took:
    victims = [f"py:four_victims:{name}" for name in NAMES]
    given = ["--data", "movie-reviews", "--n", str(n), "--dtype", "fp32", "--quiet", "--out", out, *WAYS[way]]
    return measured(["transfer", "--victims", *victims, *given], folder)


def crafting_seconds(run: Path) -> float:
    sessions = json.loads((run / "environment.json").read_bytes())["sessions"]
    return float(sessions[-1]["seconds"])


def kept(folder: Path) -> dict[str, bytes]:
    wanted = ("config.json", "study.json", "matrix.json", "summary.json", ".jsonl")
    files = (path for path in folder.rglob("*") if path.name.endswith(wanted))
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def compared(folder: Path, n: int, work: int, times: int) -> dict[str, Any]:
    (folder / "four_victims.py").write_text(VICTIMS.replace("WORK", str(work)))
    took: dict[str, list[Took]] = {way: [] for way in WAYS}
    found = []
    for number in range(times):
        for way in WAYS:
            out = f"{way}-{number}"
            took[way].append(study(folder, n, way, out))
            print(way, took[way][-1], "load", os.getloadavg()[0], file=sys.stderr, flush=True)
            found.append(kept(folder / out))
    assert all(each == found[0] for each in found), "the studies differ"
    jobs = [crafting_seconds(run) for run in (folder / "pool-0" / "sources").iterdir()]
    clock, cpu = ({way: [round(each[at], 1) for each in took[way]] for way in WAYS} for at in (0, 1))
    return {
        "texts a victim": n,
        "scores counted": work,
        "seconds of a crafting job": [round(each, 1) for each in jobs],
        "seconds by the clock": clock,
        "seconds of processor time, all processes": cpu,
        "overhead by the clock": round(median(clock["cluster"]) / median(clock["pool"]) - 1, 3),
        "overhead in processor time": round(median(cpu["cluster"]) / median(cpu["pool"]) - 1, 3),
        "most MB": {way: max(each.most_mb for each in took[way]) for way in WAYS},
        "the same bytes": True,
        "load average at the end": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=800)
    parser.add_argument("--work", type=int, default=120)
    parser.add_argument("--times", type=int, default=2)
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        made = compared(Path(place), given.n, given.work, given.times)
    given.out.write_text(json.dumps(made, indent=1) + "\n")
    print(json.dumps(made, indent=1))


if __name__ == "__main__":
    main()
