"""Names of victims: patterns spelt out, twins, short names, and which victims take longest."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from unfool.errors import UserError
from unfool.zoo._names import expand, parse

_ZOO, _ALL_63 = "zoo:", "zoo63@"
_LONGEST = 28
_DEFENCE = re.compile(r"(fuse|five)(\[[^]]*])?:")
_ENSEMBLE = re.compile(r"ensemble(-logits)?:")
_ENDPOINT = ("http://", "https://")


def spell_out(names: Iterable[str]) -> list[str]:
    """Return the victims that names and patterns stand for, each once, in order.

    Args:
        names: Names of victims; ``zoo63@DATA`` and patterns such as ``zoo:LSTM-*@DATA`` stand for several.
    """
    found: list[str] = []
    for name in names:
        found += [str(named) for named in expand(name)] if _is_trained_by_name(name) else [name]
    return list(dict.fromkeys(found))


def twin_of(name: str) -> str:
    """Return the name of the model trained like this one from the next seed.

    Raises:
        UserError: If it is no model of the zoo; only those have twins that a name makes.
    """
    if not _is_trained_by_name(name):
        raise UserError(f"{name!r} has no twin: only models of the zoo (zoo:NAME@DATA) do; leave --twins out")
    named = parse(name)
    return str(named._replace(seed=named.seed + 1))


def _is_trained_by_name(name: str) -> bool:
    in_zoo = name.startswith(_ZOO) and "@" in name and not Path(name.removeprefix(_ZOO)).expanduser().is_dir()
    return in_zoo or name.startswith((_ALL_63, f"{_ZOO}{_ALL_63}"))


def short_name(name: str) -> str:
    """Return what tells a victim from the others of a study, for tables and pictures."""
    if defence := _DEFENCE.match(name):
        return defence[0] + short_name(name[defence.end() :])
    if ensemble := _ENSEMBLE.match(name):
        return "+".join(map(short_name, name[ensemble.end() :].split("+")))
    if _is_trained_by_name(name):
        return name.removeprefix(_ZOO).partition("@")[0]
    if name.startswith(_ENDPOINT):
        name = name.partition("#")[0]
    return name if len(name) <= _LONGEST else "…" + name[1 - _LONGEST :]


def slow_first(names: Iterable[str]) -> list[str]:
    """Order victims by how long they take: the last to be started decides when all are done."""
    return sorted(names, key=_quickness)


def _quickness(name: str) -> tuple[bool, bool, int]:
    """Sort unknown victims and transformers first, then nets of characters, then by depth."""
    depth = re.search(r"-(\d)@", name)
    if not depth or not name.startswith(_ZOO):
        return False, False, 0
    return True, not ("ELMo" in name or "-C-" in name), -int(depth[1])
