"""Attacks as forms: what a visitor may set, made from the registry, and read again."""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Mapping
from typing import Any, Literal

from unfool.attacks import ATTACKS, Attack
from unfool.errors import UserError
from unfool.settings import as_text

LONGEST_SETTING = 40
_MOST = 10_000
"""The largest number a visitor may give."""
_KINDS = {bool: "switch", int: "whole", float: "number"}


def attack_forms() -> list[dict[str, Any]]:
    """Return a form for each attack: its name, what it does, and a field for each setting a visitor may choose."""
    return [
        {"name": name, "what": attack.summary, "needs": attack.needs, "fields": _fields(attack)}
        for name, attack in ATTACKS.all().items()
    ]


def read_attack(name: str, given: Mapping[str, str]) -> Attack:
    """Return an attack with the settings a visitor gives.

    Raises:
        UserError: There is no such attack, or it does not take that; files and functions count as no attack.
    """
    # `ATTACKS.find` would import what a name such as py:module:function leads to.
    if name not in ATTACKS.names():
        raise UserError("there is no such attack; choose one of the list")
    attack = ATTACKS.find(name)
    allowed = {field["name"] for field in _fields(attack)}
    for key in given:
        if key not in allowed:
            raise UserError(f"the attack {name!r} has no setting {key!r:.60} that may be chosen here")
    chosen = attack.with_settings(**given)
    for key, value in chosen.settings.items():
        if isinstance(value, (int, float)) and not (math.isfinite(value) and abs(value) <= _MOST):
            raise UserError(f"the attack {name!r} cannot take {key}={value:g} here; give at most {_MOST:,}")
    return chosen


def _fields(attack: Attack) -> list[dict[str, Any]]:
    """Return what can be chosen. Words are left out: some of them name files and models."""
    hints = typing.get_type_hints(attack.function)
    fields = []
    for name, default in attack.defaults().items():
        hint, optional = _without_none(hints[name])
        if typing.get_origin(hint) is Literal:
            told: dict[str, Any] = {"kind": "choice", "choices": [*map(str, typing.get_args(hint))]}
        elif hint in _KINDS:
            told = {"kind": _KINDS[hint]}
        else:
            continue
        fields.append({"name": name, "default": as_text(default), "optional": optional, **told})
    return fields


def _without_none(hint: Any) -> tuple[Any, bool]:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        kinds = [kind for kind in typing.get_args(hint) if kind is not type(None)]
        return (kinds[0] if len(kinds) == 1 else object), True
    return hint, False
