"""The kinds of net by name. A net is one file and one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unfool.errors import UserError, did_you_mean

if TYPE_CHECKING:
    from torch import Tensor

    from unfool.zoo._net import Net


def make_net(kind: str, vectors: Tensor, classes: int, **sizes: Any) -> Net:
    """Make a net with fresh weights behind its word vectors.

    Args:
        kind: The name of its class.
        vectors: The first word vectors, [vocabulary, dimensions]; the net takes them over.
        classes: How many labels there are.
        sizes: What else its class takes.

    Raises:
        UserError: If there is no such kind, or PyTorch is not installed.
    """
    try:
        from unfool.zoo._bilstm import BiLSTM
        from unfool.zoo._cnn import CNN
    except ImportError:
        raise UserError("the zoo's nets need PyTorch: pip install 'unfool[torch]'") from None
    kinds: dict[str, type[Any]] = {"BiLSTM": BiLSTM, "CNN": CNN}
    if kind not in kinds:
        raise UserError(f"there is no net {kind!r} in the zoo{did_you_mean(kind, kinds)}")
    net: Net = kinds[kind](vectors, classes, **sizes)
    return net
