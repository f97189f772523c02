"""The net inside a victim, where there is one."""

from __future__ import annotations

from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.victims import WhiteBoxVictim


def net_of(victim: Predictor) -> WhiteBoxVictim:
    """Return a victim that is a net, or the net a defence stands around.

    Raises:
        UserError: It has none to look into.
    """
    net = getattr(victim, "net", victim)
    if not isinstance(net, WhiteBoxVictim):
        raise UserError(
            f"{victim!r} gives no gradients, and these tell which words are important; "
            "use a neural victim (hf:… or zoo:…)"
        )
    return net
