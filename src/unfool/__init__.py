"""Find the texts that fool a text model, see why they fool it, and harden the model against them."""

from __future__ import annotations

import typing as _typing

if _typing.TYPE_CHECKING:
    from unfool import attacks, data, report, rules, runs, transfer, victims
    from unfool.attacks import find_attack
    from unfool.data import Dataset, from_texts
    from unfool.data import load as load_data
    from unfool.defences.evaluate import Evaluation, evaluate
    from unfool.defences.harden import Hardened, harden
    from unfool.errors import UserError
    from unfool.job import attack, attack_all, augment, perturb
    from unfool.options import Budget, Options, Reading
    from unfool.rules import mine_rules
    from unfool.runs import Run, Runs
    from unfool.transfer import study as transfer_study
    from unfool.victims import open_victim

__version__ = "0.1.0"

_HOMES = {
    "Budget": "unfool.options",
    "Dataset": "unfool.data",
    "Evaluation": "unfool.defences.evaluate",
    "Hardened": "unfool.defences.harden",
    "Options": "unfool.options",
    "Reading": "unfool.options",
    "Run": "unfool.runs",
    "Runs": "unfool.runs",
    "UserError": "unfool.errors",
    "attack": "unfool.job",
    "attack_all": "unfool.job",
    "augment": "unfool.job",
    "evaluate": "unfool.defences.evaluate",
    "find_attack": "unfool.attacks",
    "from_texts": "unfool.data",
    "harden": "unfool.defences.harden",
    "load_data": "unfool.data:load",
    "mine_rules": "unfool.rules",
    "open_victim": "unfool.victims",
    "perturb": "unfool.job",
    "transfer_study": "unfool.transfer:study",  # `unfool.transfer` is the room itself
}
"""The modules of the public functions and classes; the other public names are modules themselves."""

__all__ = [
    "Budget",
    "Dataset",
    "Evaluation",
    "Hardened",
    "Options",
    "Reading",
    "Run",
    "Runs",
    "UserError",
    "__version__",
    "attack",
    "attack_all",
    "attacks",
    "augment",
    "data",
    "evaluate",
    "find_attack",
    "from_texts",
    "harden",
    "load_data",
    "mine_rules",
    "open_victim",
    "perturb",
    "report",
    "rules",
    "runs",
    "transfer",
    "transfer_study",
    "victims",
]


def __getattr__(name: str) -> _typing.Any:
    """Import what is used only then, so that ``import unfool`` stays light."""
    if name.startswith("_") or name not in __all__:
        raise AttributeError(f"module 'unfool' has no attribute {name!r}")
    from importlib import import_module

    if name not in _HOMES:
        return import_module(f"unfool.{name}")
    module, _, attribute = _HOMES[name].partition(":")
    return getattr(import_module(module), attribute or name)


def __dir__() -> list[str]:
    """Offer the public names alone."""
    return __all__
