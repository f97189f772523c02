"""Attacks that TextAttack has, too, beside TextAttack: the same victim, sentences and limits in one run.

``python -m bench.field`` does all rows; ``--victims MiniLM --attacks bae a2t`` some, and leaves the others as they
are in ``results/bench-field.json``. Each tool has one thread, and the seconds are the processor's, which other
people's work stretches less than the clock's. TextAttack ends when its limit comes; success, queries and words
are told of the sentences that both have done. Where one tool has a resource that the other has not, both take the
same. What differs stands in ``textattack_recipes.DIFFERENCES``; docs/benchmarks.md tells what came of it.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from importlib import resources as package_files
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from bench._common import Measured, print_table, run_unfool
from bench.cpu import DATA, HERE, MINILM, NETS, open_victim, peer, write_samples
from bench.textattack_env import TEXTATTACK
from unfool import data, resources
from unfool.attacks import find_attack
from unfool.engine import Budget, Status
from unfool.lexicon import glove_neighbours
from unfool.lexicon.masked_training import FOLDER, train
from unfool.stats import wilson
from unfool.text import Sample
from unfool.victims.tokens import EncodedVictim

CNN = "word CNN"
_OUT = HERE.parent / "results" / "bench-field.json"
_WARM = 1
Row = dict[str, Any]


class Pairing(NamedTuple):
    """One attack on both sides: as ours is written, and how many sentences it gets from us."""

    ours: str
    texts: Mapping[str, int]
    budget: Budget | None = None


ATTACKS: Mapping[str, Pairing] = {
    "deepwordbug": Pairing("deepwordbug", {CNN: 200, MINILM: 40}),
    # TextAttack's threshold is an angle of a fifth of a half turn.
    "textbugger": Pairing("textbugger:similarity=0.80902", {CNN: 60, MINILM: 20}),
    "pruthi": Pairing("pruthi", {CNN: 100, MINILM: 10}),
    "bae": Pairing("bae", {CNN: 60, MINILM: 20}),
    "clare": Pairing("clare", {CNN: 20}),
    # TextAttack takes gradients of models of its own kinds alone.
    "a2t": Pairing("a2t", {MINILM: 40}),
    "pso": Pairing("pso:substitutes=neighbours", {CNN: 100}),
    "iga": Pairing("iga", {CNN: 100}, Budget(words=0.2)),
    "checklist": Pairing("checklist:changes=5", {CNN: 200}),
    "input-reduction": Pairing("input-reduction:width=1", {CNN: 100}),
}


def rows_of(name: str, attack: str, seconds: int) -> list[Row]:
    """Attack with both tools."""
    pairing = ATTACKS[attack]
    samples = list(data.load(DATA, split="test").sample(max(pairing.texts.values()) + _WARM, 0))
    samples = samples[: pairing.texts[name] + _WARM]
    victim, spec = open_victim(name)
    ours, cpu = _ours(victim, samples, pairing)
    with tempfile.TemporaryDirectory() as folder:
        path = write_samples(samples, Path(folder) / "samples.jsonl")
        job = {"victim": spec, "attack": attack, "samples": str(path), "warm": _WARM, "resources": _shared()}
        theirs = peer({**job, "seconds": seconds, "clock": "processor", "threads": 1})
    both = {sample.id for sample in samples[_WARM : _WARM + theirs["samples"]]}
    print(f"{name}, {attack}: TextAttack did {len(both)} of {len(samples) - _WARM}", flush=True)
    return [
        _row(name, attack, "unfool", len(ours.outcomes), len(ours.outcomes) / cpu, _ours_over(ours, both)),
        _row(name, attack, "TextAttack", len(both), theirs["samples_per_cpu_second"], _theirs_over(theirs)),
    ]


def _ours(victim: EncodedVictim, samples: Sequence[Sample], pairing: Pairing) -> tuple[Measured, float]:
    recipe = find_attack(pairing.ours)
    run_unfool(victim, samples[:_WARM], recipe, 64, pairing.budget)
    fresh = [Sample(s.id, s.text, s.label) for s in samples[_WARM:]]
    began = time.process_time()
    measured = run_unfool(victim, fresh, recipe, 256, pairing.budget)
    return measured, time.process_time() - began


def _shared() -> dict[str, str]:
    """Say where the resources lie that both tools take; they are made if they are not there yet."""
    glove_neighbours().of("good", 1, 0.0)
    (glove,) = resources.cache_root().glob("glove-840b-300d-*-neighbours")
    return {
        "masked": str(resources.derived("minilm", FOLDER, train)),
        "glove": str(glove),
        "names": str(package_files.files("unfool.lexicon").joinpath("names.txt")),
    }


class Over(NamedTuple):
    """What came out over some sentences."""

    attacked: int
    fallen: int
    queries: float
    words_changed: float
    words_left: float


def _ours_over(measured: Measured, wanted: Collection[object]) -> Over:
    attacked = [o for o in measured.outcomes if o.id in wanted and o.status is not Status.SKIPPED]
    fallen = [o for o in attacked if o.status is Status.SUCCESS]
    return Over(
        len(attacked),
        len(fallen),
        _mean([o.queries for o in attacked]),
        100 * _mean([o.words_changed / max(1, o.words) for o in fallen]),
        _mean([o.notes.get("words left", 0.0) for o in attacked]),
    )


def _theirs_over(totals: Mapping[str, Any]) -> Over:
    fallen = totals["statuses"].get("success", 0)
    means = (totals[name] for name in ("queries_per_attacked", "changed_percent", "words_left"))
    return Over(totals["attacked"], fallen, *means)


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else 0.0


def _row(name: str, attack: str, tool: str, samples: int, rate: float, over: Over) -> Row:
    low, high = wilson(over.fallen, over.attacked)
    row = {
        "date": datetime.now(UTC).date().isoformat(),
        "victim": name,
        "attack": attack,
        "tool": tool,
        "samples": samples,
        "samples a CPU second": float(f"{rate:.3g}"),
        "times TextAttack": None,
        "attacked by both": over.attacked,
        "success %": round(100 * over.fallen / max(1, over.attacked), 1),
        "low": round(100 * low, 1),
        "high": round(100 * high, 1),
        "queries": round(over.queries, 1),
        "words changed %": round(over.words_changed, 1),
        "limit, s": None,
    }
    return row | ({"words left": round(over.words_left, 1)} if attack == "input-reduction" else {})


def _machine() -> str:
    models = re.findall(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return f"{len(models)} cores, {models[0]}"


def _versions() -> dict[str, str]:
    return {"unfool": version("unfool"), "torch": version("torch"), "TextAttack": TEXTATTACK[0].partition("==")[2]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--victims", nargs="*", default=[CNN, MINILM], choices=[*NETS, MINILM])
    parser.add_argument("--attacks", nargs="*", default=list(ATTACKS), choices=list(ATTACKS))
    parser.add_argument(
        "--seconds", type=int, default=100, help="what each run of TextAttack may take of the processor"
    )
    parser.add_argument("--out", type=Path, default=_OUT)
    given = parser.parse_args()
    torch.set_num_threads(1)
    kept: dict[str, Any] = json.loads(given.out.read_text()) if given.out.exists() else {"rows": []}
    kept = {"machine": _machine(), "versions": _versions(), "rows": kept["rows"]}
    for name in given.victims:
        for attack in (each for each in given.attacks if name in ATTACKS[each].texts):
            ours, theirs = rows_of(name, attack, given.seconds)
            ours["times TextAttack"] = float(f"{ours['samples a CPU second'] / theirs['samples a CPU second']:.2g}")
            theirs["limit, s"] = given.seconds
            kept["rows"] = [row for row in kept["rows"] if (row["victim"], row["attack"]) != (name, attack)]
            kept["rows"] += [ours, theirs]
            given.out.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
            print_table([ours, theirs])


if __name__ == "__main__":
    main()
