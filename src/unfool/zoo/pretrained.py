"""The encoders the zoo fine-tunes: BERT, RoBERTa and ALBERT or their stand-ins, BERT-NOPT, and how to get each."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from unfool import resources
from unfool.errors import UserError, did_you_mean, first_line, not_installed
from unfool.training import seeded
from unfool.zoo import granite

Kind = Literal["bert", "roberta", "albert", "bert-nopt"]

NOPT_SIZES: Mapping[str, int] = {
    "num_hidden_layers": 3,
    "num_attention_heads": 12,
    "hidden_size": 768,
    "intermediate_size": 3072,
}
"""The three layers of BERT-base that Hsieh et al. (2019) did not pretrain, in the words of transformers."""
_WEIGHTS, _CONFIG = "model.safetensors", "config.json"
_TOKENIZER = ("tokenizer.json", "tokenizer_config.json")


class _Encoder(NamedTuple):
    published: str  # the hub id the papers mean
    default: str  # what is used unless another is named
    make: Callable[[], Path]


_ENCODERS = {
    "bert": _Encoder("bert-base-uncased", "all-MiniLM-L6-v2", lambda: resources.get("minilm")),
    "roberta": _Encoder("roberta-base", "granite-embedding-30m-english", granite.folder),
    "albert": _Encoder(
        "albert-base-v2",
        "a small ALBERT pretrained for unfool",
        lambda: resources.derived("albert", "transformers", copy_lengthened),
    ),
}
_FILES = ("*.json", "*.txt", "*.model", "*.safetensors")
_CONNECT_SECONDS = 5


def folder(kind: Kind, seed: int = 0) -> Path:
    """Return the folder of an encoder, ready to be fine-tuned.

    The environment variable ``UNFOOL_BERT``, ``UNFOOL_ROBERTA`` or ``UNFOOL_ALBERT`` names another one than the
    default: a folder saved by transformers, or a hub id. The seed draws the weights of ``bert-nopt``, which was
    never pretrained.
    """
    if kind == "bert-nopt":
        place = resources.cache_root() / f"bert-nopt-{seed}"
        return resources.build_once(place, lambda new: draw_bert(new, seed))
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


def copy_lengthened(source: Path, target: Path) -> None:
    """Copy an encoder from half precision, in which it travels, to float32, in which it is trained."""
    import torch
    from safetensors.torch import load_file, save_file

    weights = {name: weight.to(torch.float32) for name, weight in load_file(source / _WEIGHTS).items()}
    save_file(weights, target / _WEIGHTS, metadata={"format": "pt"})
    config = json.loads((source / _CONFIG).read_text(encoding="utf-8"))
    (target / _CONFIG).write_text(json.dumps({**config, "dtype": "float32"}, indent=2) + "\n", encoding="utf-8")
    for name in _TOKENIZER:
        shutil.copyfile(source / name, target / name)


def draw_bert(target: Path, seed: int, sizes: Mapping[str, int] = NOPT_SIZES) -> None:
    """Write a BERT that was never trained into an empty folder, with MiniLM's tokenizer, which is BERT's."""
    from transformers import AutoTokenizer, BertConfig, BertModel

    tokenizer = AutoTokenizer.from_pretrained(resources.get("minilm"), trust_remote_code=False)
    with seeded(seed):
        model = BertModel(BertConfig(vocab_size=len(tokenizer), **sizes))
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)


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
        raise not_installed(f"{variable}={name} is no folder; hub ids need", "hub") from None
    try:
        return Path(snapshot_download(name, allow_patterns=list(_FILES), etag_timeout=_CONNECT_SECONDS))
    except Exception as error:  # the client's own exceptions, and those of whichever HTTP library it uses
        raise UserError(
            f"{variable}={name} is no folder and cannot be loaded from the hub ({first_line(error)}); "
            f"name another encoder, or unset {variable} to use the default"
        ) from error
