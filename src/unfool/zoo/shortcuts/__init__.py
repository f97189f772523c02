"""Exact shortcuts for small nets on a CPU: of a changed text, only what the change can reach is worked out."""

from __future__ import annotations

import torch

from unfool.victims.tokens import Shortcut
from unfool.zoo.fronts.front import Vectors
from unfool.zoo.nets.cnn import CNN, KimCNN
from unfool.zoo.nets.net import Net
from unfool.zoo.nets.recurrent import LSTM, BiLSTM
from unfool.zoo.shortcuts._states import BothWays, Onward
from unfool.zoo.shortcuts._windows import Windows

__all__ = ["shortcut"]

_LSTMS = 2
"""With four, reading the bases step by step costs what is saved (1.2 times as fast where 50 texts share a base)."""


def shortcut(net: Net, dtype: torch.dtype) -> Shortcut | None:
    """Return the net's shortcut; None where there is nothing to gain.

    There is none where a changed word changes all that the layers read or say: behind a front that reads words in
    their context, in a second layer that reads both ways, and where a net reads padding behind the text. A net
    whose weights are not in float32 is left as it is.

    Args:
        net: The net.
        dtype: The precision of what is multiplied anew for every text; what is worked out once is in float32.
    """
    if not isinstance(net.front, Vectors) or net.front.table.weight.dtype != torch.float32:
        return None
    if isinstance(net, CNN | KimCNN):
        return Windows(net, dtype)
    if isinstance(net, LSTM) and net.steps is None and len(net.levels) <= _LSTMS:
        return Onward(net, dtype)
    if isinstance(net, BiLSTM) and len(net.levels) == 1:
        return BothWays(net, dtype)
    return None
