"""A net of the zoo with other sizes than its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unfool.devices import torch_device
from unfool.errors import UserError, did_you_mean
from unfool.resources import build_once
from unfool.training import TrainingReport, accuracy, have_changed
from unfool.zoo import DatasetCache, Named, NetRecipe, entry, load, make_net, train_net

if TYPE_CHECKING:
    from torch import Tensor

    from unfool.victims.tokens import TokenBatch


def train_variant(
    named: Named,
    sizes: Mapping[str, Any],
    folder: Path,
    *,
    device: str = "auto",
    progress: bool = True,
    datasets: DatasetCache | None = None,
) -> TrainingReport:
    """Train a net with some of its sizes changed into a folder, if that has not been done; `load` opens it.

    Args:
        named: The model, its data and its seed.
        sizes: What differs from the model's own, such as ``{"units": 32}``.
        folder: Where the net is kept.
        device: ``cpu``, ``cuda`` or ``auto``.
        progress: Whether to show a bar.
        datasets: The data sets read for other nets.

    Returns:
        The result of the training, with the accuracy on the texts the net learnt from.

    Raises:
        UserError: If the model is no net or has no such size, or if its data have changed since it was trained.
    """
    own = entry(named.model).recipe
    if not isinstance(own, NetRecipe):
        raise UserError(f"{named.model} has no sizes to change; name a net of the zoo, such as CS229-LSTM")
    for name in sizes:
        if name not in (known := _sizes(own)):
            raise UserError(f"{named.model} has no size {name!r}{did_you_mean(name, known)}")
    recipe = own._replace(sizes={**own.sizes, **sizes})
    read = datasets or DatasetCache()

    def build(part: Path) -> None:
        train_net(recipe, named, part, device, progress, read)
        net = load(part, device=device).module

        def logits(tokens: TokenBatch) -> Tensor:
            outputs: Tensor = net(tokens.ids, tokens.mask, tokens.types)
            return outputs

        learnt = accuracy(net, logits, read.encoded(named.data, recipe, torch_device(device)).train)
        described = json.loads((part / "config.json").read_text(encoding="utf-8"))
        described["training"]["train"] = learnt._asdict()
        (part / "config.json").write_text(json.dumps(described, indent=2) + "\n", encoding="utf-8")

    before = TrainingReport.read(folder)
    if before and have_changed(named.data, before.fingerprint):
        raise UserError(
            f"{folder} was trained before {named.data} changed; delete it to train it anew, or restore the data"
        )
    report = TrainingReport.read(build_once(folder, build))
    assert report
    return report


def _sizes(recipe: NetRecipe) -> dict[str, Any]:
    """Return what the net's class takes, by name; how texts are read makes no difference to that."""
    from unfool.zoo.fronts import make_front

    sizes: dict[str, Any] = make_net(recipe.net, make_front("Vectors", rows=2, dimensions=1), 2).sizes
    return sizes
