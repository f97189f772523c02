"""Names of victims: ``zoo:MODEL@DATA#SEED``, patterns that stand for several, and short names for tables."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

from unfool.data import drawn
from unfool.errors import UserError
from unfool.resources import cache_root
from unfool.training import TrainingReport
from unfool.zoo import translators
from unfool.zoo._catalogue import CATALOGUE, entry
from unfool.zoo.translators import is_translator

PREFIX = "zoo:"
_ALL_63 = "zoo63"
_NAME = re.compile(r"(?P<model>[^@]+)@(?P<data>.+?)(?:#(?P<seed>\d{1,9}))?")
_DEFENCE = re.compile(r"(fuse|five)(\[[^]]*])?:")
_ENSEMBLE = re.compile(r"ensemble(-logits)?:")
_ENDPOINT = ("http://", "https://")
_LONGEST = 28


class Named(NamedTuple):
    """A model of the zoo, the data it is trained on, and the seed that draws its first weights."""

    model: str
    data: str
    seed: int

    def __str__(self) -> str:
        return f"{PREFIX}{self.model}@{self.data}" + (f"#{self.seed}" if self.seed else "")

    @property
    def folder(self) -> Path:
        """The folder that keeps the trained model; for data in a file it names the whole path."""
        name = drawn(self.data).name
        path = Path(name).expanduser()
        data = str(path.resolve()) + self.data.removeprefix(name) if path.exists() else self.data
        return models_home() / f"{self.model}@{quote(data, safe='')}#{self.seed}"

    @property
    def report(self) -> TrainingReport | None:
        """The report of the training, or None if the model is not trained yet."""
        try:
            return TrainingReport.read(self.folder)
        except (ValueError, KeyError, TypeError, RecursionError) as problem:
            raise UserError(
                f"{self.folder} does not tell how {self} was trained; delete it to train the model again"
            ) from problem


def models_home() -> Path:
    """Return the folder of all trained models of this machine."""
    return cache_root() / "zoo"


def model_folders(victim: str) -> list[Path]:
    """Return where the models of the zoo lie, trained or not, that a victim's name speaks of."""
    if defence := _DEFENCE.match(victim):
        return model_folders(victim[defence.end() :])
    if ensemble := _ENSEMBLE.match(victim):
        return [folder for member in victim[ensemble.end() :].split("+") for folder in model_folders(member)]
    if is_translator(victim):
        return [translators.parse(victim).folder]
    return [parse(victim).folder] if _is_trained_by_name(victim) else []


def trained() -> list[Named]:
    """Return the trained models in the cache."""
    folders = models_home().glob("*@*#*")
    found = [_NAME.fullmatch(unquote(folder.name)) for folder in folders if folder.is_dir()]
    return [
        Named(m["model"], m["data"], int(m["seed"])) for m in found if m and m["model"] in CATALOGUE and m["seed"]
    ]


def parse(name: str) -> Named:
    """Read ``MODEL@DATA`` or ``MODEL@DATA#SEED``, with or without ``zoo:``."""
    bare = name.removeprefix(PREFIX)
    match = _NAME.fullmatch(bare)
    model = entry(match["model"] if match else bare).name
    if not match:
        raise UserError(f"{model!r} needs data to be trained on; name it, such as {PREFIX}{model}@rotten_tomatoes")
    return Named(model, match["data"], int(match["seed"] or 0))


def expand(name: str) -> list[Named]:
    """Read a name that may stand for several models: ``zoo63@DATA`` for the 63, ``LSTM-*@DATA`` by pattern."""
    model, at, rest = name.removeprefix(PREFIX).partition("@")
    if model == _ALL_63:
        chosen = [found.name for found in CATALOGUE.values() if found.number]
    elif set("*?[") & set(model):
        chosen = [found for found in CATALOGUE if fnmatchcase(found, model)]
        if not chosen:
            raise UserError(f"no model of the zoo is named like {model!r}; `unfool list zoo` names them all")
    else:
        chosen = [model]
    return [parse(f"{one}{at}{rest}") for one in chosen]


def expand_all(names: Iterable[str], *, twins: bool = False) -> list[Named]:
    """Read several such names; with ``twins`` each model comes with seeds 0 and 1."""
    chosen = [named for name in names for named in expand(name)]
    return [named._replace(seed=seed) for named in chosen for seed in (0, 1)] if twins else chosen


def spell_out(names: Iterable[str]) -> list[str]:
    """Return the victims that names of any kind, and patterns of the zoo, stand for, each once, in order."""
    found: list[str] = []
    for name in names:
        found += map(str, expand(name)) if _is_trained_by_name(name) and not is_translator(name) else [name]
    return list(dict.fromkeys(found))


def twin_of(name: str) -> str:
    """Return the name of the model trained like this one from the next seed."""
    if is_translator(name):
        translator = translators.parse(name)
        return str(translator._replace(seed=translator.seed + 1))
    if not _is_trained_by_name(name):
        raise UserError(f"{name!r} has no twin: only models of the zoo (zoo:NAME@DATA) do; leave --twins out")
    named = parse(name)
    return str(named._replace(seed=named.seed + 1))


def short_name(name: str) -> str:
    """Return a name short enough for tables and pictures."""
    if defence := _DEFENCE.match(name):
        return defence[0] + short_name(name[defence.end() :])
    if ensemble := _ENSEMBLE.match(name):
        return "+".join(map(short_name, name[ensemble.end() :].split("+")))
    if _is_trained_by_name(name):
        return name.removeprefix(PREFIX).partition("@")[0]
    if name.startswith(_ENDPOINT):
        name = name.partition("#")[0]
    return name if len(name) <= _LONGEST else "…" + name[1 - _LONGEST :]


def slow_first(names: Iterable[str]) -> list[str]:
    """Order victims by how long they take: the last to be started decides when all are done."""
    return sorted(names, key=_quickness)


def _quickness(name: str) -> tuple[bool, bool, int]:
    """Sort unknown victims and transformers first, then nets of characters, then by depth."""
    depth = re.search(r"-(\d)@", name)
    if not depth or not name.startswith(PREFIX):
        return False, False, 0
    return True, not ("ELMo" in name or "-C-" in name), -int(depth[1])


def _is_trained_by_name(name: str) -> bool:
    in_zoo = name.startswith(PREFIX) and "@" in name and not Path(name.removeprefix(PREFIX)).expanduser().is_dir()
    return in_zoo or name.removeprefix(PREFIX).startswith(f"{_ALL_63}@")
