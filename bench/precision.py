"""What ``--dtype auto`` changes: the same texts attacked in it and in fp32, on several victims.

``python -m bench.precision [--n 1000] [--victims NAME…] [--attacks NAME…]``. Victims are trained on rotten_tomatoes
(UNFOOL_DATA) on first use. Each row is kept as it is done; a row that is there is not done again.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import torch

from bench._common import print_table
from bench.cpu import minilm_folder
from unfool import Options, data
from unfool import attack as run_attack
from unfool.devices import measured_half, torch_device
from unfool.runs import Run, compare

DATA = "rotten_tomatoes"
MINILM = "MiniLM"
VICTIMS = (
    f"zoo:WordCNN@{DATA}",
    f"zoo:BiLSTM-W-GloVe-1@{DATA}",
    MINILM,
    f"zoo:LSTM-W-GloVe-1@{DATA}",
    f"zoo:CNN-W-GloVe-4@{DATA}",
)
OUT = Path(__file__).parents[1] / "results" / "bench-precision.json"


def timed(victim: str, attack: str, n: int, dtype: str, out: Path, device: str) -> tuple[Run, float]:
    began = time.process_time()  # the work of others stretches it less
    texts = data.load(DATA, split="test")
    run = run_attack(victim, texts, attack, n=n, options=Options(device, dtype), out=out, progress=False)
    return run, time.process_time() - began


def row(name: str, attack: str, n: int, device: str) -> dict[str, Any]:
    victim = f"hf:{minilm_folder()}" if name == MINILM else name
    with tempfile.TemporaryDirectory() as folder:
        # Nobody pays for what a process does once: word lists, taggers, kernels.
        timed(victim, attack, 5, "fp32", Path(folder) / "warm", device)
        full, full_seconds = timed(victim, attack, n, "fp32", Path(folder) / "fp32", device)
        auto, auto_seconds = timed(victim, attack, n, "auto", Path(folder) / "auto", device)
        return {
            "victim": name,
            "attack": attack,
            "texts": n,
            **beside(full, auto),
            **spent(full_seconds, auto_seconds),
        }


def beside(full: Run, auto: Run) -> dict[str, Any]:
    pairs = list(zip(full.outcomes(), auto.outcomes(), strict=True))
    found = compare(full, auto)
    return {
        "auto is": auto.dtype,
        **{f"{key} fp32": value for key, value in figures(full).items()},
        **{f"{key} auto": value for key, value in figures(auto).items()},
        "same end": sum(a.status == b.status for a, b in pairs),
        "same text": sum(a.perturbed == b.perturbed for a, b in pairs),
        "fooled by fp32 alone": found.only_a,
        "fooled by auto alone": found.only_b,
        "p (McNemar)": round(found.p_value, 4),
    }


def spent(full: float, auto: float) -> dict[str, float]:
    return {"seconds fp32": round(full, 1), "seconds auto": round(auto, 1), "times": round(full / auto, 2)}


def figures(run: Run) -> dict[str, Any]:
    found = run.summary
    return {
        "success": round(100 * (found.success_rate.value or 0), 2),
        "words changed": round(found.words_changed or 0, 2),
        "queries": round(found.queries_mean or 0, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--victims", nargs="*", default=list(VICTIMS))
    parser.add_argument("--attacks", nargs="*", default=["pwws"])
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    half = measured_half(torch_device(given.device))
    made: dict[str, Any] = {"rows": []}
    if given.out.exists():
        made = json.loads(given.out.read_text())
    made |= {"torch": torch.__version__, "threads": torch.get_num_threads()}
    made["bfloat16"] = {"times": round(half.times, 2), "error": round(half.error, 5)}
    there = {(kept["victim"], kept["attack"], kept["texts"]) for kept in made["rows"]}
    for victim in given.victims:
        for attack in given.attacks:
            if (victim, attack, given.n) not in there:
                made["rows"].append(row(victim, attack, given.n, given.device))
                given.out.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n")
    print_table(made["rows"])


if __name__ == "__main__":
    main()
