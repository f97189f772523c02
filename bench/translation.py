"""unfool and TextAttack attack the same translator with the same goals, in one run.

``python -m bench.translation --victims zoo:NMT-Transformer-small@multi30k --out results/bench-translation.json``.
The victim is any name that ``unfool attack --goal`` takes. TextAttack runs in an environment of its own, made by
``bench/textattack_env.py``, and asks the very same code for its translations, so only the search differs. Where a
source has no reference of use, the clean output is the reference: both sides then start from a perfect score.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import torch

from bench import textattack_env
from bench._common import print_table
from bench.generation import Noted
from unfool.attacks import find_attack
from unfool.data import ANSWERS, from_texts, load
from unfool.engine import Outcome, attack_samples
from unfool.generation import JudgedGenerator, Output, find_goal, open_generator, with_outputs
from unfool.options import Options

HERE = Path(__file__).parent


class Took(NamedTuple):
    """How long a run took; on a machine that others use, the processor's time is the fairer one."""

    seconds: float
    cpu: float


class Side(NamedTuple):
    """How both tools are asked for the same."""

    attack: str
    goal: str
    theirs: str
    """What TextAttack's recipe does, and where the two differ."""


SIDES = {
    "morpheus": Side(
        "morpheus",
        "degrade:by=bleu,drop=1",
        "MorpheusTan2020: MinimizeBleu (sentence BLEU without smoothing: 0 as soon as no four words in a row are "
        "right, so it stops earlier than ours), and each step tries all inflections of all words where ours, as "
        "the paper does, goes word by word from the front and then from the back",
    ),
    "seq2sick": Side(
        "greedy-synonym",
        "differ",
        "Seq2SickCheng2018BlackBox: NonOverlappingOutput (a shorter output counts only the words it has), words by "
        "importance, 50 neighbours each; ours goes word by word in the same way with WordNet's synonyms",
    ),
}


def sources_of(data: str, n: int, victim: str, device: str) -> list[tuple[str, str]]:
    """Return sources with the victim's clean outputs as their references."""
    drawn = load(data, split="test", text="en", pair="de", label=ANSWERS).sample(n, 0).column(0)
    outputs = open_generator(victim, Options(device=device)).generate(drawn)
    made = zip(drawn, outputs, strict=True)
    return [(source, out.text) for source, out in made if isinstance(out, Output) and out.text]


def ours(victim: str, side: Side, pairs: list[tuple[str, str]], device: str) -> dict[str, Any]:
    model = Noted(open_generator(victim, Options(device=device)))
    judge, recipe = JudgedGenerator(model, find_goal(side.goal)), find_attack(side.attack)

    def attack(some: list[tuple[str, str]]) -> list[Outcome]:
        data = from_texts([source for source, _ in some], ANSWERS, pairs=[right for _, right in some])
        steps = attack_samples(judge, with_outputs(data, model).data, recipe)
        return [each for step in steps for each in step if isinstance(each, Outcome)]

    attack(pairs[:1])
    model.asked.clear()
    began, cpu = time.perf_counter(), time.process_time()
    found = attack(pairs[1:])
    took = Took(time.perf_counter() - began, time.process_time() - cpu)
    return row("unfool", side, len(found), took, len(model.asked), Counter(each.status.value for each in found))


def theirs(
    victim: str, name: str, side: Side, pairs: list[tuple[str, str]], given: argparse.Namespace
) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        job, made, texts = (Path(folder) / part for part in ("job.json", "out.json", "pairs.jsonl"))
        lines = (json.dumps({"source": source, "reference": right}) for source, right in pairs)
        texts.write_text("\n".join(lines) + "\n")
        about = {"victim": victim, "attack": name, "pairs": str(texts), "seconds": given.seconds}
        job.write_text(json.dumps({**about, "threads": given.threads, "device": given.device}))
        command = [str(textattack_env.ensure()), str(HERE / "textattack_translation.py"), str(job), str(made)]
        environment = {**os.environ, "OMP_NUM_THREADS": str(given.threads)}
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        told = json.loads(made.read_text())
    asked, calls = told["victim"]["texts"], told["victim"]["calls"]
    took = Took(told["seconds"], told["cpu"])
    found = row("TextAttack 0.3.11", side, told["samples"], took, asked, Counter(told["statuses"]))
    return {
        **found,
        "goal": side.theirs,
        "texts a call": round(asked / max(1, calls), 1),
        "differs": told["differences"],
    }


def row(tool: str, side: Side, samples: int, took: Took, asked: int, statuses: Counter[str]) -> dict[str, Any]:
    attacked = samples - statuses["skipped"]
    return {
        "tool": tool,
        "attack": side.attack,
        "goal": side.goal,
        "samples": samples,
        "seconds": round(took.seconds, 2),
        "samples/s": round(samples / took.seconds, 3),
        "asked/s": round(asked / took.seconds, 1),
        "samples a CPU second": round(samples / took.cpu, 3),
        "asked a sample": round(asked / max(1, samples), 1),
        "success %": round(100 * statuses["success"] / max(1, attacked), 1),
        "skipped": statuses["skipped"],
    }


def main() -> None:
    """Measure both sides and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--victims", nargs="*", default=["zoo:NMT-Transformer-small@multi30k"])
    parser.add_argument("--attacks", nargs="*", default=list(SIDES), choices=list(SIDES))
    parser.add_argument("--data", default="multi30k")
    parser.add_argument("--n", type=int, default=200, help="sources of the test split, drawn by seed 0")
    parser.add_argument("--seconds", type=int, default=120, help="time limit of each run of TextAttack")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    textattack_env.ensure()
    rows: list[dict[str, Any]] = []
    for victim in given.victims:
        pairs = sources_of(given.data, given.n, victim, given.device)
        for name in given.attacks:
            side = SIDES[name]
            mine, other = ours(victim, side, pairs, given.device), theirs(victim, name, side, pairs, given)
            rates = ("samples/s", "samples a CPU second")
            times = {f"times peer, {rate}": round(mine[rate] / other[rate], 1) for rate in rates}
            rows += [{"victim": victim, **mine, **times}, {"victim": victim, **other}]
            print(victim, name, times, flush=True)
    columns = (
        "victim",
        "tool",
        "attack",
        "samples",
        "seconds",
        "samples/s",
        "asked/s",
        "asked a sample",
        "success %",
    )
    print_table([{column: each[column] for column in columns} for each in rows])
    if given.out:
        load_now = [round(each, 1) for each in os.getloadavg()]
        told = {"device": given.device, "threads": given.threads, "load": load_now, "rows": rows}
        given.out.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
