"""The kinds of net by name; a new one is a class in a file here, and a line below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unfool.errors import UserError, did_you_mean, not_installed

if TYPE_CHECKING:
    from unfool.zoo.fronts import Front
    from unfool.zoo.nets.net import Net


def make_net(kind: str, front: Front, classes: int, **sizes: Any) -> Net:
    """Make a net with fresh weights behind its front.

    Args:
        kind: The name of its class.
        front: From tokens to the vectors the net reads; the net takes it over.
        classes: How many labels there are.
        sizes: What else its class takes.

    Raises:
        UserError: If there is no such kind, or PyTorch is not installed.
    """
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
