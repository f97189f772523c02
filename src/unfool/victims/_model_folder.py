"""A stranger's model folder, looked at before anything of it is opened: it may hold code, and ask for any size."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unfool.errors import UserError

if TYPE_CHECKING:
    from transformers import PretrainedConfig

_LOADED = ("AutoConfig", "AutoModelForSequenceClassification", "AutoTokenizer", "AutoModel")
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
    """Refuse a model, in a folder or on the hub, that would run code of its own or never be read to its end.

    Args:
        name: A folder or a hub id.
        allow_code: Whether it may run code of its own.

    Raises:
        UserError: It is refused; the message says for what.
    """
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


def check_weights(folder: Path, config: PretrainedConfig, *, trust_remote_code: bool) -> None:
    """Refuse a description by which the model would be far larger than the weights that lie beside it.

    Raises:
        UserError: It is.
    """
    import torch
    from transformers import AutoModelForSequenceClassification

    stored = sum(path.stat().st_size for path in folder.iterdir() if path.suffix in _WEIGHTS)
    with torch.device("meta"):
        model = AutoModelForSequenceClassification.from_config(config, trust_remote_code=trust_remote_code)
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
