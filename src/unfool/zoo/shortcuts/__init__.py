"""Exact shortcuts for small nets on a CPU: of a changed text, only what the change can reach is worked out."""

from __future__ import annotations

from unfool.victims.tokens import Shortcut
from unfool.zoo.fronts.front import Vectors
from unfool.zoo.nets.cnn import CNN, KimCNN
from unfool.zoo.nets.net import Net
from unfool.zoo.nets.recurrent import LSTM, BiLSTM
from unfool.zoo.shortcuts._states import BothWays, Onward
from unfool.zoo.shortcuts._windows import Windows

__all__ = ["shortcut"]


def shortcut(net: Net) -> Shortcut | None:
    """Return the net's shortcut; None where there is nothing to gain.

    There is none where a changed word changes all that the layers read or say: behind a front that reads words in
    their context, in a second layer that reads both ways, and where a net reads padding behind the text.
    """
    if not isinstance(net.front, Vectors):
        return None
    if isinstance(net, CNN | KimCNN):
        return Windows(net)
    if isinstance(net, LSTM) and net.steps is None:
        return Onward(net)
    if isinstance(net, BiLSTM) and len(net.levels) == 1:
        return BothWays(net)
    return None
