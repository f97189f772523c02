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
import time
from functools import partial
from pathlib import Path

import numpy as np
import torch

from bench._common import LengthRecorder, Measured, _outcomes, raw_rate, run_unfool
from unfool import data
from unfool.attacks import Attack, find_attack
from unfool.engine import Predictor, attack_in_workers
from unfool.text import Sample
from unfool.victims import Options, Transformer, open_victim
from unfool.zoo import finetune

OPTIONS = Options(device="cuda", dtype="bf16")


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


def prepare(victim: str, attack: str) -> tuple[Predictor, Attack]:
    return open_victim(victim, OPTIONS), find_attack(attack)


def in_workers(victim: str, samples: list[Sample], workers: int, width: int) -> Measured:
    """Run in several processes; the clock runs from a fifth of the outcomes to nine tenths of them.

    Before that the processes are still starting, after that the last samples run out.
    """
    outcomes, times = [], []
    job = partial(prepare, victim, "pwws")
    for outcome in _outcomes(attack_in_workers(job, samples, workers=workers, width=width)):
        outcomes.append(outcome)
        times.append(time.perf_counter())
    first, last = len(times) // 5, len(times) * 9 // 10
    return Measured(outcomes[first:last], times[last] - times[first])


def bench(name: str, folder: Path, samples: list[Sample], workers: list[int]) -> list[dict[str, object]]:
    victim = Transformer(str(folder), device="cuda", dtype="bf16")
    if name == "BERT-base-shaped":
        answers = victim.confirm([sample.text.strings for sample in samples]).values.argmax(axis=1)
        samples = [Sample(s.id, s.text, int(answer)) for s, answer in zip(samples, answers, strict=True)]
    attack = find_attack("pwws")
    recorder = LengthRecorder(victim)
    run_unfool(victim, samples[:2000], attack, 1024)
    lengths = recorder.stop()
    limit = raw_rate(victim, lengths, 30000)
    print(f"{name}: limit {limit:,.0f} texts/s, mean length {lengths.mean():.1f} tokens", flush=True)
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

    report("1 process, width 1024", run_unfool(victim, samples, attack, 1024))
    report("1 process, width 4096", run_unfool(victim, samples, attack, 4096))
    del victim
    torch.cuda.empty_cache()
    for count in workers:
        report(f"{count} processes, width {1024 * count}", in_workers(f"hf:{folder}", samples, count, 1024 * count))
    again = raw_rate(Transformer(str(folder), device="cuda", dtype="bf16"), lengths, 30000)
    print(f"{name}: limit again {again:,.0f} texts/s", flush=True)
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
