"""Find the texts that fool a text model, see why they fool it, and harden the model against them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unfool import report, transfer
    from unfool._api import attack
    from unfool.defences.evaluate import evaluate
    from unfool.defences.harden import harden

__all__ = ["__version__", "attack", "evaluate", "harden", "report", "transfer"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import what is used only then, so that ``import unfool`` stays light."""
    if name == "attack":
        from unfool._api import attack

        return attack
    if name in ("evaluate", "harden"):
        import importlib

        return getattr(importlib.import_module(f"unfool.defences.{name}"), name)
    if name in ("report", "transfer"):
        import importlib

        return importlib.import_module(f"unfool.{name}")
    raise AttributeError(f"module 'unfool' has no attribute {name!r}")
