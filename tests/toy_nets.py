"""Tiny nets of the zoo with random weights."""

from __future__ import annotations

from typing import Any

import torch

from unfool import zoo
from unfool.zoo import victim_kind
from unfool.zoo.encoders import NetEncoder
from unfool.zoo.fronts import make_front

WORDS = ["a", "the", "film", "plot", "good", "bad", "fine", "is", "n't", "dull", "great", "cast", "and", "awful"]


def toy_net(
    net: str,
    encoder: NetEncoder,
    front: str = "Vectors",
    scale: float = 2.5,
    dtype: str = "fp32",
    **sizes: Any,
) -> zoo.NetVictim:
    """A tiny net of the zoo with random weights, scaled so that words move the answer."""
    torch.manual_seed(0)
    more = {"kernel": 3, "filters": 6} if front == "CharCNN" else {}
    made = zoo.make_net(net, make_front(front, rows=len(encoder), dimensions=8, **more), 2, **sizes).eval()
    with torch.no_grad():
        for weights in made.parameters():
            weights.mul_(scale)
    kind = victim_kind(made, encoder)
    return kind(made, encoder, ("neg", "pos"), name=f"zoo:toy-{net}", device="cpu", dtype=dtype)
