"""The defences' door for the registry of victims."""

from __future__ import annotations

from typing import Any

from unfool.defences.five import Five, FiveSettings
from unfool.defences.fuse import Fuse, FuseSettings
from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.settings import read_settings, split_settings
from unfool.victims import Options
from unfool.victims import open_victim as open_inner

_KINDS: dict[str, tuple[Any, Any]] = {"fuse": (Fuse, FuseSettings), "five": (Five, FiveSettings)}


def open_victim(name: str, options: Options) -> Predictor:
    """Open ``five:VICTIM``, or with settings ``five[std=0.25,samples=10]:VICTIM``; the same with ``fuse``."""
    head, _, inner = name.partition(":")
    kind, bracket, tail = head.partition("[")
    if bracket and not tail.endswith("]"):
        raise UserError(
            f"cannot read {head!r} in {name!r}; settings are written {kind}[key=value,key=value]:VICTIM"
        )
    if not inner:
        raise UserError(f"{name!r} names no victim to defend; write {kind}:VICTIM")
    defend, settings = _KINDS[kind]
    given = read_settings(f"the defence {kind!r}", settings, split_settings(tail.removesuffix("]"), name))
    chosen = settings(**given)
    victim: Predictor = defend(open_inner(inner, options), chosen)
    return victim
