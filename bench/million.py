"""A million short texts: what a large run takes in time and memory, and how long it is read.

``python -m bench.million [--n 1000000] [--workers 2]`` attacks made texts with ``random`` and a victim of one line,
in processes of their own. It notes the memory of all of them as the run grows, reads the growing folder, and times
``unfool show`` and ``unfool report``. Seconds are the processor's and the clock's: the first are not stretched by
the work of others. ``--keep FOLDER`` keeps the run; ``--read FOLDER`` measures only how one that was kept is read.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from unfool.runs import Run

VICTIM = """
labels = ["few", "many"]


def probabilities(texts):
    shares = [sum(map(text.count, "aeiou")) / max(1, len(text)) for text in texts]
    return [[1 - share, share] for share in shares]
"""
WORDS = ("the", "a", "film", "plot", "actor", "is", "was", "good", "bad", "long", "funny", "sad", "slow", "not")
POINTS = 20
OUT = Path(__file__).parents[1] / "results" / "bench-million.json"


class Took(NamedTuple):
    """What a command cost."""

    seconds: float
    cpu_seconds: float
    most_mb: int


def write_texts(path: Path, n: int) -> None:
    drawn = random.Random(0)
    with path.open("w", encoding="utf-8") as file:
        file.write("text,label\n")
        file.writelines(f"{' '.join(drawn.choices(WORDS, k=8))} {number},few\n" for number in range(n))


def family(process: psutil.Process) -> Iterator[psutil.Process]:
    yield process
    yield from process.children(recursive=True)


def measured(command: list[str], folder: Path, at: Any = None) -> Took:
    """Run a command to its end; ``at`` is called with the memory of all its processes, often."""
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "unfool", *command], cwd=folder, stdout=subprocess.DEVNULL, env=os.environ
    )
    top, cpu, most = psutil.Process(process.pid), dict[int, float](), 0
    while process.poll() is None:
        memory = 0
        for each in family(top):
            try:
                times = each.cpu_times()
                cpu[each.pid] = times.user + times.system
                memory += each.memory_info().rss
            except psutil.Error:
                continue
        most = max(most, memory)
        if at:
            at(memory)
        time.sleep(0.2)
    if process.returncode:
        raise SystemExit(f"unfool {' '.join(command)} ended with {process.returncode}")
    return Took(time.monotonic() - began, sum(cpu.values()), most >> 20)


def grown(folder: Path, n: int, workers: int) -> dict[str, Any]:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "victim.py").write_text(VICTIM)
    write_texts(folder / "texts.csv", n)
    log, points, seen = folder / "run" / "outcomes.jsonl", list[tuple[float, int]](), list[int]()

    def look(memory: int) -> None:
        if log.exists():
            points.append((log.stat().st_size, memory >> 20))
            if len(points) % 200 == 50:
                seen.append(len(Run.open(log.parent)))

    options = ["--victim", "py:victim:probabilities", "--data", "texts.csv", "--attack", "random", "--out", "run"]
    attack = measured(["attack", *options, "--workers", str(workers), "--quiet"], folder, look)
    size = log.stat().st_size
    at = [
        next(memory for bytes_, memory in points if bytes_ >= size * share / POINTS) for share in range(1, POINTS)
    ]
    return {
        "workers": workers,
        "texts a CPU second": round(n / attack.cpu_seconds),
        "attack": attack._asdict(),
        "MB by twentieths of the run": at,
        "samples read while it grew": seen,
        "bytes a text": round(size / n),
    }


def read(folder: Path) -> dict[str, Any]:
    show = measured(["show", "run"], folder)
    report = measured(["report", "run", "--out", "page.html"], folder)
    return {
        "texts": len(Run.open(folder / "run")),
        "show": show._asdict(),
        "report": report._asdict(),
        "page MB": round((folder / "page.html").stat().st_size / 2**20, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--read", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = given.read or given.keep or Path(place)
        made = json.loads(given.out.read_text()) if given.read else grown(folder, given.n, given.workers)
        made |= read(folder)
    given.out.write_text(json.dumps(made, indent=1) + "\n")
    print(json.dumps(made, indent=1))


if __name__ == "__main__":
    main()
