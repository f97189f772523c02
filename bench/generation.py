"""Decoded sentences a second inside an attack, beside the rate at which the model decodes full batches.

``python -m bench.generation --out results/bench-generation.json``; ``--models`` takes any names that ``unfool
attack --goal`` takes, such as ``zoo:NMT-LSTM-small@multi30k``; ``--device cuda`` measures on a GPU. Both figures
of a row come from the same minutes on the same cores: the attack runs, and then the model decodes the same sources
again, in batches as large as they come.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unfool.attacks import find_attack
from unfool.data import from_texts
from unfool.engine import Budget, attack_samples
from unfool.errors import VictimError
from unfool.generation import Generator, JudgedGenerator, Output, find_goal, open_generator, with_outputs
from unfool.options import Options

MODELS = ("py:unfool.generation.portuguese:from_english",)
SENTENCES = (
    "A man in a blue shirt is standing on a ladder cleaning a window.",
    "Two young children are playing with a dog in the snow.",
    "The weather was bad yesterday, so we stayed at home.",
    "A woman sells fruit at a market in the old town.",
    "Several people wait for the train to the city.",
    "The meeting begins at ten and ends at noon.",
    "He did not want to read the long letter again.",
    "A small bird sits on the roof of the red house.",
)


class Noted(Generator):
    """Passes sources on, and notes them."""

    def __init__(self, model: Generator) -> None:
        self.model, self.asked = model, list[str]()
        self.device, self.fingerprint = model.device, model.fingerprint

    def generate(self, sources: Sequence[str]) -> Sequence[Output | VictimError]:
        """Note them and generate."""
        self.asked += sources
        return self.model.generate(sources)

    def generate_exactly(self, sources: Sequence[str]) -> Sequence[Output | VictimError]:
        """Generate, without a note."""
        return self.model.generate_exactly(sources)

    def __repr__(self) -> str:
        return repr(self.model)


def measure(model: Generator, spec: str, queries: int) -> dict[str, Any]:
    """Attack some sentences, and decode again what was asked."""
    noted = Noted(model)
    prepared = with_outputs(from_texts(list(SENTENCES), ["x"] * len(SENTENCES)), model)
    model.generate(list(SENTENCES))
    victim = JudgedGenerator(noted, find_goal("keyword=nowhere"))
    began = time.perf_counter()
    for _ in attack_samples(victim, prepared.data, find_attack(spec), budget=Budget(queries=queries)):
        pass
    inside = time.perf_counter() - began
    began = time.perf_counter()
    model.generate(noted.asked)
    alone = time.perf_counter() - began
    return {
        "model": repr(model),
        "attack": spec,
        "sentences": len(noted.asked),
        "a second in the attack": round(len(noted.asked) / inside, 1),
        "a second alone": round(len(noted.asked) / alone, 1),
        "share": round(alone / inside, 3),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="*", default=MODELS)
    parser.add_argument("--attacks", nargs="*", default=["random:trials=40", "greedy-synonym"])
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    rows = []
    for name in given.models:
        model = open_generator(name, Options(device=given.device, dtype="fp32"))
        for spec in given.attacks:
            rows.append(measure(model, spec, given.queries))
            print(rows[-1], flush=True)
    if given.out:
        told = {"device": given.device, "load": [round(each, 1) for each in os.getloadavg()], "rows": rows}
        given.out.write_text(json.dumps(told, indent=2) + "\n")


if __name__ == "__main__":
    main()
