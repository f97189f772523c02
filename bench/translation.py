"""unfool and TextAttack attack the same translator with the same searches and goals, in one run.

``python -m bench.translation --out results/bench-translation.json``; ``--victims NAME=SOURCES`` takes any names
that ``unfool attack --goal`` takes. TextAttack has an environment of its own (``bench/textattack_env.py``). Both
tools attack the same sources by the very same code for translations. The clean output is the reference, so both
start from a perfect score. Each kind of attack is run as

* ``TextAttack``, its recipe as it ships;
* ``unfool, same search``: the recipe's search, words, limits and goal, in our engine (`bench.textattack_twins`);
* ``unfool``, the attack that a user of ours would take, with the same goal;
* ``TextAttack, own wrapper``: the same weights read by its HuggingFaceModelWrapper, as its pages show, which pads
  each text to the longest that the model reads; for translators of the zoo that are Transformers.

What a changed source reaches is judged by us for both tools: it is translated anew, alone and at full precision.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from bench import textattack_env
from bench._common import print_table
from bench.generation import Noted
from bench.textattack_twins import NoFourGram, NoOverlap, any_inflection, important_words
from unfool.attacks import Attack, find_attack
from unfool.data import ANSWERS, from_texts, load
from unfool.engine import Outcome, Status, attack_samples
from unfool.generation import (
    GenerationGoal,
    Generator,
    JudgedGenerator,
    Output,
    Translation,
    chrf,
    find_goal,
    open_generator,
    with_outputs,
)
from unfool.options import Options
from unfool.resources import cache_root
from unfool.zoo.translators.opened import Translator
from unfool.zoo.translators.train import LONGEST, Steps

HERE = Path(__file__).parent
VICTIMS = ("zoo:NMT-Transformer-small@multi30k=64", "py:unfool.generation.portuguese:from_english=12")


class Kind(NamedTuple):
    """How both tools are asked for the same."""

    goal: GenerationGoal
    twin: Attack
    usual: Attack
    strict: GenerationGoal
    """Our own goal, by which all ends are judged, too."""
    theirs: str
    """What TextAttack's recipe does."""


KINDS = {
    "morpheus": Kind(
        NoFourGram(),
        any_inflection,
        find_attack("morpheus"),
        find_goal("degrade:by=bleu,drop=0.5"),
        "MorpheusTan2020: MinimizeBleu; each step tries all inflections of words not yet changed, but stop words",
    ),
    "seq2sick": Kind(
        NoOverlap(),
        important_words,
        find_attack("greedy-synonym"),
        find_goal("differ"),
        "Seq2SickCheng2018BlackBox: NonOverlappingOutput; words by importance, 50 neighbours each, but stop words",
    ),
}


class Run(NamedTuple):
    """What a tool did: its time, what it asked, and each source with what became of it."""

    tool: str
    attack: str
    seconds: float
    cpu: float
    asked: int
    skipped: int
    ends: list[tuple[str, str]]
    outputs: list[str]
    """What the tool says the victim makes of the changed sources."""


def sources_of(data: str, n: int, model: Generator) -> dict[str, str]:
    """Return sources and the victim's clean outputs, without sources it has no output for."""
    drawn = load(data, split="test", text="en", pair="de", label=ANSWERS).sample(n, 0).column(0)
    made = zip(drawn, model.generate_exactly(drawn), strict=True)
    return {source: out.text for source, out in made if isinstance(out, Output) and out.text}


def ours(tool: str, model: Generator, recipe: Attack, goal: GenerationGoal, clean: dict[str, str]) -> Run:
    noted = Noted(model)

    def attack(some: Sequence[str]) -> list[Outcome]:
        data = from_texts(list(some), ANSWERS, pairs=[clean[source] for source in some])
        steps = attack_samples(JudgedGenerator(noted, goal), with_outputs(data, model).data, recipe)
        return [each for step in steps for each in step if isinstance(each, Outcome)]

    first, *rest = clean
    attack([first])
    noted.asked.clear()
    began, cpu = time.perf_counter(), time.process_time()
    found = attack(rest)
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    skipped = sum(each.status is Status.SKIPPED for each in found)
    ends = [(each.original[0], each.perturbed[0]) for each in found]
    said = [each.outputs[1] for each in found if each.outputs]
    return Run(tool, repr(recipe), seconds, cpu, len(noted.asked), skipped, ends, said)


def theirs(
    tool: str, victim: str, name: str, clean: dict[str, str], given: argparse.Namespace, own: Path | None = None
) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        job, made, texts = (Path(folder) / part for part in ("job.json", "out.json", "pairs.jsonl"))
        lines = (json.dumps({"source": source, "reference": output}) for source, output in clean.items())
        texts.write_text("\n".join(lines) + "\n")
        about = {"victim": victim, "own": own and str(own), "attack": name, "pairs": str(texts)}
        how = {"seconds": given.seconds, "threads": given.threads, "device": given.device}
        job.write_text(json.dumps({**about, **how}))
        command = [str(textattack_env.ensure()), str(HERE / "textattack_translation.py"), str(job), str(made)]
        # TextAttack moves the place of caches; the victim is to be the one that is trained already.
        environment = {**os.environ, "OMP_NUM_THREADS": str(given.threads), "UNFOOL_CACHE": str(cache_root())}
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        told = json.loads(made.read_text())
    ends = [(each["source"], each["changed"]) for each in told["ends"]]
    skipped = told["statuses"].get("skipped", 0)
    said, asked = [each["output"] for each in told["ends"]], told["victim"]["texts"]
    return Run(tool, KINDS[name].theirs, told["seconds"], told["cpu"], asked, skipped, ends, said)


def save_for_wrapper(model: Translator, folder: Path) -> Path:
    """Save a Transformer of ours with its pieces as transformers keeps one."""
    from tokenizers.processors import TemplateProcessing
    from transformers import PreTrainedTokenizerFast

    steps, most = Steps(model.net, model.device), LONGEST
    pieces = type(model.pieces).from_str(model.pieces.to_str())
    end = min(steps.end)
    name = pieces.id_to_token(end)
    pieces.post_processor = TemplateProcessing(single=f"$A {name}", special_tokens=[(name, end)])
    told = {part: pieces.id_to_token(number) for part, number in (("pad_token", steps.pad), ("eos_token", end))}
    settings = {"model_max_length": most, "add_prefix_space": True, **told}
    PreTrainedTokenizerFast(tokenizer_object=pieces, **settings).save_pretrained(folder)
    marian: Any = model.net.marian
    marian.generation_config.update(max_length=most + 1, suppress_tokens=list(steps.never), num_beams=1)
    marian.save_pretrained(folder)
    return folder


def row(victim: str, kind: Kind, run: Run, model: Generator, clean: dict[str, str]) -> dict[str, Any]:
    """Say what a run took and, judged by us, what it reached."""
    outputs = [each.text for each in model.generate_exactly([changed for _, changed in run.ends])]  # type: ignore[union-attr]
    seen = [
        Translation(source, changed, clean[source], output, clean[source])
        for (source, changed), output in zip(run.ends, outputs, strict=True)
    ]
    count, reached = len(run.ends), [kind.goal.score(each).reached for each in seen]
    return {
        "victim": victim,
        "tool": run.tool,
        "attack": run.attack,
        "goal": repr(kind.goal),
        "samples": count,
        "seconds": round(run.seconds, 2),
        "samples/s": round(count / run.seconds, 3),
        "samples a CPU second": round(count / run.cpu, 3),
        "asked/s": round(run.asked / run.seconds, 1),
        "asked a sample": round(run.asked / count, 1),
        "skipped": run.skipped,
        "reached %": round(100 * float(np.mean(reached)), 1),
        f"{kind.strict!r} %": round(100 * float(np.mean([kind.strict.score(each).reached for each in seen])), 1),
        "same output as ours %": round(100 * float(np.mean(np.array(outputs) == np.array(run.outputs))), 1),
        "chrF after": round(100 * float(np.mean([chrf(each.output, each.clean) for each in seen])), 1),
    }


def compared(victim: str, n: int, name: str, given: argparse.Namespace) -> list[dict[str, Any]]:
    """Run an attack in all ways, and set each beside TextAttack's recipe as it ships."""
    model, kind = open_generator(victim, Options(device=given.device, dtype="fp32")), KINDS[name]
    clean = sources_of(given.data, n, model)
    runs = [
        theirs("TextAttack", victim, name, clean, given),
        ours("unfool, same search", model, kind.twin, kind.goal, clean),
        ours("unfool", model, kind.usual, kind.goal, clean),
    ]
    if isinstance(model, Translator) and hasattr(model.net, "marian"):
        with tempfile.TemporaryDirectory() as folder:
            saved = save_for_wrapper(model, Path(folder))
            runs.append(theirs("TextAttack, own wrapper", victim, name, clean, given, saved))
    rows = [row(victim, kind, run, model, clean) for run in runs]
    rate = "samples/s" if given.threads > 1 else "samples a CPU second"
    for each in rows:
        each["times TextAttack"] = round(each[rate] / rows[0][rate], 2)
        print(each, flush=True)
    return rows


def write(given: argparse.Namespace, rows: list[dict[str, Any]]) -> None:
    """Keep what there is, so that a run can be ended."""
    if given.out:
        load_now = [round(each, 1) for each in os.getloadavg()]
        told = {"device": given.device, "threads": given.threads, "load": load_now, "rows": rows}
        given.out.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n")


def main() -> None:
    """Measure both tools and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--victims", nargs="*", default=VICTIMS, help="NAME=SOURCES")
    parser.add_argument("--attacks", nargs="*", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--data", default="multi30k", help="sources of its test split, drawn by seed 0")
    parser.add_argument("--seconds", type=int, default=60, help="time limit of each run of TextAttack")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    textattack_env.ensure()
    rows = list[dict[str, Any]]()
    for victim, n in (each.rsplit("=", 1) for each in given.victims):
        for name in given.attacks:
            rows += compared(victim, int(n), name, given)
            write(given, rows)
    shown = ("victim", "tool", "samples", "samples/s", "times TextAttack", "asked/s", "asked a sample", "reached %")
    print_table([{column: each[column] for column in shown} for each in rows])


if __name__ == "__main__":
    main()
