"""Find the texts that fool a text model, see why they fool it, and harden the model against them."""

from __future__ import annotations

import typing as _typing

if _typing.TYPE_CHECKING:
    from unfool import data, report, transfer, victims
    from unfool.defences.evaluate import evaluate
    from unfool.defences.harden import harden
    from unfool.job import attack

__all__ = ["__version__", "attack", "data", "evaluate", "harden", "report", "transfer", "victims"]
__version__ = "0.1.0"

_HOMES = {
    "attack": "unfool.job",
    "evaluate": "unfool.defences.evaluate",
    "harden": "unfool.defences.harden",
}
"""The modules that hold the public functions; the other public names are modules themselves."""


def __getattr__(name: str) -> _typing.Any:
    """Import what is used only then, so that ``import unfool`` stays light."""
    if name.startswith("_") or name not in __all__:
        raise AttributeError(f"module 'unfool' has no attribute {name!r}")
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    return import_module(f"unfool.{name}")


def __dir__() -> list[str]:
    """Offer the public names alone."""
    return __all__
