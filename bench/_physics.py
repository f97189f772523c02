"""The physical limit: the floating-point operations of the plain algorithm, over what the chip does."""

from __future__ import annotations

import time

import torch
from torch import nn

from unfool.victims import Transformer
from unfool.victims.tokens import EncodedVictim
from unfool.zoo import NetVictim

_SIZE, _TRIES = 2048, 8


def operations(victim: EncodedVictim, tokens: float) -> float:
    """Return the operations that a text of so many tokens takes: two for each weight that a token meets."""
    assert isinstance(victim, NetVictim | Transformer)
    net: nn.Module = victim.module
    tables = {id(part.weight) for part in net.modules() if isinstance(part, nn.Embedding)}
    weights = sum(one.numel() for one in net.parameters() if one.dim() > 1 and id(one) not in tables)
    if isinstance(victim, Transformer):
        # A token's query meets the key and the value of every other.
        weights += int(2 * victim.module.config.num_hidden_layers * victim.module.config.hidden_size * tokens)
    return 2 * tokens * weights


def chip(dtype: torch.dtype) -> float:
    """Return the operations a second of the processor that one large matrix product reaches, at best."""
    left, right = (torch.randn(_SIZE, _SIZE).to(dtype) for _ in range(2))
    fastest = float("inf")
    for _ in range(_TRIES):
        began = time.process_time()
        left @ right
        fastest = min(fastest, time.process_time() - began)
    return 2 * _SIZE**3 / fastest
