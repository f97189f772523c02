"""The CPU benchmark: unfool, its limit and TextAttack in one run, on the same victims, sentences and settings.

``make bench`` or ``python -m bench.cpu``. Victims are the zoo's word CNN and BiLSTM and a MiniLM classifier, all
trained on rotten_tomatoes (UNFOOL_DATA) on first use; attacks are PWWS and TextFooler, with MiniLM as the sentence
encoder of both tools. TextAttack runs in an environment of its own, made by ``bench/textattack_env.py``. The
figures of a row come from the same minutes on the same cores, since machines are noisy.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bench import textattack_env
from bench._common import LengthRecorder, Measured, print_table, raw_rate, run_unfool
from unfool import data, resources
from unfool.attacks import Attack, find_attack
from unfool.devices import torch_device
from unfool.engine import Budget
from unfool.stats import wilson
from unfool.text import Sample
from unfool.training import finetune, load_splits
from unfool.victims import Transformer
from unfool.victims.tokens import EncodedVictim
from unfool.zoo import victim

DATA = "rotten_tomatoes"
NETS = {"word CNN": f"zoo:WordCNN@{DATA}", "BiLSTM": f"zoo:BiLSTM-W-GloVe-1@{DATA}"}
MINILM = "MiniLM"
# TextAttack lets short texts pass its similarity check, so ours must for the figures to compare.
ATTACKS = {"pwws": "pwws", "textfooler": "textfooler:short=skip"}
MORE_ATTACKS = {"ga": "ga:substitutes=counter-fitted,generations=20", "deepwordbug": None}
"""Run where they are named; the last is TextAttack's alone."""
BUDGETS = {"ga": Budget(words=0.2)}
"""What TextAttack's recipe lets change."""
HERE = Path(__file__).parent


def minilm_folder() -> Path:
    def tune(folder: Path) -> None:
        place = torch_device("auto")
        encoder = resources.get("minilm")
        finetune(folder, encoder, load_splits(DATA), place, True, data_name=DATA, epochs=2, lr=5e-5, seed=0)

    return resources.build_once(resources.cache_root() / "zoo" / f"minilm-{DATA}", tune)


def open_victim(name: str) -> tuple[EncodedVictim, dict[str, Any]]:
    """Return a victim, and how TextAttack's side is to open the same one."""
    if name == MINILM:
        folder = minilm_folder()
        return Transformer(str(folder), device="cpu"), {"kind": "hf", "folder": str(folder)}
    opened = victim(NETS[name], device="cpu")
    assert isinstance(opened, EncodedVictim)
    kept = resources.cache_root() / "zoo" / f"{NETS[name].removeprefix('zoo:')}#0"
    return opened, {"kind": "word-net", "folder": str(kept)}


def peer(job: dict[str, Any]) -> dict[str, Any]:
    """Run TextAttack on a job and return its totals."""
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder) / "job.json", Path(folder) / "out.json"
        given.write_text(json.dumps(job))
        command = [str(textattack_env.ensure()), str(HERE / "textattack_peer.py"), str(given), str(made)]
        environment = {**os.environ, "OMP_NUM_THREADS": str(job["threads"])}
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        totals: dict[str, Any] = json.loads(made.read_text())["totals"]
        return totals


def write_samples(samples: list[Sample], path: Path) -> Path:
    rows = ({"text": sample.text.strings[0], "label": sample.label} for sample in samples)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def our_row(name: str, attack: str, measured: Measured, limit: float) -> dict[str, Any]:
    fallen = round(measured.success * len(measured.attacked) / 100)
    low, high = wilson(fallen, len(measured.attacked))
    return {
        "victim": name,
        "attack": attack,
        "tool": "unfool",
        "samples": len(measured.outcomes),
        "samples/s": round(len(measured.outcomes) / measured.seconds, 2),
        "asked/s": round(measured.asked / measured.seconds),
        "limit/s": round(limit),
        "share of limit %": round(100 * measured.asked / measured.seconds / limit, 1),
        "share, warm %": "",
        "queries": round(measured.queries, 1),
        "success %": f"{measured.success:.1f} [{100 * low:.1f}, {100 * high:.1f}]",
        "words changed %": round(measured.words_changed, 1),
        "times peer": "",
    }


def peer_row(name: str, attack: str, tool: str, totals: dict[str, Any], ours: float | None) -> dict[str, Any]:
    fallen = round(totals["success_percent"] * totals["attacked"] / 100)
    low, high = wilson(fallen, totals["attacked"])
    return {
        "victim": name,
        "attack": attack,
        "tool": tool,
        "samples": totals["samples"],
        "samples/s": round(totals["samples_per_second"], 3),
        "asked/s": round(totals["victim_texts_per_second"]),
        "limit/s": "",
        "share of limit %": "",
        "share, warm %": "",
        "queries": round(totals["queries_per_attacked"], 1),
        "success %": f"{totals['success_percent']:.1f} [{100 * low:.1f}, {100 * high:.1f}]",
        "words changed %": round(totals["changed_percent"], 1),
        "times peer": round(ours / totals["samples_per_second"], 1) if ours else "",
    }


def beside_limit(
    victim: EncodedVictim, samples: list[Sample], recipe: Attack, budget: Budget | None = None
) -> tuple[Measured, float]:
    """Attack the samples and, right afterwards, take the limit at the lengths that were asked."""
    recorder = LengthRecorder(victim)
    measured = run_unfool(victim, samples, recipe, 256, budget)
    lengths = recorder.stop()
    return measured, float(np.mean([raw_rate(victim, lengths, 15_000) for _ in range(3)]))


def bench(name: str, attack: str, samples: list[Sample], given: argparse.Namespace) -> list[dict[str, Any]]:
    opened, spec = open_victim(name)
    rows: list[dict[str, Any]] = []
    ours = None
    if written := (ATTACKS | MORE_ATTACKS)[attack]:
        recipe, budget = find_attack(written), BUDGETS.get(attack)
        run_unfool(opened, samples[:20], recipe, 64, budget)
        # Fresh texts: what the first pass cached about these very sentences must not help.
        fresh = [Sample(s.id, s.text, s.label) for s in samples[20:]]
        measured, limit = beside_limit(opened, fresh, recipe, budget)
        rows.append(our_row(name, attack, measured, limit))
        ours = len(measured.outcomes) / measured.seconds
    if attack == "pwws" and given.more:
        # Words met before are known; the first sentences of a run pay for the later ones.
        longer = list(data.load(DATA, split="validation").sample(given.more, 0))
        later, its_limit = beside_limit(opened, longer, recipe)
        rows[0]["share, warm %"] = round(100 * later.asked / later.seconds / its_limit, 1)
    with tempfile.TemporaryDirectory() as folder:
        path = write_samples(samples[20:], Path(folder) / "samples.jsonl")
        for pad in (512, 64) if name == MINILM else (None,):
            job = {"victim": spec | ({"pad": pad} if pad else {}), "attack": attack, "samples": str(path)}
            totals = peer({**job, "seconds": given.seconds, "threads": given.threads})
            tool = "TextAttack" if pad in (None, 512) else f"TextAttack, padded to {pad}"
            rows.append(peer_row(name, attack, tool, totals, ours))
    for row in rows:
        print(row, flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=200, help="sentences of the test split, drawn by seed 0")
    parser.add_argument("--seconds", type=int, default=120, help="time limit of each run of TextAttack")
    parser.add_argument(
        "--more", type=int, default=1000, help="further sentences, to measure the share of the limit"
    )
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--victims", nargs="*", default=[*NETS, MINILM])
    parser.add_argument("--attacks", nargs="*", default=list(ATTACKS), choices=[*ATTACKS, *MORE_ATTACKS])
    parser.add_argument("--out", type=Path, default=HERE.parent / "results" / "bench-cpu.json")
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    samples = list(data.load(DATA, split="test").sample(given.n + 20, 0))
    rows = [
        row for name in given.victims for attack in given.attacks for row in bench(name, attack, samples, given)
    ]
    given.out.parent.mkdir(exist_ok=True)
    given.out.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n")
    print_table(rows)


if __name__ == "__main__":
    main()
