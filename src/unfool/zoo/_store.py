"""A trained net as a folder: what was learnt, how it reads texts, and a description of both.

Frozen word vectors and a frozen ELMo are not stored again with each net: they are made again when it is opened,
and known by their fingerprint.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unfool.errors import UserError
from unfool.resources import build_once
from unfool.training import seeded
from unfool.victims import fingerprint
from unfool.zoo._catalogue import NetRecipe
from unfool.zoo._first_weights import digest, first_front
from unfool.zoo._victim import NetVictim, victim_kind
from unfool.zoo.encoders import NetEncoder, encoder_from_json
from unfool.zoo.nets import make_net
from unfool.zoo.packed_weights import shapes

if TYPE_CHECKING:
    from unfool.zoo.nets.net import Net

_MOST_LAYERS, _MOST_TOKENS, _MOST_WORDS = 64, 1_000_000, 200_000
_WEIGHTS, _VOCABULARY, _CONFIG = "model.safetensors", "vocabulary.json", "config.json"


def save(
    folder: Path | str,
    net: Net,
    encoder: NetEncoder,
    labels: tuple[str, ...],
    training: Mapping[str, Any],
    recipe: NetRecipe | None = None,
) -> None:
    """Save a trained net into a new folder, all at once or not at all.

    Args:
        folder: A folder that is not there yet.
        net: The net.
        encoder: How it reads texts.
        labels: Label names, one a class.
        training: What is to be told of its training: data, seed, accuracies.
        recipe: How its front is made again; where None, the front is stored whole.

    Raises:
        UserError: If the folder is there already, or cannot be written.
    """
    place = Path(folder).expanduser()
    if place.exists():
        raise UserError(f"{place} is there already; choose a new folder for the net")
    build_once(place, lambda part: write(part, net, encoder, labels, training, recipe))


def write(
    folder: Path,
    net: Net,
    encoder: NetEncoder,
    labels: tuple[str, ...],
    training: Mapping[str, Any],
    recipe: NetRecipe | None,
) -> None:
    """Write the files of a trained net into an empty folder."""
    from safetensors.torch import save_file

    described = {
        "net": type(net).__name__,
        "sizes": net.sizes,
        "front": {"kind": type(net.front).__name__, "sizes": net.front.sizes},
        "recipe": _plain(recipe),
        "frozen": digest(net.front),
        "labels": labels,
        "training": training,
    }
    left_out = _made_again(net, recipe)
    weights = {name: weight.contiguous() for name, weight in net.state_dict().items() if name not in left_out}
    save_file(weights, folder / _WEIGHTS)
    (folder / _VOCABULARY).write_text(json.dumps(encoder.to_json()), encoding="utf-8")
    (folder / _CONFIG).write_text(json.dumps(described, indent=2) + "\n", encoding="utf-8")


def load(folder: Path | str, *, device: str = "auto", dtype: str = "fp32", name: str | None = None) -> NetVictim:
    """Load a trained net as a victim.

    Args:
        folder: What `save` made.
        device: ``cpu``, ``cuda`` or ``auto``.
        dtype: ``fp32``, or ``bf16`` for the search.
        name: The name the victim goes by; ``zoo:`` and the folder if None.

    Raises:
        UserError: If the folder does not hold a whole net, or its word vectors are not what they were.
    """
    place = Path(folder).expanduser()
    for file in (_CONFIG, _VOCABULARY, _WEIGHTS):
        if not (place / file).is_file():
            raise UserError(f"{place} is not a complete zoo net: {file} is missing; give a folder zoo.save made")
    try:
        check(place)
        described = json.loads((place / _CONFIG).read_text(encoding="utf-8"))
        encoder = encoder_from_json(json.loads((place / _VOCABULARY).read_text(encoding="utf-8")))
        labels = tuple(described["labels"])
        net = _net(place / _WEIGHTS, described, encoder, len(labels))
    except UserError:
        raise
    except Exception as error:  # whatever a description that is no description leads to
        told = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise UserError(f"the zoo net in {place} is damaged ({told}); save or train it again") from error
    kind = victim_kind(net, encoder)
    victim = kind(net, encoder, labels, name=name or f"zoo:{place}", device=device, dtype=dtype)
    victim.fingerprint = fingerprint(place)
    return victim


def check(folder: Path) -> None:
    """Refuse a folder from which no net could be made, before anything of the sizes it tells is made.

    Raises:
        Exception: What is wrong with it; of any kind, as the files may hold anything.
    """
    described = json.loads((folder / _CONFIG).read_text(encoding="utf-8"))
    encoder = encoder_from_json(json.loads((folder / _VOCABULARY).read_text(encoding="utf-8")))
    labels = described["labels"]
    if not isinstance(labels, list) or len(labels) < 2 or not all(isinstance(label, str) for label in labels):
        raise ValueError("its labels are no names")
    _check_sizes(folder / _WEIGHTS, described, encoder, len(labels))


def _check_sizes(weights: Path, described: dict[str, Any], encoder: NetEncoder, classes: int) -> None:
    import torch

    from unfool.zoo.fronts import make_front

    recipe = _recipe(described)
    for sizes in (described["sizes"], described["front"]["sizes"]):
        for key, value in sizes.items():
            each = value if isinstance(value, list) else [value]
            if len(each) > _MOST_LAYERS or (key in ("layers", "highways") and not 0 < int(value) <= _MOST_LAYERS):
                raise ValueError(f"{key} = {value!r:.40} is more than any net has")
    if not isinstance(encoder.max_length, int) or not 0 < encoder.max_length <= _MOST_TOKENS:
        raise ValueError(f"it reads {encoder.max_length!r:.40} tokens of a text")
    if recipe and _remade(recipe) and len(encoder) > _MOST_WORDS:
        raise ValueError(f"it has {len(encoder):,} words")
    with torch.device("meta"):  # nothing is filled
        if recipe and recipe.vectors != "elmo" and _remade(recipe):
            front = make_front(recipe.front, rows=len(encoder), dimensions=recipe.dimensions, frozen=True)
        else:
            front = make_front(described["front"]["kind"], **described["front"]["sizes"])
        net = make_net(described["net"], front, classes, **described["sizes"])
    found = shapes(weights)
    wanted = {name: tuple(weight.shape) for name, weight in net.state_dict().items()}
    optional = _made_again(net, recipe)
    misfits = [
        name
        for name in wanted.keys() | found.keys()
        if found.get(name) != wanted.get(name) and not (name in optional and name not in found)
    ]
    if misfits:
        raise ValueError(f"weights do not fit: {', '.join(sorted(misfits)[:3])}")


def _recipe(described: dict[str, Any]) -> NetRecipe | None:
    return NetRecipe(**described["recipe"]) if described["recipe"] else None


def _net(weights: Path, described: dict[str, Any], encoder: NetEncoder, classes: int) -> Net:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    from unfool.zoo.fronts import make_front

    try:
        state = load_file(weights)
    except SafetensorError as error:
        raise ValueError(f"{weights.name}: {error}") from error
    recipe = _recipe(described)
    with seeded(0):  # first weights are thrown away; the caller's random numbers are left alone
        if recipe and _remade(recipe):
            front = first_front(recipe, encoder, described["training"]["seed"])
        else:
            front = make_front(described["front"]["kind"], **described["front"]["sizes"])
        net = make_net(described["net"], front, classes, **described["sizes"])
    found = net.load_state_dict(state, strict=False)
    lost = set(found.missing_keys) - _made_again(net, recipe)
    if lost or found.unexpected_keys:
        raise ValueError(f"weights do not fit: {', '.join(sorted([*lost, *found.unexpected_keys])[:3])}")
    if len(front.table.weight) != len(encoder):
        raise ValueError(f"{len(encoder)} tokens, but {len(front.table.weight)} vectors")
    if digest(front) != described["frozen"]:
        raise UserError(
            f"the frozen vectors under the net in {weights.parent} are not those it was trained on; "
            "give the same word vectors again, or delete the folder and train anew"
        )
    return net


def _remade(recipe: NetRecipe) -> bool:
    return recipe.vectors == "elmo" or (recipe.frozen and recipe.vectors != "random")


def _made_again(net: Net, recipe: NetRecipe | None) -> set[str]:
    if not recipe or not _remade(recipe):
        return set()
    return {f"front.{name}" for name, weight in net.front.named_parameters() if not weight.requires_grad}


def _plain(recipe: NetRecipe | None) -> dict[str, Any] | None:
    return None if recipe is None else {**recipe._asdict(), "sizes": dict(recipe.sizes)}
