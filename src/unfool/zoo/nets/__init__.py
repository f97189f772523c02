"""The kinds of net by name; a new one is a class in a file here, and a line below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unfool.errors import UserError, did_you_mean, not_installed

if TYPE_CHECKING:
    from unfool.zoo.fronts import Front
    from unfool.zoo.nets.net import Net


def make_net(kind: str, front: Front, classes: int, **sizes: Any) -> Net:
    """Make a net with fresh weights behind a front, which it takes over; ``sizes`` is what else its class takes."""
    try:
        from unfool.zoo.nets.cnn import CNN, KimCNN
        from unfool.zoo.nets.recurrent import LSTM, BiLSTM, LSTMAttention
    except ImportError:
        raise not_installed("the zoo's nets need PyTorch", "torch") from None
    kinds: dict[str, type[Any]] = {net.__name__: net for net in (BiLSTM, CNN, KimCNN, LSTM, LSTMAttention)}
    if kind not in kinds:
        raise UserError(f"there is no net {kind!r} in the zoo{did_you_mean(kind, kinds)}")
    net: Net = kinds[kind](front, classes, **sizes)
    return net
