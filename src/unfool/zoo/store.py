"""A trained net as a folder: what was learnt, how it reads texts, and a description of both.

Frozen word vectors and a frozen ELMo are not stored again with each net: they are made again when it is opened,
and known by their fingerprint.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unfool.errors import UserError, first_line
from unfool.resources import build_once
from unfool.training import seeded
from unfool.victims import fingerprint
from unfool.zoo._catalogue import NetRecipe
from unfool.zoo._victim import NetVictim, victim_kind
from unfool.zoo.encoders import NetEncoder, encoder_from_json
from unfool.zoo.nets import make_net
from unfool.zoo.word_vectors import first_front

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
        training: The report of its training: data, seed, accuracies.
        recipe: How its front is made again; None stores the front whole.

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
        "recipe": {**recipe._asdict(), "sizes": dict(recipe.sizes)} if recipe else None,
        "frozen": net.front.frozen_digest(),
        "labels": labels,
        "training": training,
    }
    left_out = _left_out(net, recipe)
    weights = {name: weight.contiguous() for name, weight in net.state_dict().items() if name not in left_out}
    save_file(weights, folder / _WEIGHTS)
    (folder / _VOCABULARY).write_text(json.dumps(encoder.to_json()), encoding="utf-8")
    (folder / _CONFIG).write_text(json.dumps(described, indent=2) + "\n", encoding="utf-8")


def load(folder: Path | str, *, device: str = "auto", dtype: str = "fp32", name: str | None = None) -> NetVictim:
    """Load a trained net as a victim.

    Args:
        folder: What `save` made.
        device: ``cpu``, ``cuda`` or ``auto``.
        dtype: ``fp32``, ``bf16`` for the search, or ``auto``.
        name: The name the victim goes by; ``zoo:`` and the folder if None.

    Raises:
        UserError: If the folder does not hold a whole net, or its word vectors are not what they were.
    """
    place = Path(folder).expanduser()
    for file in (_CONFIG, _VOCABULARY, _WEIGHTS):
        if not (place / file).is_file():
            raise UserError(f"{place} is not a complete zoo net: {file} is missing; give a folder zoo.save made")
    try:
        described, encoder = check(place)
        net = _net(place, described, encoder)
    except UserError:
        raise
    except Exception as error:  # the files may hold anything
        raise UserError(
            f"the zoo net in {place} is damaged ({first_line(error)}); save or train it again"
        ) from error
    labels, kind = tuple(described["labels"]), victim_kind(net, encoder)
    victim = kind(net, encoder, labels, name=name or f"zoo:{place}", device=device, dtype=dtype)
    victim.fingerprint = fingerprint(place)
    return victim


def check(folder: Path) -> tuple[dict[str, Any], NetEncoder]:
    """Refuse a folder from which no net could be made, before memory of the sizes it names is taken.

    Return the description of the net, and its encoder. What is raised may be of any kind, as the files may hold
    anything.
    """
    import torch

    from unfool.zoo.fronts import make_front

    described = json.loads((folder / _CONFIG).read_text(encoding="utf-8"))
    encoder = encoder_from_json(json.loads((folder / _VOCABULARY).read_text(encoding="utf-8")))
    labels, recipe = described["labels"], _recipe(described)
    if not isinstance(labels, list) or len(labels) < 2 or not all(isinstance(label, str) for label in labels):
        raise ValueError("its labels are no names")
    for sizes in (described["sizes"], described["front"]["sizes"]):
        for key, value in sizes.items():
            each = value if isinstance(value, list) else [value]
            if len(each) > _MOST_LAYERS or (key in ("layers", "highways") and not 0 < int(value) <= _MOST_LAYERS):
                raise ValueError(f"{key} = {value!r:.40} is more than any net has")
    if not isinstance(encoder.max_length, int) or not 0 < encoder.max_length <= _MOST_TOKENS:
        raise ValueError(f"it reads {encoder.max_length!r:.40} tokens of a text")
    if recipe and recipe.keeps_vectors and len(encoder) > _MOST_WORDS:
        raise ValueError(f"it has {len(encoder):,} words")
    with torch.device("meta"):  # nothing is filled
        if recipe and recipe.vectors != "elmo" and recipe.keeps_vectors:
            front = make_front(recipe.front, rows=len(encoder), dimensions=recipe.dimensions, frozen=True)
        else:
            front = make_front(described["front"]["kind"], **described["front"]["sizes"])
        net = make_net(described["net"], front, len(labels), **described["sizes"])
    if front.table.num_embeddings != len(encoder):
        raise ValueError(f"{len(encoder)} tokens, but {front.table.num_embeddings} vectors")
    found, optional = shapes(folder / _WEIGHTS), _left_out(net, recipe)
    wanted = {name: tuple(weight.shape) for name, weight in net.state_dict().items()}
    misfits = [
        name
        for name in wanted.keys() | found.keys()
        if found.get(name) != wanted.get(name) and not (name in optional and name not in found)
    ]
    if misfits:
        raise ValueError(f"weights do not fit: {', '.join(sorted(misfits)[:3])}")
    return described, encoder


def shapes(weights: Path) -> dict[str, tuple[int, ...]]:
    """Return the shape of each tensor in a file of weights; the numbers are not read."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(weights, "np") as file:
            return {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise ValueError(f"{weights.name}: {error}") from error


def _net(folder: Path, described: dict[str, Any], encoder: NetEncoder) -> Net:
    """Make a net of files that were checked."""
    from safetensors.torch import load_file

    from unfool.zoo.fronts import make_front

    recipe = _recipe(described)
    with seeded(0):  # first weights are thrown away; the caller's random numbers are left alone
        if recipe and recipe.keeps_vectors:
            front = first_front(recipe, encoder, described["training"]["seed"])
        else:
            front = make_front(described["front"]["kind"], **described["front"]["sizes"])
        net = make_net(described["net"], front, len(described["labels"]), **described["sizes"])
    net.load_state_dict(load_file(folder / _WEIGHTS), strict=False)
    if front.frozen_digest() != described["frozen"]:
        raise UserError(
            f"the frozen vectors under the net in {folder} are not those it was trained on; "
            "give the same word vectors again, or delete the folder and train anew"
        )
    return net


def _recipe(described: dict[str, Any]) -> NetRecipe | None:
    return NetRecipe(**described["recipe"]) if described["recipe"] else None


def _left_out(net: Net, recipe: NetRecipe | None) -> set[str]:
    """Return the weights that are not stored, since they can be had again."""
    if not recipe or not recipe.keeps_vectors:
        return set()
    return {f"front.{name}" for name, weight in net.front.named_parameters() if not weight.requires_grad}
