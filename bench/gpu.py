"""The GPU benchmark: the share of its limit that PWWS reaches against MiniLM- and BERT-base-shaped victims.

``python -m bench.gpu --tokenizer FOLDER --sentences FILE``; the table comes last. Weights are random, since only
the shape matters for speed, and the victims' own answers serve as gold labels, so that every sentence is attacked.
Needs WordNet in the cache (UNFOOL_CACHE). The clock starts when caches are warm and, for several processes, when
all of them are ready; it stops at the last outcome. The search runs in bfloat16, every check in float32.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from bench._common import (
    LengthRecorder,
    Measured,
    in_workers,
    labelled,
    print_table,
    raw_rate,
    run_unfool,
    warm_up_and_rest,
)
from unfool.attacks import find_attack
from unfool.victims import Transformer

SHAPES = {
    "MiniLM-shaped": {
        "hidden_size": 384,
        "num_hidden_layers": 6,
        "num_attention_heads": 12,
        "intermediate_size": 1536,
        "initializer_range": 0.08,
    },
    "BERT-base-shaped": {"initializer_range": 0.05},
}
VOCABULARY = 30_000
_ALONE = 6000
"""Sentences for one process, which is slower."""


def save_shape(name: str, tokenizer: Path, folder: Path) -> Path:
    """Save a classifier of this shape with random weights."""
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    torch.manual_seed(0)
    BertForSequenceClassification(BertConfig(num_labels=2, **SHAPES[name])).save_pretrained(folder)
    AutoTokenizer.from_pretrained(tokenizer, trust_remote_code=False).save_pretrained(folder)
    return folder


def open_victim(folder: Path) -> Transformer:
    return Transformer(str(folder), dtype="bf16")


def limits(victim: Transformer, lengths: NDArray[np.int64]) -> dict[str, int]:
    """Return the raw rates: as transformers is called plainly, with the mask unfool gives it, and in float32."""
    victim.takes_wide_mask = False
    plain = max(raw_rate(victim, lengths, VOCABULARY) for _ in range(3))
    victim.takes_wide_mask = True
    wide = max(raw_rate(victim, lengths, VOCABULARY) for _ in range(3))
    full = raw_rate(victim, lengths, VOCABULARY, repeats=1, full=True)
    return {"limit/s": round(plain), "limit, our mask/s": round(wide), "float32/s": round(full)}


def bench(name: str, folder: Path, sentences: list[str], warm: int, workers: list[int]) -> list[dict[str, object]]:
    victim = open_victim(folder)
    samples = labelled(victim, sentences)
    warm_up, rest = warm_up_and_rest(samples, warm)
    recorder = LengthRecorder(victim)
    run_unfool(victim, warm_up, find_attack("pwws"), 1024)
    known = limits(victim, recorder.stop())
    print(name, known, flush=True)
    rows: list[dict[str, object]] = []

    def report(how: str, measured: Measured) -> None:
        rate = measured.asked / measured.seconds
        rows.append(
            {
                "victim": name,
                "how": how,
                **known,
                "asked/s": round(rate),
                "share of limit %": round(100 * rate / known["limit/s"], 1),
                "samples/s": round(len(measured.outcomes) / measured.seconds),
                "samples": len(measured.outcomes),
                "queries a sample": round(measured.queries, 1),
                "success %": round(measured.success, 1),
            }
        )
        print(rows[-1], flush=True)

    report("1 process, width 8192", run_unfool(victim, rest[:_ALONE], find_attack("pwws"), 8192))
    del victim
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    for crew in workers:
        width = 2048 * crew
        shared = partial(open_victim, folder)
        report(f"{crew} workers, width {width}", in_workers(shared, "pwws", warm_up, rest, crew, width))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokenizer", type=Path, required=True, help="a folder with a BERT tokenizer")
    parser.add_argument("--sentences", type=Path, required=True, help="a file of sentences, one a line")
    parser.add_argument("--minilm", type=int, default=44_000, help="sentences for the MiniLM-shaped victim")
    parser.add_argument("--base", type=int, default=30_000, help="sentences for the BERT-base-shaped victim")
    parser.add_argument("--warm-up", type=int, default=1000)
    parser.add_argument("--workers", type=int, nargs="+", default=[12])
    given = parser.parse_args()
    sentences = given.sentences.read_text(encoding="utf-8").split("\n")
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        for name, count in (("MiniLM-shaped", given.minilm), ("BERT-base-shaped", given.base)):
            if not count:
                continue
            folder = save_shape(name, given.tokenizer, Path(temporary) / name)
            rows += bench(name, folder, sentences[: count + given.warm_up], given.warm_up, given.workers)
            if "OUT" in os.environ:
                Path(os.environ["OUT"], "gpu.json").write_text(json.dumps(rows, indent=1))
    print_table(rows)


if __name__ == "__main__":
    main()
