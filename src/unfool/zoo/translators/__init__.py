"""Translators by name, trained on first use: ``zoo:NMT-Transformer@multi30k``."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, unquote

from unfool.data import ANSWERS, Absent, has_splits, load
from unfool.devices import torch_device
from unfool.errors import UserError, did_you_mean
from unfool.generation import Generator, generator_kind
from unfool.options import Options
from unfool.resources import build_once, cache_root
from unfool.zoo.translators.recipes import Recipe

if TYPE_CHECKING:
    from unfool.zoo.translators.opened import Translator
    from unfool.zoo.translators.train import Pairs

PREFIX = "zoo:"
WHAT = MappingProxyType(
    {
        "NMT-LSTM": "translator: LSTM with attention, two layers of 512 units",
        "NMT-Transformer": "translator: Transformer, 6 + 6 layers of 512 units",
        "NMT-LSTM-small": "translator: LSTM with attention of 256 units, for two CPU cores",
        "NMT-Transformer-small": "translator: Transformer, 3 + 3 layers of 256 units, for two CPU cores",
    }
)
"""What each translator is, in a line."""
_SMALL = Recipe("", {}, pieces=5_000, epochs=12, minutes=27.0)
TRANSLATORS = MappingProxyType(
    {
        "NMT-LSTM": Recipe("lstm", {"units": 512, "layers": 2, "dropout": 0.3}, lr=2e-3, warm_up=300),
        "NMT-Transformer": Recipe(
            "transformer", {"units": 512, "layers": 6, "dropout": 0.3}, pieces=6_000, lr=5e-4
        ),
        "NMT-LSTM-small": _SMALL._replace(
            net="lstm", sizes={"units": 256, "layers": 2, "dropout": 0.2}, batch=1024, lr=3e-3, warm_up=300
        ),
        "NMT-Transformer-small": _SMALL._replace(net="transformer", sizes={"units": 256, "layers": 3}, lr=1.5e-3),
    }
)
"""The two translators of Hsieh et al. (2019), and two that two CPU cores train in half an hour."""
_NAME = re.compile(
    r"(?:zoo:)?(?P<model>[^@]+)@(?P<data>.+?)(?::(?P<source>\w+)-(?P<target>\w+))?(?:#(?P<seed>\d{1,9}))?"
)
_FOLDER = re.compile(
    r"(?P<model>[^@]+)@(?P<data>[^-]+(?:-[^-]+)*)-(?P<source>\w+)-(?P<target>\w+)#(?P<seed>\d{1,9})"
)
_PIECES, _WEIGHTS, _TOLD = "pieces.json", "model.safetensors", "training.json"


class Named(NamedTuple):
    """A translator, the pairs it learns from, the direction, and the seed that draws its first weights."""

    model: str
    data: str
    source: str = "en"
    target: str = "de"
    seed: int = 0

    def __str__(self) -> str:
        direction = "" if (self.source, self.target) == ("en", "de") else f":{self.source}-{self.target}"
        return f"{PREFIX}{self.model}@{self.data}{direction}" + (f"#{self.seed}" if self.seed else "")

    @property
    def folder(self) -> Path:
        """The folder that keeps the trained model."""
        path = Path(self.data).expanduser()
        data = str(path.resolve()) if path.exists() else self.data
        direction = f"{self.source}-{self.target}"
        return cache_root() / "zoo" / f"{self.model}@{quote(data, safe='')}-{direction}#{self.seed}"


def is_translator(name: str) -> bool:
    """Whether a name is that of a translator of the zoo."""
    return name.removeprefix(PREFIX).startswith("NMT-")


def parse(name: str) -> Named:
    """Read ``zoo:MODEL@DATA``, ``zoo:MODEL@DATA:de-en`` or ``zoo:MODEL@DATA#SEED``.

    Raises:
        UserError: There is no such translator, or no pairs are named.
    """
    bare = name.removeprefix(PREFIX)
    match = _NAME.fullmatch(name)
    model = match["model"] if match else bare
    if model not in TRANSLATORS:
        raise UserError(f"there is no translator {model!r} in the zoo{did_you_mean(model, TRANSLATORS)}")
    if not match:
        raise UserError(f"{model!r} needs pairs to be trained on; name them, such as {PREFIX}{model}@multi30k")
    return Named(model, match["data"], match["source"] or "en", match["target"] or "de", int(match["seed"] or 0))


def translator(name: str, *, device: str = "auto", dtype: str = "fp32", progress: bool = True) -> Translator:
    """Return a translator of the zoo; it is trained on first use and kept in the user's cache.

    Args:
        name: As `parse` reads it.
        device: ``cpu``, ``cuda`` or ``auto``.
        dtype: ``fp32``, or ``bf16`` for the search.
        progress: Whether to show a bar while it is trained.
    """
    from unfool.zoo.translators.opened import load_translator

    named = parse(name)
    build_once(named.folder, lambda folder: _build(named, folder, device, progress))
    return load_translator(named.folder, str(named), device=device, dtype=dtype)


def training(named: Named) -> dict[str, Any]:
    """Return what is kept about the training of a translator; nothing if it is not trained.

    Its `bleu` is that on the validation pairs, of the epoch that was kept; `seconds` is how long it took.
    """
    file = named.folder / _TOLD
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def trained() -> list[Named]:
    """Return the translators that are trained, by name and data."""
    folders = [folder.name for folder in (cache_root() / "zoo").glob("NMT-*") if (folder / _TOLD).is_file()]
    found = [match for name in sorted(folders) if (match := _FOLDER.fullmatch(name))]
    named = [
        Named(each["model"], unquote(each["data"]), each["source"], each["target"], int(each["seed"]))
        for each in found
    ]
    return [each for each in named if each.model in TRANSLATORS]


@generator_kind("zoo:NMT-…@PAIRS")
def zoo(name: str, options: Options) -> Generator:
    """A translator of the zoo, trained on first use."""
    return translator(name, device=options.device, dtype=options.dtype)


def _build(named: Named, folder: Path, device: str, progress: bool) -> None:
    from safetensors.torch import save_file

    from unfool.zoo.translators.train import learn_pieces, train

    recipe = TRANSLATORS[named.model]
    learnt, validation = load_pairs(named, "train"), load_pairs(named, "validation")
    if not validation.sources:
        learnt, validation = learnt.held_out()
    pieces = learn_pieces([*learnt.sources, *learnt.references], recipe.pieces)
    half_way = named.folder.with_name(f"{named.folder.name}.checkpoint")
    half_way.parent.mkdir(parents=True, exist_ok=True)
    place = torch_device(device)
    net, told = train(
        recipe,
        pieces,
        learnt,
        validation,
        seed=named.seed,
        device=place,
        checkpoint=half_way,
        progress=progress,
    )
    pieces.save(str(folder / _PIECES))
    weights = {name: weight.contiguous().clone() for name, weight in net.state_dict().items()}
    save_file(weights, folder / _WEIGHTS)
    described: dict[str, Any] = {
        "net": recipe.net,
        "sizes": dict(recipe.sizes),
        "data": named.data,
        "pairs": len(learnt.sources),
        "device": place.type,
    }
    (folder / _TOLD).write_text(json.dumps({**described, "seed": named.seed, **told._asdict()}), encoding="utf-8")
    half_way.unlink(missing_ok=True)


def load_pairs(named: Named, split: str) -> Pairs:
    """Return the pairs of a split; none if there is no such split.

    Raises:
        UserError: There are no such pairs at all.
    """
    from unfool.zoo.translators.train import Pairs

    whole = not has_splits(named.data)
    if whole and split != "train":
        return Pairs([], [])
    try:
        found = load(
            named.data,
            split=None if whole else split,
            text=named.source,
            pair=named.target,
            label=ANSWERS,
            skip_bad=True,
        )
    except Absent:
        if split == "train":
            raise
        return Pairs([], [])
    return Pairs(found.column(0), found.column(1))
