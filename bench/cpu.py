"""The CPU benchmark: unfool, its limit and TextAttack in one run, on the same victims, sentences and settings.

``make bench`` or ``python -m bench.cpu``. Victims are the zoo's word CNN and BiLSTM and a MiniLM classifier, all
trained on rotten_tomatoes (UNFOOL_DATA) on first use, and a TF-IDF pipeline; attacks are PWWS, TextFooler, with
MiniLM as the sentence encoder of both tools, and GA. TextAttack runs in an environment of its own, made by
``bench/textattack_env.py``. The figures of a row come from the same minutes on the same cores, since machines are
noisy; rates are by the processor's seconds, which the work of others stretches less. Each row is kept once done.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bench import textattack_env
from bench._common import LengthRecorder, Measured, print_table, raw_rate, run_unfool
from bench._physics import chip, operations
from unfool import data, resources
from unfool.attacks import find_attack
from unfool.devices import torch_device
from unfool.engine import Budget, Predictor
from unfool.stats import wilson
from unfool.text import Sample, Text
from unfool.training import finetune, load_splits
from unfool.victims import Pipeline, Transformer, callable_victim
from unfool.victims.tokens import EncodedVictim
from unfool.zoo import victim

DATA = "rotten_tomatoes"
NETS = {"word CNN": f"zoo:WordCNN@{DATA}", "BiLSTM": f"zoo:BiLSTM-W-GloVe-1@{DATA}"}
MINILM = "MiniLM"
TF_IDF = "TF-IDF"
# TextAttack lets short texts pass its similarity check, so ours must for the figures to compare.
ATTACKS = {
    "pwws": "pwws",
    "textfooler": "textfooler:short=skip",
    "ga": "ga:substitutes=counter-fitted,generations=20",
}
"""Ours for each of TextAttack's."""
BUDGETS = {"ga": Budget(words=0.2)}
"""What TextAttack's recipe lets change."""
ROWS = (
    ("word CNN", "pwws"),
    ("word CNN", "textfooler"),
    ("word CNN", "ga"),
    ("BiLSTM", "pwws"),
    ("BiLSTM", "textfooler"),
    (MINILM, "pwws"),
    (TF_IDF, "pwws"),
)
SHOWN = (
    "victim",
    "attack",
    "how",
    "samples",
    "samples/s",
    "unfool times",
    "queries",
    "success %",
    "words changed %",
    "share of net %",
    "share of chip %",
)
Row = dict[str, Any]
HERE = Path(__file__).parent


def minilm_folder() -> Path:
    def tune(folder: Path) -> None:
        place = torch_device("auto")
        encoder = resources.get("minilm")
        finetune(folder, encoder, load_splits(DATA), place, True, data_name=DATA, epochs=2, lr=5e-5, seed=0)

    return resources.build_once(resources.cache_root() / "zoo" / f"minilm-{DATA}", tune)


def open_victim(name: str, dtype: str = "fp32") -> tuple[EncodedVictim, dict[str, Any]]:
    """Return a victim, and how TextAttack's side is to open the same one."""
    if name == MINILM:
        folder = minilm_folder()
        return Transformer(str(folder), device="cpu", dtype=dtype), {"kind": "hf", "folder": str(folder)}
    opened = victim(NETS[name], device="cpu", dtype=dtype)
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


def row(name: str, attack: str, how: str, samples: int, per_second: float, **figures: Any) -> Row:
    return {
        "victim": name,
        "attack": attack,
        "how": how,
        "samples": samples,
        "samples/s": round(per_second, 3),
    } | figures


def rate(percent: float, attacked: int) -> str:
    low, high = wilson(round(percent * attacked / 100), attacked)
    return f"{percent:.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def ours(name: str, attack: str, how: str, measured: Measured) -> Row:
    return row(
        name,
        attack,
        how,
        len(measured.outcomes),
        len(measured.outcomes) / measured.seconds,
        queries=round(measured.queries, 1),
        **{
            "asked/s": round(measured.asked / measured.seconds),
            "success %": rate(measured.success, len(measured.attacked)),
            "words changed %": round(measured.words_changed, 1),
        },
    )


def theirs(name: str, attack: str, how: str, totals: dict[str, Any], unfool: Row) -> Row:
    per_second = totals["samples_per_cpu_second"]
    return row(
        name,
        attack,
        how,
        totals["samples"],
        per_second,
        queries=round(totals["queries_per_attacked"], 1),
        **{
            "success %": rate(totals["success_percent"], totals["attacked"]),
            "words changed %": round(totals["changed_percent"], 1),
            "unfool times": round(unfool["samples/s"] / per_second, 1),
        },
    )


def run(victim: Predictor, samples: list[Sample], attack: str) -> Measured:
    """Attack the samples behind the first twenty, which warm up, by the processor's clock."""
    recipe, budget = find_attack(ATTACKS[attack]), BUDGETS.get(attack)
    run_unfool(victim, samples[:20], recipe, 64, budget)
    # Fresh texts: what the first pass cached about these very sentences must not help.
    fresh = [Sample(s.id, Text.of(s.text.strings[0]), s.label) for s in samples[20:]]
    return run_unfool(victim, fresh, recipe, 256, budget, time.process_time)


def limits(victim: EncodedVictim, tokens: list[float], measured: Measured) -> Row:
    """Return what the net alone does on full batches, and what the chip could, over what was asked."""
    asked = measured.asked / measured.seconds
    alone = float(np.mean([raw_rate(victim, np.array(tokens), 15_000, clock=_processor) for _ in range(3)]))
    most = chip(torch.bfloat16 if victim.approximate else torch.float32)
    physical = most / float(np.mean([operations(victim, length) for length in tokens]))
    return {
        "net alone/s": round(alone),
        "share of net %": round(100 * asked / alone, 1),
        "chip, plain/s": round(physical),
        "share of chip %": round(100 * asked / physical, 1),
    }


def _processor(_: EncodedVictim) -> float:
    return time.process_time()


def shown(rows: list[Row]) -> list[Row]:
    """Return what the page on benchmarks tells of rows."""
    return [{column: each.get(column, "") for column in SHOWN} for each in rows]


def bench(name: str, attack: str, samples: list[Sample], given: argparse.Namespace) -> list[Row]:
    if name == TF_IDF:
        return bench_pipeline(attack, samples)
    rows: list[Row] = []
    unfool: Row = {}
    for dtype in ("fp32", "auto"):
        opened, _ = open_victim(name, dtype)
        recorder = LengthRecorder(opened)
        measured = run(opened, samples, attack)
        lengths = recorder.stop().astype(float).tolist()
        unfool = ours(name, attack, f"unfool, {dtype}", measured)
        if attack == "pwws":  # of the others, a sentence encoder or breeding takes much of the time
            unfool |= limits(opened, lengths, measured)
        rows.append(unfool)
        print(unfool, flush=True)
    spec = open_victim(name)[1]
    with tempfile.TemporaryDirectory() as folder:
        path = write_samples(samples[20:], Path(folder) / "samples.jsonl")
        for pad in (512, 64) if name == MINILM else (None,):
            job = {"victim": spec | ({"pad": pad} if pad else {}), "attack": attack, "samples": str(path)}
            totals = peer({**job, "seconds": given.seconds, "threads": given.threads})
            how = "TextAttack" if pad in (None, 512) else f"TextAttack, padded to {pad}"
            rows.append(theirs(name, attack, how, totals, unfool))
            print(rows[-1], flush=True)
    return rows


def fitted() -> Any:
    """Return a TF-IDF pipeline that has learnt the training texts."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    train = list(data.load(DATA, split="train"))
    texts, labels = [str(sample.text) for sample in train], [sample.label for sample in train]
    return make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(texts, labels)


def bench_pipeline(attack: str, samples: list[Sample]) -> list[Row]:
    """Run unfool against a pipeline whose words it counts itself, and the same as a function of whole texts."""
    model = fitted()
    whole = callable_victim(model.predict_proba, ("negative", "positive"))
    found = [
        ours(TF_IDF, attack, how, run(opened, samples, attack))
        for how, opened in (("unfool, whole texts", whole), ("unfool", Pipeline(model, TF_IDF)))
    ]
    found[1]["times whole texts"] = round(found[1]["asked/s"] / found[0]["asked/s"], 1)
    print(*found, sep="\n", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=200, help="sentences of the test split, drawn by seed 0")
    parser.add_argument("--seconds", type=int, default=120, help="time limit of each run of TextAttack")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--victims", nargs="*", default=[*NETS, MINILM, TF_IDF])
    parser.add_argument("--attacks", nargs="*", default=[*ATTACKS], choices=ATTACKS)
    parser.add_argument("--out", type=Path, default=HERE.parent / "results" / "bench-cpu.json")
    parser.add_argument(
        "--keep", action="store_true", help="keep the rows of other victims and attacks that are there"
    )
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    samples = list(data.load(DATA, split="test").sample(given.n + 20, 0))
    asked = [pair for pair in ROWS if pair[0] in given.victims and pair[1] in given.attacks]
    rows = json.loads(given.out.read_text())["rows"] if given.keep else []
    for name, attack in asked or [(name, attack) for name in given.victims for attack in given.attacks]:
        command = " ".join(["python -m bench.cpu", *map(shlex.quote, sys.argv[1:])])
        made = [
            {**each, "command": command, "load": os.getloadavg()} for each in bench(name, attack, samples, given)
        ]
        rows = [each for each in rows if (each["victim"], each["attack"]) != (name, attack)] + made
        given.out.write_text(json.dumps({"rows": rows}, indent=1, ensure_ascii=False) + "\n")
    print_table(shown(rows))


if __name__ == "__main__":
    main()
