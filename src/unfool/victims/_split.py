"""Float32 products on tensor cores: each number as the sum of two short ones.

A GPU multiplies float32 matrices ten times faster once their numbers are cut to TF32's ten bits, and loses
accuracy. The ten bits cut off are a TF32 number again: high·high + high·low + low·high, three short products summed
in float32, is the full product but for what float32 itself rounds away.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from collections.abc import Iterator

_KEPT_BITS = -(1 << 13)
"""All bits of a float32 but the last 13 of its 23."""


class SplitLinear(nn.Module):
    """A linear layer whose three short products are one, three times as deep."""

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        high, low = _split(layer.weight.detach())
        self.register_buffer("weight", torch.cat([high, low, high], dim=1))
        self.bias = layer.bias

    def forward(self, inputs: Tensor) -> Tensor:
        """Return what the layer it was made of returns."""
        high, low = _split(inputs)
        before = torch.backends.cuda.matmul.allow_tf32
        torch.backends.cuda.matmul.allow_tf32 = True
        try:
            return nn.functional.linear(torch.cat([high, high, low], dim=-1), self.get_buffer("weight"), self.bias)
        finally:
            torch.backends.cuda.matmul.allow_tf32 = before


def with_split_products(model: nn.Module) -> nn.Module:
    """Return a copy of a float32 model with every linear layer split."""
    twin = copy.deepcopy(model)
    for parent, name, layer in list(_linear_layers(twin)):
        setattr(parent, name, SplitLinear(layer))
    return twin


def _linear_layers(model: nn.Module) -> Iterator[tuple[nn.Module, str, nn.Linear]]:
    for parent in model.modules():
        for name, child in parent.named_children():
            if type(child) is nn.Linear:
                yield parent, name, child


def _split(numbers: Tensor) -> tuple[Tensor, Tensor]:
    high = (numbers.contiguous().view(torch.int32) & _KEPT_BITS).view(torch.float32)
    return high, numbers - high
