"""The training loop: epochs over shuffled batches, the best epoch by validation accuracy kept.

Killed at any moment and started again from its checkpoint, it ends in the same weights, on a CPU to the last bit.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from unfool.errors import UserError
from unfool.training._records import Accuracy, Checkpoint, TrainingState
from unfool.training._samples import EncodedSamples, LabelledBatch
from unfool.victims.tokens import TokenBatch

if TYPE_CHECKING:
    import torch

_EVALUATION_BATCH = 256
_LARGEST_GRADIENT = 5.0
_MANY_TEXTS, _BATCH, _LARGE_BATCH = 20_000, 64, 256
_WARM_UP, _WEIGHT_DECAY = 0.1, 0.01

Logits = Callable[[TokenBatch], "torch.Tensor"]
Place = tuple[int, int, int]
"""The epoch, the batch in it, and the first text of the batch."""
Losses = Callable[[LabelledBatch, Place], Iterator["torch.Tensor"]]


class Fitted(NamedTuple):
    """The result of `fit`."""

    validation: Accuracy
    """Of the epoch whose weights were kept."""
    epoch: int
    """That epoch, from 1."""
    epochs: int
    """How many epochs were done."""
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
    """Measure a model on labelled texts.

    Raises:
        UserError: If its answers are not numbers: the first class would count as its answer all the same.
    """
    import torch

    module.eval()
    right = 0
    with torch.inference_mode():
        for batch in samples.by_length(_EVALUATION_BATCH):
            found = logits(batch.tokens)
            if not found.isfinite().all():
                raise UserError(
                    "the training failed: the net's answers are no longer numbers; "
                    "give a smaller learning rate (--lr)"
                )
            right += int((found.argmax(-1) == batch.labels).sum())
    return Accuracy(right / len(samples), len(samples))


def fit(
    module: torch.nn.Module,
    logits: Logits,
    train: EncodedSamples | Callable[[int], EncodedSamples],
    validation: EncodedSamples,
    *,
    optimizer: torch.optim.Optimizer,
    schedule: Callable[[float], float],
    epochs: int,
    patience: int,
    batch: int,
    seed: int,
    progress: bool,
    losses: Losses | None = None,
    parts: int = 1,
    keep: Literal["best", "last"] = "best",
    checkpoint: Checkpoint | None = None,
) -> Fitted:
    """Train a model and leave it with the weights of its best epoch.

    Args:
        module: Holds the weights.
        logits: Runs the model on a batch.
        train: The texts it learns from, or a function that returns them for each epoch, counted from 1.
        validation: The texts that decide which epoch is best.
        optimizer: Holds the weights that are trained.
        schedule: Maps the share of all steps done to the factor on the learning rate.
        epochs: The most epochs.
        patience: Training stops after this many epochs without a better one.
        batch: Texts a batch.
        seed: Orders the batches; the caller seeds dropout with `seeded`.
        progress: Whether to show a bar.
        losses: The losses of a batch, one after the other: each is differentiated before the next is asked for, so
            that the next can use its gradients (default: cross-entropy).
        parts: How many parts a batch is computed in, one after the other, to save memory.
        keep: Which epoch's weights the model ends with.
        checkpoint: Keeps how far training has come; a training that was stopped goes on from there.

    Raises:
        UserError: If there is nothing to train or to choose by.
    """
    import torch

    generator = np.random.default_rng(seed)
    rates = [float(group["lr"]) for group in optimizer.param_groups]
    lose = losses or _cross_entropy(logits)
    found = checkpoint.load(module, optimizer) if checkpoint else None
    state, kept = found or (TrainingState(), {})
    generator.bit_generator.state = state.order or generator.bit_generator.state
    began, before = time.perf_counter(), state.seconds
    with _bar(epochs, state.epoch - 1, progress) as advance:
        while state.epoch <= epochs:
            epoch, skip = state.epoch, state.step
            state = state._replace(order=generator.bit_generator.state)
            learnt = train(epoch) if callable(train) else train
            if not len(learnt) or not len(validation):
                raise UserError(
                    f"cannot train on {len(learnt)} samples and choose the best epoch by "
                    f"{len(validation)}; give samples for both"
                )
            steps = learnt.steps(batch)
            module.train()
            for step, texts in enumerate(learnt.shuffled(batch, generator)):
                if step < skip:
                    continue
                done = ((epoch - 1) * steps + step) / (steps * epochs)
                for group, rate in zip(optimizer.param_groups, rates, strict=True):
                    group["lr"] = rate * schedule(done)
                optimizer.zero_grad()
                add_gradients(lose, texts, (epoch, step), parts)
                torch.nn.utils.clip_grad_norm_(module.parameters(), _LARGEST_GRADIENT)
                optimizer.step()
                advance(1 / steps, f"epoch {epoch}, best {max(state.share, 0):.1%}")
                if checkpoint and checkpoint.due:
                    state = state._replace(step=step + 1, seconds=before + time.perf_counter() - began)
                    checkpoint.save(module, optimizer, state, kept)
            reached = accuracy(module, logits, validation)
            if keep == "last" or reached.share > state.share:
                state = state._replace(share=reached.share, n=reached.n, best_epoch=epoch)
                kept = copy.deepcopy(module.state_dict()) if keep == "best" else {}
            last = epoch - state.best_epoch >= patience
            state = state._replace(
                epoch=epochs + 1 if last else epoch + 1,
                step=0,
                seen=epoch,
                order=generator.bit_generator.state,
                seconds=before + time.perf_counter() - began,
            )
            if checkpoint:
                checkpoint.save(module, optimizer, state, kept)
    if kept:
        module.load_state_dict(kept)
    module.eval()
    return Fitted(Accuracy(state.share, state.n), state.best_epoch, state.seen, state.seconds)


def add_gradients(losses: Losses, texts: LabelledBatch, place: tuple[int, int], parts: int) -> None:
    """Differentiate the losses of a batch, in parts; each part weighs as much as its share of the samples."""
    import torch

    size = -(-len(texts.labels) // parts)
    for start in range(0, len(texts.labels), size):
        part = texts.part(slice(start, start + size)) if parts > 1 else texts
        weight = len(part.labels) / len(texts.labels)
        for loss in losses(part, (*place, start)):
            torch.autograd.backward(loss * weight)


def usual_batch(texts: int) -> int:
    """Return the usual number of texts a batch for a small net: 64, or 256 if there are many texts."""
    return _LARGE_BATCH if texts > _MANY_TEXTS else _BATCH


def adam(module: torch.nn.Module, lr: float) -> torch.optim.Optimizer:
    """Return the optimizer of small nets: Adam over all weights that are not frozen."""
    import torch

    return torch.optim.Adam([w for w in module.parameters() if w.requires_grad], lr=lr, fused=True)


def sgd(module: torch.nn.Module, lr: float) -> torch.optim.Optimizer:
    """Return plain gradient descent over all weights that are not frozen."""
    import torch

    return torch.optim.SGD([w for w in module.parameters() if w.requires_grad], lr=lr)


def adam_with_decay(model: torch.nn.Module, lr: float) -> torch.optim.Optimizer:
    """Return the optimizer of transformers: only matrices decay."""
    import torch

    matrices = [weight for weight in model.parameters() if weight.ndim > 1]
    rest = [weight for weight in model.parameters() if weight.ndim <= 1]
    return torch.optim.AdamW(
        [{"params": matrices, "weight_decay": _WEIGHT_DECAY}, {"params": rest, "weight_decay": 0.0}],
        lr=lr,
        fused=True,
    )


def rise_and_fall(done: float) -> float:
    """Return the factor on the learning rate: up over the first tenth of the steps, then down to zero."""
    return done / _WARM_UP if done < _WARM_UP else (1 - done) / (1 - _WARM_UP)


def _cross_entropy(logits: Logits) -> Losses:
    import torch

    def losses(batch: LabelledBatch, place: Place) -> Iterator[torch.Tensor]:
        yield torch.nn.functional.cross_entropy(logits(batch.tokens), batch.labels)

    return losses


@contextmanager
def _bar(epochs: int, done: int, show: bool) -> Iterator[Callable[[float, str], None]]:
    from rich.progress import TimeRemainingColumn

    from unfool.progress import vanishing

    with vanishing(TimeRemainingColumn(), shown=show) as bar:
        task = bar.add_task(f"training: epoch {done + 1}", total=epochs, completed=done)
        yield lambda share, told: bar.update(task, advance=share, description=f"training: {told}")
