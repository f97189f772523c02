"""Memory does not grow with the data set."""

from __future__ import annotations

import csv
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from tests.end_to_end.command import attack, command, lines, surroundings

pytestmark = pytest.mark.usefixtures("word_vectors")

TOY = """
labels = ["consonants", "vowels"]

def share_of_vowels(texts):
    shares = [sum(map(text.count, "aeiou")) / max(1, len(text)) for text in texts]
    return [[1 - share, share] for share in shares]
"""


@pytest.mark.parametrize("samples", [20_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_memory_after_all_samples_is_that_after_a_tenth(
    samples: int, tmp_path: Path, rows: list[tuple[str, int]], record_property: Callable[[str, object], None]
) -> None:
    (tmp_path / "toy.py").write_text(TOY)
    with (tmp_path / "data.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "label"])
        writer.writerows((f"{number} {rows[number % len(rows)][0]}", 0) for number in range(samples))
    log, used = tmp_path / "run" / "outcomes.jsonl", list[tuple[int, int]]()
    # A fresh process, in which nothing but its own memory counts.
    process = subprocess.Popen(
        command(*attack("py:toy:share_of_vowels", "random", "run", data="data.csv")),
        cwd=tmp_path,
        env=surroundings({}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    memory = psutil.Process(process.pid)
    while process.poll() is None:
        if log.exists() and process.poll() is None:
            used.append((log.stat().st_size, memory.memory_info().rss))
        time.sleep(0.05)
    assert process.returncode == 0, process.communicate()[1]
    assert lines(log) == samples
    written = log.stat().st_size
    after_a_tenth = next(rss for size, rss in used if size >= written / 10)
    after_all = max(rss for size, rss in used if size >= written * 0.98)
    record_property("MB after a tenth", after_a_tenth >> 20)
    record_property("MB after all", after_all >> 20)
    assert after_all <= 1.1 * after_a_tenth, f"{after_a_tenth >> 20} MB grew to {after_all >> 20} MB"
