"""A Hugging Face model and its tokenizer, from a folder or the hub, checked before it is opened."""

from __future__ import annotations

import re
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unfool.devices import LOADING
from unfool.errors import UserError, first_line, not_installed
from unfool.resources import ask_hub

if TYPE_CHECKING:
    from transformers import PretrainedConfig


CLASSIFIER, SEQ2SEQ = "AutoModelForSequenceClassification", "AutoModelForSeq2SeqLM"
CAUSAL = "AutoModelForCausalLM"


def load_classifier(path: str, *, allow_code: bool = False, least: int = 2) -> tuple[Any, Any]:
    """Return the classifier and the tokenizer that lie in a folder, or on the hub; it has so many outputs or more.

    Raises:
        UserError: There are none, or they cannot answer as a victim must.
    """
    model, tokenizer = load_model(path, CLASSIFIER, allow_code=allow_code)
    if model.config.num_labels < least:
        raise UserError(
            f"{path} gives one number, not class probabilities; if that is the logit of a label, say from which "
            f"probability on a text has it: hf:{path}#threshold=0.5"
        )
    if sorted(model.config.id2label) != list(range(model.config.num_labels)):
        raise UserError(f"{path} names other labels than it has; id2label in its config.json must name 0, 1, …")
    return model, tokenizer


def load_model(path: str, kind: str, *, allow_code: bool = False) -> tuple[Any, Any]:
    """Return a model of a kind, such as ``AutoModelForSeq2SeqLM``, and its tokenizer.

    Raises:
        UserError: There are none, or they are damaged, or would run code.
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
        raise not_installed("Hugging Face victims need PyTorch and transformers", "torch") from None
    if not folder.exists():
        _check_on_hub(path)
    verbosity = logging.get_verbosity()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings(action="ignore"):
            model, tokenizer, loaded = _load(str(folder) if folder.exists() else path, kind, allow_code)
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
            "fine-tune it first"
        )
    if model.config.pad_token_id is None:
        # Models without one cannot be asked about texts of different lengths together.
        if tokenizer.pad_token_id is None and tokenizer.eos_token_id is None:
            raise UserError(f"{path} has no padding token; set pad_token in its tokenizer and config")
        tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
        model.config.pad_token_id = tokenizer.pad_token_id
    longest = tokenizer.model_max_length
    if not isinstance(longest, int | float) or longest < 1:
        raise UserError(f"{path} reads {longest!r} tokens; mend model_max_length in its tokenizer_config.json")
    return model, tokenizer


def _load(name: str, kind: str, allow_code: bool) -> tuple[Any, Any, Any]:
    import transformers
    from transformers import AutoConfig, AutoTokenizer

    look_over(name, allow_code=allow_code)
    # Left open, transformers asks at the terminal whether to run a model's own code.
    config = AutoConfig.from_pretrained(name, trust_remote_code=allow_code)
    if Path(name).exists():
        check_weights(Path(name), config, kind, trust_remote_code=allow_code)
    tokenizer = AutoTokenizer.from_pretrained(name, trust_remote_code=allow_code)
    with LOADING:
        model, loaded = getattr(transformers, kind).from_pretrained(
            name,
            config=config,
            dtype="float32",
            output_loading_info=True,
            trust_remote_code=allow_code,
            weights_only=True,
        )
    return model, tokenizer, loaded


def _check_on_hub(path: str) -> None:
    try:
        ask_hub("model", path)
    except LookupError:
        raise UserError(f"there is no model folder {path}, and the hub has no such model") from None
    except ConnectionError as error:
        raise UserError(
            f"there is no model folder {path}, and the hub cannot be reached ({error}); "
            "HF_HUB_OFFLINE=1 uses a copy loaded before"
        ) from error


def why_unread(error: Exception) -> str:
    """Say in a line why a model could not be read; advice to run what is in its files is left out."""
    if "weights_only" in str(error):
        return "its pickled weights hold more than weights, and that is not run; save them as safetensors"
    return first_line(error)


_LOADED = ("AutoConfig", CLASSIFIER, SEQ2SEQ, CAUSAL, "AutoTokenizer", "AutoModel")
_WEIGHTS = (".safetensors", ".bin")
_READ = (*_WEIGHTS, ".json", ".jinja", ".model", ".txt")
_MOST_BYTES_BESIDE_WEIGHTS = 100 << 20
_REPEATED = re.compile("layer|block|group|depth|stage|expert")
"""Settings that say how often a part is repeated; each time costs time, whatever its size."""
_MOST_REPEATED = 1000
_MOST_LABELS = 100_000
_SLACK_BYTES = 256 << 20
_BYTES_A_STORED_BYTE = 8
"""Weights kept in four bits are read as 32."""


def look_over(name: str, *, allow_code: bool) -> None:
    """Refuse a model, in a folder or on the hub, that would run code of its own or never be read to its end."""
    from transformers import PretrainedConfig
    from transformers.models.auto.tokenization_auto import get_tokenizer_config

    if Path(name).is_dir():
        _check_files(Path(name))
    config, _ = PretrainedConfig.get_config_dict(name)
    files = sorted({*_code(config), *_code(get_tokenizer_config(name))})
    if files and not allow_code:
        raise UserError(
            f"the model in {name} brings code of its own ({', '.join(files)}); unfool does not run it unless you "
            "add --allow-code"
        )
    for key, value in _numbers(config):
        most = _MOST_LABELS if "labels" in key else _MOST_REPEATED if _REPEATED.search(key) else None
        if most is not None and value > most:
            raise UserError(f"the config.json in {name} says {key} = {value:,}; at most {most:,} is read")


def _check_files(folder: Path) -> None:
    for path in sorted(folder.iterdir()):
        if path.suffix not in _READ or path.is_dir():
            continue
        if not path.is_file():
            raise UserError(f"{path} is no plain file; give a folder saved by transformers")
        size = path.stat().st_size
        if path.suffix not in _WEIGHTS and size > _MOST_BYTES_BESIDE_WEIGHTS:
            raise UserError(
                f"{path} has {size >> 20:,} MB, and a model's description needs no more than "
                f"{_MOST_BYTES_BESIDE_WEIGHTS >> 20} MB; give a folder saved by transformers"
            )
        if path.suffix == ".bin" and zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as parts:
                if any(part.compress_type != zipfile.ZIP_STORED for part in parts.infolist()):
                    raise UserError(
                        f"{path} is compressed, which PyTorch's own files never are; save the model again"
                    )


def check_weights(
    folder: Path, config: PretrainedConfig, kind: str = CLASSIFIER, *, trust_remote_code: bool
) -> None:
    """Refuse a description by which the model would be far larger than the weights that lie beside it."""
    import torch
    import transformers

    stored = sum(path.stat().st_size for path in folder.iterdir() if path.suffix in _WEIGHTS)
    with LOADING, torch.device("meta"):
        model = getattr(transformers, kind).from_config(config, trust_remote_code=trust_remote_code)
    needed = 4 * sum(part.numel() for part in (*model.parameters(), *model.buffers()))
    if needed > _BYTES_A_STORED_BYTE * stored + _SLACK_BYTES:
        raise UserError(
            f"the config.json in {folder} tells of a model of {needed / 1e6:,.0f} MB, and its weights have "
            f"{stored / 1e6:,.0f} MB; they do not belong together"
        )


def _code(described: dict[str, Any]) -> Iterator[str]:
    """Yield the files of code that a description names."""
    told = described.get("auto_map") or {}
    named = [told.get(key) for key in _LOADED] if isinstance(told, dict) else told
    for each in named if isinstance(named, list) else [named]:
        for reference in each if isinstance(each, list) else [each]:
            if reference:
                yield f"{str(reference).rpartition('.')[0]}.py"
    # A kernel by the name of a repository would be downloaded and run.
    for key in ("attn_implementation", "_attn_implementation", "experts_implementation"):
        if "/" in str(described.get(key)):
            yield str(described[key])


def _numbers(described: Any, key: str = "") -> Iterator[tuple[str, int]]:
    if isinstance(described, dict):
        for name, value in described.items():
            if name != "label2id":
                yield from _numbers(value, str(name))
    elif isinstance(described, int):
        yield key, described
