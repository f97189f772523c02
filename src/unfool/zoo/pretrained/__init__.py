"""The encoders the zoo fine-tunes: BERT, RoBERTa and ALBERT or their stand-ins, and how to get each."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

from unfool import resources
from unfool.errors import UserError, did_you_mean
from unfool.zoo.pretrained import albert, bert_nopt, roberta

Kind = Literal["bert", "roberta", "albert", "bert-nopt"]

__all__ = ["Kind", "folder", "stand_in"]


class _Encoder(NamedTuple):
    published: str
    """The hub id the papers mean."""
    default: str
    """The encoder that is used unless another is named."""
    make: Callable[[], Path]


_ENCODERS = {
    "bert": _Encoder("bert-base-uncased", "all-MiniLM-L6-v2", lambda: resources.get("minilm")),
    "roberta": _Encoder("roberta-base", "granite-embedding-30m-english", roberta.folder),
    "albert": _Encoder("albert-base-v2", "a small ALBERT pretrained for unfool", albert.folder),
}
_FILES = ("*.json", "*.txt", "*.model", "*.safetensors")
_CONNECT_SECONDS = 5


def folder(kind: Kind, seed: int = 0) -> Path:
    """Return the folder of an encoder, ready to be fine-tuned.

    The environment variable ``UNFOOL_BERT``, ``UNFOOL_ROBERTA`` or ``UNFOOL_ALBERT`` names another one than the
    default: a folder saved by transformers, or a hub id.

    Args:
        kind: Which encoder.
        seed: Draws the weights of ``bert-nopt``, which was never pretrained.

    Raises:
        UserError: If the kind is unknown or the encoder cannot be had.
    """
    if kind == "bert-nopt":
        return bert_nopt.folder(seed)
    given = _given(kind)
    if not given:
        return _ENCODERS[kind].make()
    named = Path(given).expanduser()
    if named.exists() and not (named / "config.json").is_file():
        raise UserError(f"{_variable(kind)}={given} holds no config.json; name a folder saved by transformers")
    return named if named.exists() else _from_hub(given, _variable(kind))


def stand_in(kind: Kind) -> str:
    """Return a sentence on what stands in for the published encoder; empty if nothing does."""
    if kind == "bert-nopt":
        return ""
    given, encoder = _given(kind), _ENCODERS[kind]
    if given and Path(given).name == encoder.published:
        return ""
    return f"{given or encoder.default} stands in for {encoder.published}"


def _given(kind: str) -> str | None:
    if kind not in _ENCODERS:
        raise UserError(f"there is no pretrained encoder {kind!r}{did_you_mean(kind, _ENCODERS)}")
    return os.environ.get(_variable(kind))


def _variable(kind: str) -> str:
    return f"UNFOOL_{kind.upper()}"


def _from_hub(name: str, variable: str) -> Path:
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise UserError(f"{variable}={name} is no folder; hub ids need: pip install 'unfool[hub]'") from None
    try:
        return Path(snapshot_download(name, allow_patterns=list(_FILES), etag_timeout=_CONNECT_SECONDS))
    except Exception as error:  # the client's own exceptions, and those of whichever HTTP library it uses
        told = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise UserError(
            f"{variable}={name} is no folder and cannot be loaded from the hub ({told}); name another encoder, "
            f"or unset {variable} to use the default"
        ) from error
