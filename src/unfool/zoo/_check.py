"""Whether a folder holds the model it is said to hold: looked over without opening it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from unfool.errors import UserError
from unfool.zoo import _store
from unfool.zoo._catalogue import EncoderRecipe, NetRecipe, entry
from unfool.zoo._names import Named
from unfool.zoo._packed_weights import stored


def check(named: Named, folder: Path) -> None:
    """Refuse a folder that a model of this name could not be opened from.

    Raises:
        UserError: Something is missing, or is not as training would have written it.
    """
    recipe = entry(named.model).recipe
    try:
        if isinstance(recipe, NetRecipe):
            _store.check(folder)
        elif isinstance(recipe, EncoderRecipe):
            _check_encoder(folder)
        else:
            from unfool.zoo import classical

            classical.check(_object(folder / "config.json"), stored(folder / "model.safetensors"), named.model)
        _check_told(_told(folder, in_config=not isinstance(recipe, EncoderRecipe)))
    except UserError:
        raise
    except Exception as error:  # whatever a description that is no description leads to
        said = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise UserError(f"what is packed as {named} is no such model ({said}); pack the models again") from error


def _check_encoder(folder: Path) -> None:
    from transformers import AutoConfig

    from unfool.victims._model_folder import check_weights, look_over

    look_over(str(folder), allow_code=False)
    stored(folder / "model.safetensors")
    check_weights(folder, AutoConfig.from_pretrained(folder, trust_remote_code=False), trust_remote_code=False)
    _object(folder / "tokenizer.json")


def _told(folder: Path, *, in_config: bool) -> Any:
    return _object(folder / "config.json")["training"] if in_config else _object(folder / "training.json")


def _check_told(told: Any) -> None:
    if not isinstance(told, dict) or not isinstance(told.get("data"), str):
        raise ValueError("it does not tell what it was trained on")
    for split in ("validation", "test"):
        judged = told.get(split, {"share": 1.0, "n": 1})
        if not all(isinstance(judged[key], int | float) for key in ("share", "n")):
            raise ValueError(f"its accuracy on {split} is not told")


def _object(path: Path) -> dict[str, Any]:
    found = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(found, dict):
        raise ValueError(f"{path.name} is not a JSON object")
    return found
