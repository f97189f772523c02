"""The GPU benchmark: share of the limit that PWWS reaches against MiniLM- and BERT-base-shaped victims.

``python -m bench.gpu --encoder FOLDER``; the table comes last. Needs a GPU, the MiniLM encoder's folder, WordNet in
the cache (UNFOOL_CACHE) and rotten_tomatoes (UNFOOL_DATA). The MiniLM-shaped victim is fine-tuned first; the
BERT-base-shaped one has random weights, and its own predictions serve as gold labels, so that all are attacked.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import threading
import time
from functools import partial
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from bench._common import LengthRecorder, Measured, _outcomes, raw_rate, run_unfool
from unfool import data
from unfool.attacks import Attack, find_attack
from unfool.engine import attack_in_workers
from unfool.text import Sample
from unfool.victims import Transformer
from unfool.zoo import finetune

WARM_UP = 2000
"""Samples that fill the caches (synonyms, encodings) before the clock starts, as the first of a long run do."""


def all_samples() -> list[Sample]:
    texts: list[Sample] = []
    for split in ("train", "validation", "test"):
        for sample in data.load("rotten_tomatoes", split=split):
            texts.append(Sample(len(texts), sample.text, sample.label))
    return texts


def base_shaped(encoder: Path, folder: Path) -> Path:
    """Save a classifier of BERT-base's shape with random weights and the encoder's tokenizer."""
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    torch.manual_seed(0)
    config = BertConfig(vocab_size=30522, num_labels=2, initializer_range=0.05)
    BertForSequenceClassification(config).save_pretrained(folder)
    AutoTokenizer.from_pretrained(encoder).save_pretrained(folder)
    return folder


def prepare(victim: str, attack: str, warm_up: list[Sample], gate: Path) -> tuple[Transformer, Attack]:
    """Open the victim, warm it up, and wait at the gate until every worker is there."""
    opened, recipe = Transformer(victim, device="cuda", dtype="bf16"), find_attack(attack)
    run_unfool(opened, warm_up, recipe, 256)
    (gate / str(os.getpid())).touch()
    while not (gate / "open").exists():
        time.sleep(0.005)
    return opened, recipe


def in_workers(victim: str, samples: list[Sample], workers: int, width: int) -> Measured:
    """Run in several processes; the clock runs from the moment all are ready to the last outcome."""
    with tempfile.TemporaryDirectory() as folder:
        gate = Path(folder)
        start: list[float] = []

        def open_gate() -> None:
            while len(list(gate.iterdir())) < workers:
                time.sleep(0.005)
            start.append(time.perf_counter())
            (gate / "open").touch()

        keeper = threading.Thread(target=open_gate, daemon=True)
        keeper.start()
        job = partial(prepare, victim, "pwws", samples[:WARM_UP], gate)
        outcomes = list(_outcomes(attack_in_workers(job, samples[WARM_UP:], workers=workers, width=width)))
        return Measured(outcomes, time.perf_counter() - start[0])


def other_rate(victim: Transformer, lengths: NDArray[np.int64], what: str) -> float:
    """Return the raw rate of the check in full precision, or with the mask transformers makes itself."""
    if what == "full":
        search, victim._search = victim._search, victim._model
        try:
            return raw_rate(victim, lengths, 30000, repeats=2)
        finally:
            victim._search = search
    victim._takes_wide_mask = False
    try:
        return raw_rate(victim, lengths, 30000)
    finally:
        victim._takes_wide_mask = True


def bench(name: str, folder: Path, samples: list[Sample], workers: list[int]) -> list[dict[str, object]]:
    victim = Transformer(str(folder), device="cuda", dtype="bf16")
    if name == "BERT-base-shaped":
        answers = victim.confirm([sample.text.strings for sample in samples]).values.argmax(axis=1)
        samples = [Sample(s.id, s.text, int(answer)) for s, answer in zip(samples, answers, strict=True)]
    attack = find_attack("pwws")
    recorder = LengthRecorder(victim)
    run_unfool(victim, samples[:WARM_UP], attack, 1024)
    lengths = recorder.stop()
    limit = max(raw_rate(victim, lengths, 30000) for _ in range(3))
    print(f"{name}: limit {limit:,.0f} texts/s, mean length {lengths.mean():.1f} tokens", flush=True)
    for dtype in ("full", "plain mask"):
        print(f"  {dtype}: {other_rate(victim, lengths, dtype):,.0f} texts/s", flush=True)
    rows: list[dict[str, object]] = []

    def report(how: str, measured: Measured) -> None:
        rate = measured.asked / measured.seconds
        rows.append(
            {
                "victim": name,
                "how": how,
                "limit": round(limit),
                "asked/s": round(rate),
                "samples/s": round(len(measured.outcomes) / measured.seconds),
                "share %": round(100 * rate / limit, 1),
                "queries": round(measured.queries, 1),
                "success %": round(measured.success, 1),
            }
        )
        print(rows[-1], flush=True)

    report("1 process, width 1024", run_unfool(victim, samples[WARM_UP:], attack, 1024))
    del victim
    torch.cuda.empty_cache()
    for count in workers:
        report(f"{count} processes, width 2048", in_workers(str(folder), samples, count, 2048))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--workers", type=int, nargs="*", default=[2, 4])
    parser.add_argument("--only", choices=["minilm", "base"])
    arguments = parser.parse_args()
    samples = all_samples()
    rng = np.random.default_rng(0)
    samples = [samples[number] for number in rng.permutation(len(samples))]
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        if arguments.only != "base":
            folder = Path(temporary) / "minilm"
            print(finetune(arguments.encoder, "rotten_tomatoes", folder, device="cuda", progress=False), flush=True)
            rows += bench("MiniLM-shaped", folder, samples, arguments.workers)
        if arguments.only != "minilm":
            folder = base_shaped(arguments.encoder, Path(temporary) / "base")
            rows += bench("BERT-base-shaped", folder, samples, arguments.workers)
    if "OUT" in os.environ:
        Path(os.environ["OUT"], "gpu.json").write_text(json.dumps(rows, indent=1))
    heads = list(rows[0])
    print(" | ".join(heads))
    for row in rows:
        print(" | ".join(str(row[head]) for head in heads))


if __name__ == "__main__":
    main()
