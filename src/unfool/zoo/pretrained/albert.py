"""The zoo's ALBERT: a small one that travels with the package."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

from unfool import resources
from unfool.errors import UserError

SHIPPED = Path(__file__).parents[1] / "weights" / "albert"
_WEIGHTS, _CONFIG = "model.safetensors", "config.json"
_TOKENIZER = ("tokenizer.json", "tokenizer_config.json")


def folder() -> Path:
    """Return the folder of the encoder, made in the cache on first use.

    Raises:
        UserError: If the package came without its weights.
    """
    missing = [name for name in (_WEIGHTS, _CONFIG, *_TOKENIZER) if not (SHIPPED / name).is_file()]
    if missing:
        raise UserError(
            f"this copy of unfool holds no {missing[0]} of its ALBERT in {str(SHIPPED)!r}; install it again, "
            "or name another ALBERT in the environment variable UNFOOL_ALBERT"
        )
    # Weights pretrained anew must not meet the folder that was made of the old ones.
    digest = hashlib.sha256((SHIPPED / _WEIGHTS).read_bytes()).hexdigest()[:12]
    place = resources.cache_root() / f"albert-{digest}-transformers"
    return resources.build_once(place, lambda new: convert(SHIPPED, new))


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
