"""What a Ray cluster costs: the same study by two processes of this machine, and by a cluster of its two cores.

``python -m bench.cluster [--n 10000] [--times 2]`` makes a transfer study of four victims in turn with
``--workers 2`` and with ``--cluster local``; a crafting job takes about a minute. Seconds are those of the whole
command: the cluster starts and ends within them. Every study has to have the same bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

VICTIMS = """
import zlib
from math import exp

labels = ("negative", "positive")


def classifier(number):
    def answer(texts):
        scores = [sum(zlib.crc32(f"{number} {w}".encode()) % 101 / 50 - 1 for w in text.split()) for text in texts]
        return [[1 / (1 + exp(score)), 1 / (1 + exp(-score))] for score in scores]

    return answer


one, two, three, four = map(classifier, range(4))
"""
NAMES = ("one", "two", "three", "four")
WAYS = {"pool": ["--workers", "2"], "cluster": ["--workers", "2", "--cluster", "local"]}
OUT = Path(__file__).parents[1] / "results" / "bench-cluster.json"


def study(folder: Path, n: int, way: str, out: str) -> float:
    victims = [f"py:four_victims:{name}" for name in NAMES]
    given = ["--data", "movie-reviews", "--n", str(n), "--dtype", "fp32", "--quiet", "--out", out, *WAYS[way]]
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "unfool", "transfer", "--victims", *victims, *given],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        check=True,
    )
    return time.perf_counter() - began


def crafting_seconds(run: Path) -> float:
    sessions = json.loads((run / "environment.json").read_bytes())["sessions"]
    return float(sessions[-1]["seconds"])


def kept(folder: Path) -> dict[str, bytes]:
    wanted = ("config.json", "study.json", "matrix.json", "summary.json", ".jsonl")
    files = (path for path in folder.rglob("*") if path.name.endswith(wanted))
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def measured(folder: Path, n: int, times: int) -> dict[str, Any]:
    (folder / "four_victims.py").write_text(VICTIMS)
    seconds: dict[str, list[float]] = {way: [] for way in WAYS}
    found = []
    for number in range(times):
        for way in WAYS:
            out = f"{way}-{number}"
            seconds[way].append(round(study(folder, n, way, out), 1))
            print(way, seconds[way][-1], "s; load", os.getloadavg()[0], flush=True)
            found.append(kept(folder / out))
    assert all(each == found[0] for each in found), "the studies differ"
    jobs = [crafting_seconds(run) for run in (folder / "pool-0" / "sources").iterdir()]
    overhead = median(seconds["cluster"]) / median(seconds["pool"]) - 1
    return {
        "texts a victim": n,
        "seconds of a crafting job": [round(each, 1) for each in jobs],
        "seconds": seconds,
        "overhead of the cluster": round(overhead, 3),
        "the same bytes": True,
        "load average at the end": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=10_000)
    parser.add_argument("--times", type=int, default=2)
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        made = measured(Path(place), given.n, given.times)
    given.out.write_text(json.dumps(made, indent=1) + "\n")
    print(json.dumps(made, indent=1))


if __name__ == "__main__":
    main()
