"""The zoo's ALBERT: a small one that unfool pretrained itself."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from unfool import resources

_WEIGHTS, _CONFIG = "model.safetensors", "config.json"
_TOKENIZER = ("tokenizer.json", "tokenizer_config.json")


def folder() -> Path:
    """Return the folder of the encoder, made in the cache on first use.

    Raises:
        UserError: If the weights cannot be had.
    """
    source = resources.get("albert")
    # Weights pretrained anew are another version: they never meet the folder made of the old ones.
    place = resources.cache_root() / f"{resources.info('albert').folder}-transformers"
    return resources.build_once(place, lambda new: convert(source, new))


def convert(source: Path, target: Path) -> None:
    """Copy an encoder from half precision, in which it travels, to float32, in which it is trained.

    Args:
        source: A folder with config, weights and tokenizer.
        target: An empty folder.
    """
    import torch
    from safetensors.torch import load_file, save_file

    weights = {name: weight.to(torch.float32) for name, weight in load_file(source / _WEIGHTS).items()}
    save_file(weights, target / _WEIGHTS, metadata={"format": "pt"})
    config = json.loads((source / _CONFIG).read_text(encoding="utf-8"))
    (target / _CONFIG).write_text(json.dumps({**config, "dtype": "float32"}, indent=2) + "\n", encoding="utf-8")
    for name in _TOKENIZER:
        shutil.copyfile(source / name, target / name)
