"""The published ELMo files: options as JSON, weights as HDF5, laid out as AllenNLP reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from unfool.errors import UserError, first_line, not_installed
from unfool.zoo.encoders import FIRST_SYMBOL, PAD, START, UNKNOWN

# The rows of the published table of characters.
_BYTES = slice(0, 256)
_OPEN_TEXT, _CLOSE_TEXT, _OPEN_WORD, _CLOSE_WORD, _PAD = range(256, 261)


def read_published(folder: str | Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Read a folder with a published ELMo: what `Elmo` takes, and its weights but for the mix."""
    try:
        import h5py
    except ImportError as error:
        raise not_installed(f"the ELMo in {str(folder)!r} is an HDF5 file, which h5py reads", "elmo") from error
    place = Path(folder).expanduser()
    options, weights = _only(place, ".json"), _only(place, ".hdf5")
    try:
        sizes = _sizes(json.loads(options.read_text(encoding="utf-8")))
        with h5py.File(weights, "r") as file:
            return sizes, _state(file, sizes)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(
            f"the ELMo in {str(place)!r} cannot be used ({first_line(error)}); download both files again"
        ) from error


def _only(folder: Path, suffix: str) -> Path:
    found = sorted(folder.glob(f"*{suffix}"))
    if len(found) != 1:
        raise UserError(
            f"UNFOOL_ELMO is {str(folder)!r}, which holds {len(found)} {suffix} files; "
            "put there the options (.json) and the weights (.hdf5) of one ELMo and nothing else"
        )
    return found[0]


def _sizes(options: dict[str, Any]) -> dict[str, Any]:
    letters, lstm = options["char_cnn"], options["lstm"]
    if letters["activation"] != "relu" or not lstm["use_skip_connections"]:
        raise ValueError("only ELMo with relu filters and skip connections is known")
    return {
        "dimensions": letters["embedding"]["dim"],
        "filters": letters["filters"],
        "highways": letters["n_highway"],
        "longest": letters["max_characters_per_token"],
        "projection": lstm["projection_dim"],
        "cell": lstm["dim"],
        "layers": lstm["n_layers"],
        "cell_clip": lstm["cell_clip"] or None,
        "state_clip": lstm["proj_clip"] or None,
    }


def _state(file: Any, sizes: dict[str, Any]) -> dict[str, Tensor]:
    letters = np.asarray(file["char_embed"])
    table = np.empty((FIRST_SYMBOL + 256, letters.shape[1]), dtype=letters.dtype)
    # It knows every byte and has no unknown one: padding says least.
    table[[PAD, UNKNOWN, START]] = letters[[_PAD, _PAD, _OPEN_WORD]]
    table[FIRST_SYMBOL:] = letters[_BYTES]
    state = {"table.weight": table, "marks": letters[[_CLOSE_WORD, _OPEN_TEXT, _CLOSE_TEXT]]}
    for number in range(len(sizes["filters"])):
        kernel = np.asarray(file[f"CNN/W_cnn_{number}"])[0]
        state[f"speller.filters.{number}.weight"] = kernel.transpose(2, 1, 0)
        state[f"speller.filters.{number}.bias"] = np.asarray(file[f"CNN/b_cnn_{number}"])
    for number in range(sizes["highways"]):
        layer = {name: np.asarray(value) for name, value in file[f"CNN_high_{number}"].items()}
        both = np.concatenate([layer["W_transform"], layer["W_carry"]], axis=1)
        state[f"speller.highways.{number}.weight"] = both.T
        state[f"speller.highways.{number}.bias"] = np.concatenate([layer["b_transform"], layer["b_carry"]])
    state["speller.projection.weight"] = np.asarray(file["CNN_proj/W_proj"]).T
    state["speller.projection.bias"] = np.asarray(file["CNN_proj/b_proj"])
    for direction, stack in enumerate(("onward", "backward_")):
        for number in range(sizes["layers"]):
            group = file[f"RNN_{direction}/RNN/MultiRNNCell/Cell{number}/LSTMCell"]
            for name, weight in _lstm(group, sizes["projection"]).items():
                state[f"language_model.{stack}.{number}.{name}_l0"] = weight
    return {name: torch.from_numpy(np.array(weight, dtype=np.float32)) for name, weight in state.items()}


def _lstm(group: Any, width: int) -> dict[str, Any]:
    """The weights of one LSTM under PyTorch's names and in its order of gates."""
    # TensorFlow's order is enter, new, keep, leave, and it adds one to keep's bias when it runs.
    enter, new, keep, leave = np.split(np.asarray(group["W_0"]), 4, axis=1)
    joint = np.concatenate([enter, keep, new, leave], axis=1).T
    enter, new, keep, leave = np.split(np.asarray(group["B"]), 4)
    bias = np.concatenate([enter, keep + 1, new, leave])
    return {
        "weight_ih": joint[:, :width],
        "weight_hh": joint[:, width:],
        "weight_hr": np.asarray(group["W_P_0"]).T,
        "bias_ih": bias,
        "bias_hh": np.zeros_like(bias),
    }
