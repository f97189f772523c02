"""Training a net of the zoo."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from unfool.text import Sample
from unfool.victims._device import torch_device
from unfool.victims._packing import TokenBatch
from unfool.victims._unit_store import Encoder
from unfool.zoo._encoded_samples import EncodedSamples
from unfool.zoo._fit import Fitted, fit, seeded

if TYPE_CHECKING:
    from torch import Tensor

    from unfool.zoo._net import Net


def train(
    net: Net,
    vocabulary: Encoder,
    train_samples: Iterable[Sample],
    validation_samples: Iterable[Sample],
    *,
    seed: int = 0,
    epochs: int = 10,
    patience: int = 2,
    lr: float = 1e-3,
    batch: int = 64,
    device: str = "cpu",
    progress: bool = True,
) -> Fitted:
    """Train a net with Adam and leave it, on the CPU, with the weights of its best epoch.

    The same net and seed give the same weights, on the same kind of CPU with as many threads.

    Args:
        net: The net, with its first weights.
        vocabulary: How it reads texts.
        train_samples: What it learns from.
        validation_samples: What the best epoch is chosen by.
        seed: Draws dropout and the order of the batches.
        epochs: The most epochs.
        patience: Training stops after so many epochs without a better one.
        lr: The learning rate.
        batch: Texts a batch.
        device: ``cpu``, ``cuda`` or ``auto``.
        progress: Whether to show a bar.
    """
    import torch

    place = torch_device(device)
    net.to(place)

    def logits(tokens: TokenBatch) -> Tensor:
        outputs: Tensor = net(tokens.ids, tokens.mask)
        return outputs

    trained = [weight for weight in net.parameters() if weight.requires_grad]
    with seeded(seed):
        fitted = fit(
            net,
            logits,
            EncodedSamples(train_samples, vocabulary, place),
            EncodedSamples(validation_samples, vocabulary, place),
            optimizer=torch.optim.Adam(trained, lr=lr, fused=True),
            schedule=lambda done: 1.0,
            epochs=epochs,
            patience=patience,
            batch=batch,
            seed=seed,
            progress=progress,
        )
    net.cpu()
    return fitted
