"""A trained net as a folder: weights, vocabulary, and a description of both."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unfool.errors import UserError
from unfool.resources import build_once
from unfool.zoo._fit import seeded
from unfool.zoo._nets import make_net
from unfool.zoo._victim import NetVictim
from unfool.zoo._vocabulary import WordVocabulary

if TYPE_CHECKING:
    from unfool.zoo._net import Net

_WEIGHTS, _VOCABULARY, _CONFIG = "model.safetensors", "vocabulary.json", "config.json"


def save(
    folder: Path | str,
    net: Net,
    vocabulary: WordVocabulary,
    labels: tuple[str, ...],
    training: Mapping[str, Any],
) -> None:
    """Save a trained net into a new folder, all at once or not at all.

    Args:
        folder: A folder that is not there yet.
        net: The net.
        vocabulary: How it reads texts.
        labels: Label names, one a class.
        training: What is to be told of its training: data, seed, accuracies.

    Raises:
        UserError: If the folder is there already, or cannot be written.
    """
    place = Path(folder).expanduser()
    if place.exists():
        raise UserError(f"{place} is there already; choose a new folder for the net")
    build_once(place, lambda part: write(part, net, vocabulary, labels, training))


def write(
    folder: Path,
    net: Net,
    vocabulary: WordVocabulary,
    labels: tuple[str, ...],
    training: Mapping[str, Any],
) -> None:
    """Write the files of a trained net into an empty folder."""
    from safetensors.torch import save_file

    described = {
        "net": type(net).__name__,
        "sizes": net.sizes,
        "labels": labels,
        "training": training,
    }
    save_file({name: weight.contiguous() for name, weight in net.state_dict().items()}, folder / _WEIGHTS)
    (folder / _VOCABULARY).write_text(json.dumps(vocabulary.to_json()), encoding="utf-8")
    (folder / _CONFIG).write_text(json.dumps(described, indent=2) + "\n", encoding="utf-8")


def load(folder: Path | str, *, device: str = "auto", dtype: str = "fp32", name: str | None = None) -> NetVictim:
    """Load a trained net as a victim.

    Args:
        folder: What `save` made.
        device: ``cpu``, ``cuda`` or ``auto``.
        dtype: ``fp32``, or ``bf16`` for the search.
        name: The name the victim goes by; ``zoo:`` and the folder if None.

    Raises:
        UserError: If the folder does not hold a whole net.
    """
    place = Path(folder).expanduser()
    for file in (_CONFIG, _VOCABULARY, _WEIGHTS):
        if not (place / file).is_file():
            raise UserError(f"{place} holds no whole zoo net: {file} is missing; give a folder zoo.save made")
    try:
        described = json.loads((place / _CONFIG).read_text(encoding="utf-8"))
        vocabulary = WordVocabulary.from_json(json.loads((place / _VOCABULARY).read_text(encoding="utf-8")))
        labels = tuple(described["labels"])
        net = _net(place / _WEIGHTS, described["net"], described["sizes"], labels)
        if len(net.embedding.weight) != len(vocabulary):
            raise ValueError(f"{len(vocabulary)} words, but {len(net.embedding.weight)} word vectors")
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        told = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise UserError(f"the zoo net in {place} is damaged ({told}); save or train it again") from error
    return NetVictim(net, vocabulary, labels, name=name or f"zoo:{place}", device=device, dtype=dtype)


def _net(weights: Path, kind: str, sizes: dict[str, Any], labels: tuple[str, ...]) -> Net:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        state = load_file(weights)
    except SafetensorError as error:
        raise ValueError(f"{weights.name}: {error}") from error
    with seeded(0):  # the first weights are thrown away; the caller's random numbers are left alone
        net = make_net(kind, state["embedding.weight"], len(labels), **sizes)
    net.load_state_dict(state)
    return net
