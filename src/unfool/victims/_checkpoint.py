"""A Hugging Face sequence classifier and its tokenizer, from a folder or the hub."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from unfool.errors import UserError
from unfool.victims._model_folder import check_weights, look_over

_CONNECT_SECONDS = 5


def load_classifier(path: str, *, allow_code: bool = False) -> tuple[Any, Any]:
    """Return the model and the tokenizer that lie in a folder, or on the hub.

    Args:
        path: A folder or a hub id.
        allow_code: Whether code that comes with the model may run.

    Raises:
        UserError: There are none, or they cannot answer as a victim must.
    """
    folder = Path(path).expanduser()
    if folder.exists() and not (folder / "config.json").is_file():
        raise UserError(f"{path} is no model folder: it holds no config.json; give a folder saved by transformers")
    if not folder.exists() and (path.startswith((".", "/", "~")) or path.count("/") > 1):
        raise UserError(f"there is no model folder {path}; give a folder saved by transformers, or a hub id")
    try:
        import torch  # noqa: F401 (without it transformers opens no model)
        from transformers.utils import logging
    except ImportError:
        raise UserError("Hugging Face victims need PyTorch and transformers: pip install 'unfool[torch]'") from None
    if not folder.exists():
        _check_on_hub(path)
    verbosity = logging.get_verbosity()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings(action="ignore"):
            model, tokenizer, loaded = _load(str(folder) if folder.exists() else path, allow_code)
    except UserError:
        raise
    except Exception as error:
        raise UserError(f"cannot read the model {path}: {why_unread(error)}") from error
    finally:
        logging.set_verbosity(verbosity)
    # Without its files, transformers makes up a tokenizer that knows no word.
    if set(tokenizer.get_vocab()) <= set(tokenizer.all_special_tokens):
        raise UserError(f"{path} holds no tokenizer; save the model's tokenizer into the same folder")
    if loaded["missing_keys"]:
        raise UserError(
            f"{path} holds no weights for {min(loaded['missing_keys'])}, so its answers would be random; "
            "fine-tune it as a classifier first"
        )
    if model.config.pad_token_id is None:
        # Models without one cannot be asked about texts of different lengths together.
        if tokenizer.pad_token_id is None and tokenizer.eos_token_id is None:
            raise UserError(f"{path} has no padding token; set pad_token in its tokenizer and config")
        tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
        model.config.pad_token_id = tokenizer.pad_token_id
    if model.config.num_labels < 2:
        raise UserError(f"{path} gives one number, not class probabilities; a victim must be a classifier")
    if sorted(model.config.id2label) != list(range(model.config.num_labels)):
        raise UserError(f"{path} names other labels than it has; id2label in its config.json must name 0, 1, …")
    longest = tokenizer.model_max_length
    if not isinstance(longest, int | float) or longest < 1:
        raise UserError(f"{path} reads {longest!r} tokens; mend model_max_length in its tokenizer_config.json")
    return model, tokenizer


def _load(name: str, allow_code: bool) -> tuple[Any, Any, Any]:
    from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer

    look_over(name, allow_code=allow_code)
    # Left open, transformers asks at the terminal whether to run a model's own code.
    config = AutoConfig.from_pretrained(name, trust_remote_code=allow_code)
    if Path(name).exists():
        check_weights(Path(name), config, trust_remote_code=allow_code)
    tokenizer = AutoTokenizer.from_pretrained(name, trust_remote_code=allow_code)
    model, loaded = AutoModelForSequenceClassification.from_pretrained(
        name,
        config=config,
        dtype="float32",
        output_loading_info=True,
        trust_remote_code=allow_code,
        weights_only=True,
    )
    return model, tokenizer, loaded


def _check_on_hub(path: str) -> None:
    """Ask the hub once; the loader itself would retry for a minute, with a line for each try."""
    from huggingface_hub import HfApi, constants
    from huggingface_hub.errors import HFValidationError, RepositoryNotFoundError

    if constants.HF_HUB_OFFLINE:
        return
    try:
        HfApi().model_info(path, timeout=_CONNECT_SECONDS)
    except (RepositoryNotFoundError, HFValidationError):
        raise UserError(f"there is no model folder {path}, and the hub has no such model") from None
    except Exception as error:  # the client's own exceptions, and those of whichever HTTP library it uses
        raise UserError(
            f"there is no model folder {path}, and the hub cannot be reached ({_first_line(error)}); "
            "HF_HUB_OFFLINE=1 uses a copy loaded before"
        ) from error


def why_unread(error: Exception) -> str:
    """Say in a line why a model could not be read; advice to run what is in its files is left out."""
    if "weights_only" in str(error):
        return "its pickled weights hold more than weights, and that is not run; save them as safetensors"
    return _first_line(error)


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
