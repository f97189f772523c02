"""SmolLM2-135M-Instruct, of which a package carries a GGUF file, as an ordinary transformers folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from unfool.errors import UserError
from unfool.resources._cache import derived

MISSING = "SmolLM2 needs PyTorch, gguf and accelerate: pip install 'unfool[perplexity]'"


def smollm2_folder() -> Path:
    """Return the folder, which is obtained and converted on first use."""
    return derived("smollm2", "transformers", convert)


def convert(source: Path, target: Path) -> None:
    """Write the model in a GGUF file as an ordinary transformers folder, which opens eight times as fast.

    The weights are kept in float32: half precision would change four in ten of them.
    """
    try:
        import accelerate  # noqa: F401
        import gguf  # noqa: F401
        import torch
        from safetensors.torch import save_file
        from transformers import AutoModelForCausalLM, AutoTokenizer
        from transformers.utils import logging
    except ImportError:
        raise UserError(MISSING) from None
    logging.disable_progress_bar()
    options = {"gguf_file": source.name, "trust_remote_code": False}
    AutoTokenizer.from_pretrained(source.parent, **options).save_pretrained(target)
    model: Any = AutoModelForCausalLM.from_pretrained(source.parent, dtype=torch.float32, **options)
    # Written by hand: save_pretrained refuses a model that was quantised, though this one no longer is.
    weights = model.state_dict()
    del weights["lm_head.weight"]  # the embeddings once more
    save_file(weights, target / "model.safetensors", metadata={"format": "pt"})
    vars(model.config).pop("quantization_config", None)
    model.config.save_pretrained(target)
