"""The training loop: epochs over shuffled batches, the best epoch by validation accuracy kept."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from unfool.errors import UserError
from unfool.victims._packing import TokenBatch
from unfool.zoo._encoded_samples import EncodedSamples

if TYPE_CHECKING:
    import torch

_EVALUATION_BATCH = 256
_LARGEST_GRADIENT = 5.0

Logits = Callable[[TokenBatch], "torch.Tensor"]


class Accuracy(NamedTuple):
    """A share of texts classified rightly, and of how many."""

    share: float
    n: int


class Fitted(NamedTuple):
    """What training came to: the validation accuracy of the kept epoch, counted from 1, and the time it took."""

    validation: Accuracy
    epoch: int
    epochs: int
    seconds: float


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Draw weights and dropout from a seed inside the block, and leave the caller's own numbers alone."""
    import torch

    with torch.random.fork_rng():
        torch.manual_seed(seed)
        yield


@contextmanager
def short_factors(device: torch.device) -> Iterator[None]:
    """Multiply in TF32 on a GPU inside the block.

    Half precision was no faster for these nets (an LSTM 7.0 ms a step for 6.6, a CNN 13.7 for 12.1, on an H200):
    casting costs more kernels than it saves.
    """
    import torch

    before = torch.get_float32_matmul_precision()
    if device.type == "cuda":
        torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def accuracy(module: torch.nn.Module, logits: Logits, samples: EncodedSamples) -> Accuracy:
    """Measure a model on labelled texts."""
    import torch

    module.eval()
    with torch.inference_mode():
        right = sum(
            int((logits(batch.tokens).argmax(-1) == batch.labels).sum())
            for batch in samples.by_length(_EVALUATION_BATCH)
        )
    return Accuracy(right / len(samples), len(samples))


def fit(
    module: torch.nn.Module,
    logits: Logits,
    train: EncodedSamples,
    validation: EncodedSamples,
    *,
    optimizer: torch.optim.Optimizer,
    schedule: Callable[[float], float],
    epochs: int,
    patience: int,
    batch: int,
    seed: int,
    progress: bool,
) -> Fitted:
    """Train a model and leave it with the weights of its best epoch.

    Args:
        module: Holds the weights.
        logits: Runs the model on a batch.
        train: What it learns from.
        validation: What the best epoch is chosen by.
        optimizer: Holds the weights that are trained.
        schedule: From the share of all steps done to the factor on the learning rate.
        epochs: The most epochs.
        patience: Training stops after so many epochs without a better one.
        batch: Texts a batch.
        seed: Orders the batches; the caller seeds dropout with `seeded`.
        progress: Whether to show a bar.

    Raises:
        UserError: If there is nothing to train or to choose by.
    """
    import torch

    if not len(train) or not len(validation):
        raise UserError(f"cannot train on {len(train)} samples and choose by {len(validation)}; give both")
    generator = np.random.default_rng(seed)
    steps = -(-len(train) // batch)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: schedule(step / (steps * epochs)))
    best, best_epoch, kept, started = Accuracy(-1.0, 0), 0, {}, time.perf_counter()
    with _bar(epochs * steps, progress) as advance:
        for epoch in range(1, epochs + 1):
            module.train()
            for tokens, labels in train.shuffled(batch, generator):
                optimizer.zero_grad()
                torch.autograd.backward(torch.nn.functional.cross_entropy(logits(tokens), labels))
                torch.nn.utils.clip_grad_norm_(module.parameters(), _LARGEST_GRADIENT)
                optimizer.step()
                scheduler.step()
                advance(f"epoch {epoch}, best {max(best.share, 0):.1%}")
            reached = accuracy(module, logits, validation)
            if reached.share > best.share:
                best, best_epoch, kept = reached, epoch, copy.deepcopy(module.state_dict())
            elif epoch - best_epoch >= patience:
                break
    module.load_state_dict(kept)
    module.eval()
    return Fitted(best, best_epoch, epoch, time.perf_counter() - started)


@contextmanager
def _bar(total: int, show: bool) -> Iterator[Callable[[str], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    screen = Console(stderr=True)
    columns = (TextColumn("training: {task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=screen, transient=True, disable=not (show and screen.is_terminal)) as bar:
        task = bar.add_task("epoch 1", total=total)
        yield lambda told: bar.update(task, advance=1, description=told)
