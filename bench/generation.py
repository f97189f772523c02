"""Decoded sentences a second inside an attack, beside the rate at which the model decodes full batches.

``python -m bench.generation --out results/bench-generation.json``; ``--models NAME=SOURCES`` takes any names that
``unfool attack --goal`` takes; ``--device cuda`` uses a GPU. Both figures of a row come from the same time on
the same cores: the attack runs, and then the model decodes the same sources again, in batches as large as they
come. The attack's time holds the engine's checks, too: each source, and each text that an attack settles on, is
decoded once more, alone. On a CPU the seconds are those of the processor, which the work of others stretches less.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from unfool.attacks import find_attack
from unfool.data import ANSWERS, from_texts, load
from unfool.engine import Budget, attack_samples
from unfool.errors import VictimError
from unfool.generation import Generator, JudgedGenerator, Output, find_goal, open_generator, with_outputs
from unfool.options import Options

MODELS = (
    "zoo:NMT-Transformer-small@multi30k=64",
    "zoo:NMT-LSTM-small@multi30k=64",
    "py:unfool.generation.portuguese:from_english=8",
)


class Noted(Generator):
    """Passes sources on, and notes those of the search, and how many are checked."""

    def __init__(self, model: Generator) -> None:
        self.model, self.asked, self.checked = model, list[str](), 0
        self.device, self.fingerprint = model.device, model.fingerprint

    def generate(self, sources: Sequence[str]) -> Sequence[Output | VictimError]:
        """Note them and generate."""
        self.asked += sources
        return self.model.generate(sources)

    def generate_exactly(self, sources: Sequence[str]) -> Sequence[Output | VictimError]:
        """Count them and generate."""
        self.checked += len(sources)
        return self.model.generate_exactly(sources)

    def __repr__(self) -> str:
        return repr(self.model)


def measure(model: Generator, sources: list[str], spec: str, queries: int) -> dict[str, Any]:
    """Attack some sources, and decode again what was asked."""
    noted = Noted(model)
    prepared = with_outputs(from_texts(sources, ["x"] * len(sources)), model)
    victim = JudgedGenerator(noted, find_goal("keyword=nowhere"))
    began = now(model)
    for _ in attack_samples(victim, prepared.data, find_attack(spec), budget=Budget(queries=queries)):
        pass
    inside = now(model) - began
    began = now(model)
    model.generate(noted.asked)
    alone = now(model) - began
    return {
        "model": repr(model),
        "attack": spec,
        "sources": len(sources),
        "sentences": len(noted.asked),
        "checked alone": noted.checked,
        "a second in the attack": round(len(noted.asked) / inside, 1),
        "a second in full batches": round(len(noted.asked) / alone, 1),
        "share": round(alone / inside, 3),
    }


def now(model: Generator) -> float:
    """Return the processor's time, or that at which all that was asked of a GPU is done."""
    if getattr(model.device, "type", "cpu") == "cuda":
        torch.cuda.synchronize()
        return time.perf_counter()
    return time.process_time()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="*", default=MODELS, help="NAME=SOURCES")
    parser.add_argument("--attacks", nargs="*", default=["random:trials=40", "greedy-synonym"])
    parser.add_argument("--queries", type=int, default=40, help="the most for one source")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    texts = load("multi30k", split="test", text="en", pair="de", label=ANSWERS)
    rows = []
    for name, n in (each.rsplit("=", 1) for each in given.models):
        model = open_generator(name, Options(device=given.device, dtype="fp32"))
        sources = texts.sample(int(n), 0).column(0)
        for spec in given.attacks:
            rows.append(measure(model, sources, spec, given.queries))
            print(rows[-1], flush=True)
            if given.out:  # so that a run can be ended
                told = {"device": given.device, "load": [round(each, 1) for each in os.getloadavg()], "rows": rows}
                given.out.write_text(json.dumps(told, indent=2) + "\n")


if __name__ == "__main__":
    main()
