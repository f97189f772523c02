"""What a step of FACT's training costs beside a plain step on as much text, on a CPU or a GPU.

``python -m bench.fact [--data mnli imdb] [--device cuda] [--out FILE]``; the table comes last. *FACT* makes
alternatives of a batch's texts and trains on all of them; *same tokens* trains on the very tokens that FACT did,
made before; *as many texts* trains on the batch's own texts, each as often. Kinds take turns, each with all batches
in a row, as in a training, and a ratio is the median over the turns. Which words matter is told once for a whole
training, in a first turn that is not measured; how much longer that took has a column of its own, what is loaded on
first use included.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch

from bench._common import print_table
from unfool.data import load
from unfool.defences.harden import Method, TrainableNet, Training, find_method, trainable
from unfool.text import Sample
from unfool.training import LabelledBatch, classifier
from unfool.victims import Options, open_victim
from unfool.victims.tokens import TokenBatch
from unfool.zoo import pretrained

ALTERNATIVES, TURNS = 4, 3
EDITABLE = {"mnli": "hypothesis", "snli": "hypothesis"}
WORDS = {"imdb": 23}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", default=["mnli", "imdb"])
    parser.add_argument("--device", default="auto")
    parser.add_argument("--texts", type=int, default=32, help="texts a batch")
    parser.add_argument("--batches", type=int, default=20, help="batches a turn")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    rows = [measure(data, given.device, given.texts, given.batches) for data in given.data]
    print_table(rows)
    if given.out:
        given.out.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def measure(data: str, device: str, texts: int, batches: int) -> dict[str, object]:
    """Take steps of each kind in turns."""
    source = load(data, split="train", edit=EDITABLE.get(data))
    samples = list(source.sample(texts * batches, 0))
    with tempfile.TemporaryDirectory() as folder:
        model, tokenizer = classifier(str(pretrained.folder("bert")), source.labels)
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        net = trainable(open_victim(f"hf:{folder}", Options(device=device, dtype="fp32")))
        training = Training(
            net, samples, f"hf:{folder}", Options(device=device, dtype="fp32"), 0, Path(folder), False
        )
        steps = Steps(training, find_method(f"fact:words={WORDS.get(data, 9)},alternatives={ALTERNATIVES}"))
        starts = range(0, len(samples), texts)
        few = [_labelled(net, samples, k, texts, 1) for k in starts]
        many = [_labelled(net, samples, k, texts, 1 + ALTERNATIVES) for k in starts]
        first = steps.spent(lambda: steps.fact(few))
        same = [batch._replace(tokens=tokens) for batch, tokens in zip(many, steps.seen, strict=True)]
        kinds = {
            "FACT": lambda: steps.fact(few),
            "same tokens": lambda: steps.plain(same),
            "as many texts": lambda: steps.plain(many),
        }
        for kind in ("same tokens", "as many texts"):  # kernels are chosen for new shapes
            kinds[kind]()
        taken = {kind: np.array([0.0] * TURNS) for kind in kinds}
        for turn in range(TURNS):
            for kind, take in kinds.items():
                taken[kind][turn] = steps.spent(take)
    return {
        "data": data,
        "device": str(net.device),
        "threads": torch.get_num_threads(),
        "FACT, ms a step": round(1000 * float(np.median(taken["FACT"])) / batches, 1),
        "× same tokens": round(float(np.median(taken["FACT"] / taken["same tokens"])), 2),
        "× as many texts": round(float(np.median(taken["FACT"] / taken["as many texts"])), 2),
        "first turn, ms more a text": round(1000 * (first - float(np.median(taken["FACT"]))) / len(samples), 2),
    }


class Steps:
    """Takes steps as a training does, and notes what FACT reads.

    Args:
        training: What there is to train with.
        method: FACT, with its settings.
    """

    def __init__(self, training: Training, method: Method) -> None:
        self._net, self._plan = training.net, method(training)
        self._optimizer = training.net.optimizer(training.net.lr)
        self._plainly = training.net.logits
        training.net.module.to(training.net.device).train()
        training.net.logits = self._noting  # type: ignore[method-assign]
        self.seen: list[TokenBatch] = []

    def _noting(self, tokens: TokenBatch) -> torch.Tensor:
        self.seen.append(tokens)
        return self._plainly(tokens)

    def fact(self, batches: Sequence[LabelledBatch]) -> None:
        """Train on texts and their alternatives."""
        assert self._plan.losses
        self.seen.clear()
        for number, batch in enumerate(batches):
            (loss,) = self._plan.losses(batch, (1, number, 0))
            self._step(loss)

    def plain(self, batches: Sequence[LabelledBatch]) -> None:
        """Train on texts."""
        for batch in batches:
            labels = batch.labels[: len(batch.tokens.ids)]  # a text without a word to replace has no alternatives
            logits = self._plainly(batch.tokens)
            self._step(torch.nn.functional.cross_entropy(logits, labels))

    def _step(self, loss: torch.Tensor) -> None:
        self._optimizer.zero_grad()
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(self._net.module.parameters(), 1.0)
        self._optimizer.step()

    def spent(self, take: Callable[[], None]) -> float:
        """Return the seconds some steps take; on a CPU its own time, which the work of others stretches less."""
        clock = time.process_time if self._net.device.type == "cpu" else time.perf_counter
        self._wait()
        began = clock()
        take()
        self._wait()
        return clock() - began

    def _wait(self) -> None:
        if self._net.device.type == "cuda":
            torch.cuda.synchronize()


def _labelled(net: TrainableNet, samples: Sequence[Sample], start: int, texts: int, times: int) -> LabelledBatch:
    some = samples[start : start + texts]
    labels = torch.tensor([sample.label for sample in some] * times, device=net.device)
    tokens = net.encode([sample.text for sample in some] * times)
    return LabelledBatch(tokens, labels, np.arange(start, start + len(some)))


if __name__ == "__main__":
    main()
