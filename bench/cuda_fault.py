"""A stress test of what crafting does to a GPU: many processes ask nets about spliced variants, as PWWS does.

``python -m bench.cuda_fault --processes 14 --seconds 30``; the table comes last. Weights and words are random, so
that nothing is trained or read. Each process goes through the kinds of net and lets go of each before the next, as
the crafting of a study does. Every tenth batch is asked twice: *wrong* counts answers that were not the same.

Whether CUDA's MPS is on is decided outside: start ``nvidia-cuda-mps-control -d`` before, or do not.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from bench._common import print_table
from unfool import zoo
from unfool.engine import PendingAnswers
from unfool.text import Text, Variants
from unfool.victims import Transformer
from unfool.victims.tokens import EncodedVictim
from unfool.zoo.encoders import encoder_from_texts
from unfool.zoo.fronts import make_front

_SYLLABLES = [first + second for first in "bdfgklmnprstvw" for second in "aeiou"]
LABELS = ("0", "1", "2", "3")
_UNDER_WAY = 3
"""Batches asked before the answers of the first are fetched."""

_PATIENCE_SECONDS = 60
"""How much longer than its work a process may take to start and end; after a fault under MPS some hang."""

NETS: dict[str, tuple[str, str, str, int, dict[str, int]]] = {
    "LSTM-W-1": ("LSTM", "words", "Vectors", 300, {"layers": 1}),
    "BiLSTM-W-4": ("BiLSTM", "words", "Vectors", 300, {"layers": 4}),
    "CNN-W-6": ("CNN", "words", "Vectors", 300, {"layers": 6}),
    "WordCNN": ("KimCNN", "words", "Vectors", 300, {}),
    "BiLSTM-C-1": ("BiLSTM", "characters", "Vectors", 64, {"layers": 1}),
    "CNN-C-2": ("CNN", "characters", "Vectors", 64, {"layers": 2}),
    "LSTM-WC-ELMo-1": ("LSTM", "byte-words", "Elmo", 16, {"layers": 1}),
}
"""Net, what it reads, its front, the front's dimensions and the net's sizes, as the zoo has them."""
KINDS = [*NETS, "MiniLM"]


class Variant(NamedTuple):
    """How the processes of one line of the table run."""

    name: str
    environment: dict[str, str]
    kills: bool = False
    """Whether one process is killed halfway, amid its work."""


_EXPANDABLE = {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"}
_OURS = (*_EXPANDABLE, "PYTORCH_ALLOC_CONF", "CUDA_LAUNCH_BLOCKING")
VARIANTS = (
    Variant("as crafting runs", _EXPANDABLE),
    Variant("fixed segments", {}),
    Variant("launch blocking", {**_EXPANDABLE, "CUDA_LAUNCH_BLOCKING": "1"}),
    Variant("one killed", _EXPANDABLE, kills=True),
)


def words(generator: random.Random, count: int) -> list[str]:
    return ["".join(generator.choices(_SYLLABLES, k=generator.randint(1, 4))) for _ in range(count)]


def open_victim(kind: str, device: str, folder: Path) -> EncodedVictim:
    """Open a net with random weights that knows some of the words."""
    known = words(random.Random(0), 20_000)
    torch.manual_seed(0)
    if kind == "MiniLM":
        return Transformer(str(minilm_shaped(known, folder)), device=device)
    net, reads, front, dimensions, sizes = NETS[kind]
    encoder = encoder_from_texts(reads, [" ".join(known)], 256 if reads == "words" else 1014)
    made = zoo.make_net(net, make_front(front, rows=len(encoder), dimensions=dimensions), len(LABELS), **sizes)
    return zoo.NetVictim(made, encoder, LABELS, name=kind, device=device)


def minilm_shaped(known: Sequence[str], folder: Path) -> Path:
    """Save a transformer of MiniLM's shape that reads whole words."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    from bench.gpu import SHAPES

    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {word: number for number, word in enumerate(dict.fromkeys([*specials, *known]))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = {f"{special[1:-1].lower()}_token": special for special in specials}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(folder)
    config = BertConfig(vocab_size=len(vocabulary), num_labels=len(LABELS), **SHAPES["MiniLM-shaped"])
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


def questions(generator: random.Random) -> Iterator[list[Variants]]:
    """Yield what PWWS asks for some samples: each word unknown, then other words for each, some never seen."""
    while True:
        texts = [
            Text.of(" ".join(words(generator, generator.randint(15, 60))))
            for _ in range(generator.choice([1, 8, 64]))
        ]
        yield [Variants.of_swaps(text, range(len(text)), "[UNK]") for text in texts]
        spots = [[place for place in range(len(text)) for _ in range(generator.randint(0, 9))] for text in texts]
        yield [
            Variants.of_swaps(text, places, words(generator, len(places)))
            for text, places in zip(texts, spots, strict=True)
        ]


def craft(victim: EncodedVictim, generator: random.Random, batches: int, ends: float) -> dict[str, int]:
    """Ask until there were so many batches or the time is over; return how much was asked, and was wrong."""
    under_way = deque[list[PendingAnswers]]()
    told = {"batches": 0, "texts": 0, "wrong": 0}
    for number, asked in enumerate(questions(generator)):
        over = number == batches or (number > 0 and time.monotonic() > ends)
        while under_way and (over or len(under_way) == _UNDER_WAY):
            first, again, _ = (pending.result().values for pending in under_way.popleft())
            told["wrong"] += int(np.sum(np.abs(first - again).max(axis=1) > 1e-3))
        if over:
            return told
        rows = victim.rows(asked)
        chosen = np.arange(len(rows.keys))
        once = victim.launch(rows, chosen)
        twice = once if number % 10 else victim.launch(rows, chosen)
        under_way.append([once, twice, victim.check([text.strings for text in islice(asked[0], 4)])])
        told["batches"] += 1
        told["texts"] += len(chosen)
    raise AssertionError("questions never end")


def craft_alone(seed: int, given: argparse.Namespace) -> None:
    """Go through the kinds of net in this process, and print a line for each."""
    generator = random.Random(seed)
    start = time.monotonic()
    kinds = generator.sample(given.kinds, len(given.kinds))
    with tempfile.TemporaryDirectory() as folder:
        for number, kind in enumerate(kinds, start=1):
            victim = open_victim(kind, given.device, Path(folder))
            told = craft(victim, generator, given.batches, start + given.seconds * number / len(kinds))
            print(json.dumps({"kind": kind, **told}), flush=True)
            del victim
            gc.collect()
            torch.cuda.empty_cache()


def measure(variant: Variant, given: argparse.Namespace) -> dict[str, Any]:
    """Run the processes of a variant and return its line of the table."""
    options = ["--device", given.device, "--seconds", str(given.seconds), "--batches", str(given.batches)]
    command = [sys.executable, "-m", "bench.cuda_fault", *options, "--kinds", *given.kinds, "--alone"]
    environment = {name: value for name, value in os.environ.items() if name not in _OURS}
    environment |= {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", **variant.environment}
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        outputs = [Path(folder, f"{number}.out") for number in range(given.processes)]
        errors = [output.with_suffix(".err") for output in outputs]
        processes = []
        for number, (output, error) in enumerate(zip(outputs, errors, strict=True)):
            with output.open("w") as out, error.open("w") as err:
                processes.append(subprocess.Popen([*command, str(number)], stdout=out, stderr=err, env=environment))
        if variant.kills:
            time.sleep(given.seconds / 2)
            processes[0].kill()
        codes = [wait(process, start + given.seconds + _PATIENCE_SECONDS) for process in processes]
        told = [
            json.loads(line) for output in outputs for line in output.read_text().splitlines() if line[:1] == "{"
        ]
        survivors = list(zip(codes, errors, strict=True))[variant.kills :]
        faults = [(code, first_error(error.read_text(errors="replace"))) for code, error in survivors if code]
    return {
        "variant": f"{given.label}: {variant.name}" if given.label else variant.name,
        "mps": mps_runs(),
        "processes": given.processes,
        "batches": sum(line["batches"] for line in told),
        "texts": sum(line["texts"] for line in told),
        "wrong": sum(line["wrong"] for line in told),
        "faults": len(faults),
        "exit codes": " ".join(map(str, sorted({code for code, _ in faults}))),
        "first error": faults[0][1] if faults else "",
        "seconds": round(time.monotonic() - start, 1),
    }


def wait(process: subprocess.Popen[bytes], until: float) -> int:
    """Return a process's exit code; one that hangs is killed, and so has -9."""
    try:
        return process.wait(max(0.0, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def first_error(told: str) -> str:
    """Return the first line that names an error, or the last one."""
    lines = [line.strip() for line in told.splitlines() if line.strip()]
    named = [line for line in lines if "CUDA error" in line or "Error:" in line]
    return next(iter(named or lines[-1:]), "")[:160]


def mps_runs() -> bool:
    """Say whether the control daemon of CUDA's MPS has its pipe open."""
    return Path(os.environ.get("CUDA_MPS_PIPE_DIRECTORY", "/tmp/nvidia-mps"), "control").exists()


def late_reads() -> Iterator[dict[str, Any]]:
    """Say, for arrays of some sizes, whether the driver still reads them after a copy was asked for."""
    for size in (1 << 12, 1 << 16, 1 << 20, 1 << 26):
        for how in ("ordinary", "pinned by PyTorch"):
            array = np.ones(size, dtype=np.uint8)
            torch.cuda._sleep(200_000_000)  # type: ignore[no-untyped-call]
            start = time.monotonic()
            host = torch.from_numpy(array)
            copied = (host if how == "ordinary" else host.pin_memory()).to("cuda", non_blocking=True)
            asked = time.monotonic() - start
            array[:] = 2
            yield {
                "bytes": size,
                "memory": how,
                "ms": round(1000 * asked, 2),
                "read late": int((copied != 1).sum()),
            }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=14, help="how many craft at once")
    parser.add_argument(
        "--seconds", type=float, default=30, help="how long each of them crafts (without its start)"
    )
    parser.add_argument("--batches", type=int, default=1_000_000, help="the most batches a net is asked")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS, metavar="KIND", help=", ".join(KINDS))
    names = [variant.name for variant in VARIANTS]
    parser.add_argument(
        "--variants", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names)
    )
    parser.add_argument("--label", default="", help="a word before each variant's name, such as the code's commit")
    parser.add_argument("--out", type=Path, help="a JSON file for the table")
    parser.add_argument("--alone", type=int, metavar="SEED", help="craft in this process, as one of them does")
    parser.add_argument(
        "--late-reads", action="store_true", help="ask instead when the driver reads ordinary memory"
    )
    given = parser.parse_args()
    if given.alone is not None:
        craft_alone(given.alone, given)
        return
    chosen = [variant for variant in VARIANTS if variant.name in given.variants]
    rows = list(late_reads()) if given.late_reads else []
    for variant in [] if given.late_reads else chosen:
        rows.append(measure(variant, given))
        print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    print_table(rows)
    if given.out:
        given.out.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
