"""How many times as fast as the whole net its shortcut is, and how far off: small nets of the catalogue's sizes.

``OMP_NUM_THREADS=1 python -m bench.shortcuts``. Weights are fresh and words drawn at random, since only the shape
matters for speed; each of some texts is asked about with so many changes of one word, one in ten into two words.
``--attack 1000`` attacks so many texts of rotten_tomatoes (UNFOOL_DATA) in fp32 instead, with the shortcut and
without, on nets trained on first use, and counts how many end alike. Each call keeps what the other found.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from bench._common import print_table, run_unfool
from unfool import data
from unfool.attacks import find_attack
from unfool.engine import Outcome
from unfool.text import Sample, Text, Variants
from unfool.zoo import CATALOGUE, NetRecipe, NetVictim, WordVocabulary, make_net, victim
from unfool.zoo.fronts import make_front

NETS = (
    "WordCNN",
    *(f"CNN-W-GloVe-{layers}" for layers in (1, 2, 4, 6)),
    *(f"LSTM-W-GloVe-{layers}" for layers in (1, 2)),
    "BiLSTM-W-GloVe-1",
)
ATTACKED = ("WordCNN", "LSTM-W-GloVe-1", "BiLSTM-W-GloVe-1")
ENDS = "pwws with and without"
DATA = "rotten_tomatoes"
OUT = Path(__file__).parents[1] / "results" / "bench-shortcuts.json"
_WORDS, _SHORTEST, _LONGEST, _TIMES = 3000, 3, 40, 3


def net_of(name: str, encoder: WordVocabulary, dtype: str) -> NetVictim:
    recipe = CATALOGUE[name].recipe
    assert isinstance(recipe, NetRecipe)
    torch.manual_seed(0)
    front = make_front(recipe.front, rows=len(encoder), dimensions=recipe.dimensions)
    net = make_net(recipe.net, front, 2, **recipe.sizes)
    return NetVictim(net, encoder, ("negative", "positive"), name=name, device="cpu", dtype=dtype)


def questions(words: list[str], texts: int, changes: int) -> list[Variants]:
    drawn = np.random.default_rng(0)

    def word() -> str:
        return str(drawn.choice(words)) if drawn.random() < 0.9 else "-".join(drawn.choice(words, 2))

    asked: list[Variants] = []
    for _ in range(texts):
        base = Text.of(" ".join(drawn.choice(words, drawn.integers(_SHORTEST, _LONGEST))))
        spots = drawn.integers(0, len(base), changes).tolist()
        asked += [base.variants(spots, [word() for _ in spots]), Variants.of_texts([base])]
    return asked


def answered(victim: NetVictim, asked: list[Variants]) -> tuple[NDArray[np.float32], float]:
    """Return the answers, and the fewest seconds of the processor that they took."""
    rows = victim.rows(asked)
    chosen, seconds = np.arange(len(rows.keys)), []
    for _ in range(_TIMES):
        began = time.process_time()
        values = victim.launch(rows, chosen).result().values
        seconds.append(time.process_time() - began)
    return values, min(seconds)


def row(name: str, encoder: WordVocabulary, asked: list[Variants], dtype: str) -> dict[str, Any]:
    victim = net_of(name, encoder, dtype)
    short, seconds = answered(victim, asked)
    exact = net_of(name, encoder, "fp32")
    victim.shortcut = exact.shortcut = None
    whole, whole_seconds = answered(victim, asked)
    right = whole if dtype == "fp32" else answered(exact, asked)[0]
    return {
        "net": name,
        "dtype": dtype,
        "microseconds a text": round(1e6 * seconds / len(short), 1),
        "whole net": round(1e6 * whole_seconds / len(short), 1),
        "times": round(whole_seconds / seconds, 1),
        "farthest from fp32": float(f"{np.abs(short - right).max():.1g}"),
        "other at 5 decimals %": round(100 * float((np.round(short, 5) != np.round(right, 5)).mean()), 2),
    }


def attacked(victim: NetVictim, texts: int) -> tuple[list[Outcome], float]:
    """Attack in fp32 by PWWS; return the outcomes in order, and the processor's seconds."""
    samples = [
        Sample(sample.id, Text.of(sample.text.strings[0]), sample.label)
        for sample in data.load(DATA, split="test").sample(texts, 0)
    ]
    found = run_unfool(victim, samples, find_attack("pwws"), 256, clock=time.process_time)
    return sorted(found.outcomes, key=lambda outcome: outcome.id), found.seconds


def ends(name: str, texts: int) -> dict[str, Any]:
    """Attack a net with its shortcut and without, and count what comes to the same."""
    opened = victim(f"zoo:{name}@{DATA}", device="cpu")
    assert isinstance(opened, NetVictim)
    assert opened.shortcut
    short, seconds = attacked(opened, texts)
    opened.shortcut = None
    whole, whole_seconds = attacked(opened, texts)
    pairs = list(zip(short, whole, strict=True))
    return {
        "net": name,
        "texts": len(pairs),
        "same end": sum(a.status == b.status for a, b in pairs),
        "same text": sum(a.perturbed == b.perturbed for a, b in pairs),
        "same queries": sum(a.queries == b.queries for a, b in pairs),
        "seconds": round(seconds, 1),
        "seconds of the whole net": round(whole_seconds, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=40)
    parser.add_argument("--changes", type=int, default=50, help="of each text")
    parser.add_argument("--attack", type=int, default=0, help="attack so many texts instead")
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    kept = json.loads(given.out.read_text()) if given.out.exists() else {}
    if given.attack:
        kept[ENDS] = [ends(name, given.attack) for name in ATTACKED]
        given.out.write_text(json.dumps(kept, indent=1) + "\n")
        print_table(kept[ENDS])
        return
    words = [f"w{number}" for number in range(_WORDS)]
    encoder = WordVocabulary([*words, "-"])
    asked = questions(words, given.texts, given.changes)
    rows = [row(name, encoder, asked, dtype) for name in NETS for dtype in ("fp32", "bf16")]
    kept |= {
        "texts": given.texts,
        "changes": given.changes,
        "threads": torch.get_num_threads(),
        "load": os.getloadavg(),
        "rows": rows,
    }
    given.out.write_text(json.dumps(kept, indent=1) + "\n")
    print_table(rows)


if __name__ == "__main__":
    main()
