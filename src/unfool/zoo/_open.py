"""Opening a model of the zoo as a victim."""

from __future__ import annotations

from pathlib import Path

from unfool.engine import Predictor
from unfool.victims import Options, read_behind
from unfool.zoo import _store
from unfool.zoo._catalogue import EncoderRecipe, NetRecipe, entry
from unfool.zoo._names import PREFIX, parse
from unfool.zoo._train import ensure


def open_victim(name: str, options: Options) -> Predictor:
    """Open ``zoo:NAME@DATA``."""
    behind = read_behind(name, batches=False)
    return behind.decided(victim(behind.name, device=options.device, dtype=options.dtype))


def victim(name: str, *, device: str = "auto", dtype: str = "fp32", progress: bool = True) -> Predictor:
    """Return a model of the zoo; it is trained on first use and kept in the user's cache.

    Args:
        name: ``zoo:MODEL@DATA``, ``zoo:MODEL@DATA#SEED`` (default: seed 0), or ``zoo:`` and a folder that `save`
            made; ``zoo:`` may be left out.
        device: ``cpu``, ``cuda`` or ``auto``.
        dtype: ``fp32``, or ``bf16`` for the search.
        progress: Whether to show a bar while the model is trained.

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
