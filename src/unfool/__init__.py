"""Find the texts that fool a text model, see why they fool it, and harden the model against them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unfool._api import attack

__all__ = ["__version__", "attack"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import the main function only when it is used, so that ``import unfool`` stays light."""
    if name == "attack":
        from unfool._api import attack

        return attack
    raise AttributeError(f"module 'unfool' has no attribute {name!r}")
