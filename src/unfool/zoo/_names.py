"""The zoo's models by name: trained on first use, then kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sized
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, unquote

from unfool.data import drawn
from unfool.devices import torch_device
from unfool.errors import UserError
from unfool.resources import build_once, cache_root
from unfool.training import have_changed, seeded
from unfool.zoo import _store
from unfool.zoo._catalogue import CATALOGUE, EncoderRecipe, NetRecipe, entry, stand_in
from unfool.zoo._embeddings import first_front
from unfool.zoo._shelf import Shelf
from unfool.zoo._training import train_encoded
from unfool.zoo.nets import make_net

if TYPE_CHECKING:
    from unfool.engine import Predictor

PREFIX = "zoo:"
_NAME = re.compile(r"(?P<model>[^@]+)@(?P<data>.+?)(?:#(?P<seed>\d{1,9}))?")
_ALL_63 = "zoo63"
_FEWEST_EPOCHS, _FEWEST_EPOCHS_TUNED = 3, 2


class Named(NamedTuple):
    """A model of the zoo, the data it is trained on, and the seed that draws its first weights."""

    model: str
    data: str
    seed: int

    def __str__(self) -> str:
        return f"{PREFIX}{self.model}@{self.data}" + (f"#{self.seed}" if self.seed else "")

    @property
    def folder(self) -> Path:
        """Where it is kept; a file's name is not enough to tell its data from another's."""
        name = drawn(self.data).name
        path = Path(name).expanduser()
        data = str(path.resolve()) + self.data.removeprefix(name) if path.exists() else self.data
        return cache_root() / "zoo" / f"{self.model}@{quote(data, safe='')}#{self.seed}"

    @property
    def told(self) -> dict[str, Any] | None:
        """What training came to, with the test accuracy; None where it is not trained yet."""
        for file, key in (("training.json", None), ("config.json", "training")):
            if (self.folder / file).is_file():
                try:
                    written = json.loads((self.folder / file).read_text(encoding="utf-8"))
                    found: dict[str, Any] = dict(written[key] if key else written)
                except (ValueError, KeyError, TypeError, RecursionError) as problem:
                    raise UserError(
                        f"{self.folder / file} does not tell how {self} was trained; delete its folder"
                    ) from problem
                return found
        return None


def names() -> tuple[str, ...]:
    """Return the names of the zoo's models; ``@`` and a data set behind one make it a victim's name."""
    return tuple(CATALOGUE)


def trained() -> list[Named]:
    """Return the models that are in the cache, trained."""
    folders = (cache_root() / "zoo").glob("*@*#*")
    found = [_NAME.fullmatch(unquote(folder.name)) for folder in folders if folder.is_dir()]
    return [
        Named(m["model"], m["data"], int(m["seed"])) for m in found if m and m["model"] in CATALOGUE and m["seed"]
    ]


def parse(name: str) -> Named:
    """Read ``MODEL@DATA`` or ``MODEL@DATA#SEED``, with or without ``zoo:``.

    Raises:
        UserError: If there is no such model, or no data set is named.
    """
    bare = name.removeprefix(PREFIX)
    match = _NAME.fullmatch(bare)
    model = entry(match["model"] if match else bare).name
    if not match:
        raise UserError(f"{model!r} needs data to be trained on; name it, such as {PREFIX}{model}@rotten_tomatoes")
    return Named(model, match["data"], int(match["seed"] or 0))


def expand(name: str) -> list[Named]:
    """Read a name that may stand for several: ``zoo63@DATA`` for the 63, ``LSTM-*@DATA`` by pattern.

    Raises:
        UserError: If nothing has such a name.
    """
    from fnmatch import fnmatchcase

    bare = name.removeprefix(PREFIX)
    model, at, rest = bare.partition("@")
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
    """Read several such names; with twins, each model comes with seeds 0 and 1.

    Raises:
        UserError: If nothing has one of these names.
    """
    chosen = [named for name in names for named in expand(name)]
    return [named._replace(seed=seed) for named in chosen for seed in (0, 1)] if twins else chosen


def victim(name: str, *, device: str = "auto", dtype: str = "fp32", progress: bool = True) -> Predictor:
    """Return a model of the zoo, training it on first use and keeping it in the user's cache.

    Args:
        name: ``zoo:MODEL@DATA``, ``zoo:MODEL@DATA#SEED`` (0 if none is named), or ``zoo:`` and a folder that
            `save` made; ``zoo:`` may be left out.
        device: ``cpu``, ``cuda`` or ``auto``.
        dtype: ``fp32``, or ``bf16`` for the search.
        progress: Whether to show a bar while it is trained.

    Raises:
        UserError: If the name or its data set is unknown.
    """
    bare = name.removeprefix(PREFIX)
    if Path(bare).expanduser().is_dir():
        return _store.load(bare, device=device, dtype=dtype)
    named = parse(bare)
    ensure(named, device=device, progress=progress)
    recipe = entry(named.model).recipe
    if isinstance(recipe, NetRecipe):
        return _store.load(named.folder, device=device, dtype=dtype, name=str(named))
    if isinstance(recipe, EncoderRecipe):
        from unfool.victims import Transformer

        return Transformer(str(named.folder), device=device, dtype=dtype, name=str(named))
    from unfool.zoo import classical

    return classical.load(named.folder, str(named))


def ensure(named: Named, *, device: str = "auto", progress: bool = True, shelf: Shelf | None = None) -> Path:
    """Train a model if that has not been done, and return its folder.

    Args:
        named: The model.
        device: ``cpu``, ``cuda`` or ``auto``.
        progress: Whether to show a bar.
        shelf: What other models trained on the same data have left for this one.

    Raises:
        UserError: If it cannot be trained, or its data have changed since it was.
    """
    trained_on = (named.told or {}).get("fingerprint")
    if trained_on and have_changed(named.data, trained_on):
        raise UserError(
            f"{named} was trained before {named.data} changed; delete {named.folder} to train it anew, "
            "or restore the data"
        )
    recipe = entry(named.model).recipe
    read = shelf or Shelf()

    def build(folder: Path) -> None:
        if isinstance(recipe, NetRecipe):
            train_net(recipe, named, folder, device, progress, read)
        elif isinstance(recipe, EncoderRecipe):
            _fine_tune(recipe, named, folder, device, progress, read)
        else:
            from unfool.zoo import classical

            classical.train(named.model, read.splits(named.data), folder, data=named.data, seed=named.seed)

    return build_once(named.folder, build)


def train_net(recipe: NetRecipe, named: Named, folder: Path, device: str, progress: bool, shelf: Shelf) -> None:
    """Train a net and write it into an empty folder."""
    place = torch_device(device)
    splits = shelf.splits(named.data)
    lessons = shelf.lessons(named.data, recipe, place)
    encoder = lessons.encoder
    front = first_front(recipe, encoder, named.seed, progress=progress)
    sizes = {**recipe.sizes, **({"pair": True} if splits.pairs and recipe.net == "LSTMAttention" else {})}
    with seeded(named.seed):
        net = make_net(recipe.net, front, len(splits.labels), **sizes)
    if splits.pairs != net.reads_pairs:
        raise UserError(
            f"{named.model} reads one text, but {named.data} has pairs; LSTM-Attention and BERT read them"
        )
    epochs = _epochs(recipe, lessons.train, _FEWEST_EPOCHS)
    falling = recipe.falling and epochs < recipe.epochs
    fitted, test = train_encoded(
        net,
        lessons.train,
        lessons.validation,
        lessons.test,
        place,
        seed=named.seed,
        epochs=epochs,
        patience=epochs if falling else recipe.patience,
        lr=recipe.lr,
        falling=falling,
        progress=progress,
        read=shelf.read_once(lessons, front, place),
    )
    told = {
        "data": named.data,
        "fingerprint": splits.fingerprint,
        "seed": named.seed,
        "epoch": fitted.epoch,
        "seconds": round(fitted.seconds, 1),
        "validation": fitted.validation._asdict(),
        **({"test": test._asdict()} if test else {}),
        "stand-in": stand_in(named.model),
    }
    _store.write(folder, net, encoder, splits.labels, told, recipe)


def _fine_tune(
    recipe: EncoderRecipe, named: Named, folder: Path, device: str, progress: bool, shelf: Shelf
) -> None:
    from unfool.training import finetune_into
    from unfool.zoo import pretrained
    from unfool.zoo.pretrained import bert_nopt

    source = bert_nopt.folder(named.seed) if recipe.encoder == "bert-nopt" else pretrained.folder(recipe.encoder)
    splits = shelf.splits(named.data)
    finetune_into(
        folder,
        source,
        splits,
        torch_device(device),
        progress,
        data_name=named.data,
        epochs=_epochs(recipe, splits.train, _FEWEST_EPOCHS_TUNED),
        lr=recipe.lr,
        seed=named.seed,
    )


def _epochs(recipe: NetRecipe | EncoderRecipe, texts: Sized, fewest: int) -> int:
    return min(recipe.epochs, max(fewest, recipe.most_texts // max(1, len(texts))))
