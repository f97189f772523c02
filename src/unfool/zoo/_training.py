"""Training a net of the zoo."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from unfool.devices import torch_device
from unfool.text import Sample
from unfool.training import Accuracy, EncodedSamples, Fitted, accuracy, fit, seeded, short_factors
from unfool.victims._packing import TokenBatch
from unfool.zoo.encoders import PAD, NetEncoder

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from unfool.zoo._read_once import ReadOnce
    from unfool.zoo.nets._net import Net

_MANY_SAMPLES, _BATCH, _LARGE_BATCH = 20_000, 64, 256
_FALL = 0.4
"""The last share of a training, in which a falling rate falls."""


def train(
    net: Net,
    encoder: NetEncoder,
    train_samples: Iterable[Sample],
    validation_samples: Iterable[Sample],
    test_samples: Iterable[Sample] = (),
    *,
    seed: int = 0,
    epochs: int = 10,
    patience: int = 2,
    lr: float = 1e-3,
    batch: int | None = None,
    device: str = "cpu",
    progress: bool = True,
) -> tuple[Fitted, Accuracy | None]:
    """Train a net with Adam and leave it, on the CPU, with the weights of its best epoch.

    The same net and seed give the same weights, on the same kind of CPU with as many threads.

    Args:
        net: The net, with its first weights.
        encoder: How it reads texts.
        train_samples: What it learns from.
        validation_samples: What the best epoch is chosen by.
        test_samples: What it is judged by, once.
        seed: Draws dropout and the order of the batches.
        epochs: The most epochs.
        patience: Training stops after so many epochs without a better one.
        lr: The learning rate.
        batch: Texts a batch; 64, or 256 where there are many, if None.
        device: ``cpu``, ``cuda`` or ``auto``.
        progress: Whether to show a bar.

    Returns:
        How training went, and the test accuracy where there are test samples.
    """
    place = torch_device(device)
    learnt, chosen_by, judged = (
        EncodedSamples(samples, encoder, place, pad=PAD)
        for samples in (train_samples, validation_samples, test_samples)
    )
    return train_encoded(
        net,
        learnt,
        chosen_by,
        judged,
        place,
        seed=seed,
        epochs=epochs,
        patience=patience,
        lr=lr,
        batch=batch,
        progress=progress,
    )


def train_encoded(
    net: Net,
    learnt: EncodedSamples,
    chosen_by: EncodedSamples,
    judged: EncodedSamples,
    place: torch.device,
    *,
    seed: int,
    epochs: int,
    lr: float,
    progress: bool,
    patience: int,
    batch: int | None = None,
    falling: bool = False,
    read: ReadOnce | None = None,
) -> tuple[Fitted, Accuracy | None]:
    """Train a net on texts that are on its device, encoded; see `train`.

    With a `falling` learning rate, which ends at nothing, few epochs come as far as many. Where its front has
    `read` the texts before, it learns from that, and is judged as it will be used.
    """
    import torch

    net.to(place)

    def logits(tokens: TokenBatch) -> Tensor:
        outputs: Tensor = net(tokens.ids, tokens.mask, tokens.types)
        return outputs

    def logits_of_read(rows: TokenBatch) -> Tensor:
        assert read
        return net.forward_read(read.read(net.front, rows))

    trained = [weight for weight in net.parameters() if weight.requires_grad]
    with seeded(seed), short_factors(place):
        fitted = fit(
            net,
            logits_of_read if read else logits,
            read.learnt if read else learnt,
            read.chosen_by if read else chosen_by,
            optimizer=torch.optim.Adam(trained, lr=lr, fused=True),
            schedule=(lambda done: min(1.0, (1.0 - done) / _FALL)) if falling else (lambda done: 1.0),
            epochs=epochs,
            patience=patience,
            batch=batch or (_LARGE_BATCH if len(learnt) > _MANY_SAMPLES else _BATCH),
            seed=seed,
            progress=progress,
        )
    test = accuracy(net, logits, judged) if len(judged) else None
    net.cpu()
    return fitted, test
