"""The zoo's models by name: trained on first use, then kept."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from unfool.errors import UserError, did_you_mean
from unfool.lexicon import glove
from unfool.resources import build_once, cache_root
from unfool.zoo import _store
from unfool.zoo._embeddings import first_vectors
from unfool.zoo._encoded_samples import EncodedSamples
from unfool.zoo._fit import accuracy, seeded
from unfool.zoo._nets import make_net
from unfool.zoo._splits import load_splits
from unfool.zoo._training import train
from unfool.zoo._victim import NetVictim
from unfool.zoo._vocabulary import WordVocabulary

_PREFIX = "zoo:"
_NETS = {"BiLSTM-W-GloVe-1": "BiLSTM", "CNN-W-GloVe-1": "CNN"}
_NAME = re.compile(r"(?P<model>[^@]+)@(?P<data>.+?)(?:#(?P<seed>\d{1,9}))?")


class _Named(NamedTuple):
    model: str
    data: str
    seed: int

    def __str__(self) -> str:
        return f"{_PREFIX}{self.model}@{self.data}" + (f"#{self.seed}" if self.seed else "")

    @property
    def folder(self) -> Path:
        """Where it is kept; a file's name is not enough to tell its data from another's."""
        path = Path(self.data).expanduser()
        data = str(path.resolve()) if path.exists() else self.data
        return cache_root() / "zoo" / f"{self.model}@{quote(data, safe='')}#{self.seed}"


def names() -> tuple[str, ...]:
    """Return the names of the zoo's models; ``@`` and a data set behind one make it a victim's name."""
    return tuple(_NETS)


def victim(name: str, *, device: str = "auto", dtype: str = "fp32", progress: bool = True) -> NetVictim:
    """Return a model of the zoo, training it on first use and keeping it in the user's cache.

    Args:
        name: ``zoo:MODEL@DATA``, ``zoo:MODEL@DATA#SEED`` (0 if none is named), or ``zoo:`` and a folder that
            `save` made; ``zoo:`` may be left out.
        device: ``cpu``, ``cuda`` or ``auto``.
        dtype: ``fp32``, or ``bf16`` for the search.
        progress: Whether to show a bar while it is trained.

    Raises:
        UserError: If the name or its data set is unknown.
    """
    bare = name.removeprefix(_PREFIX)
    if Path(bare).expanduser().is_dir():
        return _store.load(bare, device=device, dtype=dtype)
    named = _parse(bare)
    build_once(named.folder, lambda folder: _train(named, folder, device, progress))
    return _store.load(named.folder, device=device, dtype=dtype, name=str(named))


def _parse(bare: str) -> _Named:
    match = _NAME.fullmatch(bare)
    model = match["model"] if match else bare
    if model not in _NETS:
        raise UserError(f"there is no model or folder {model!r} in the zoo{did_you_mean(model, _NETS)}")
    if not match:
        raise UserError(f"{model!r} must be trained on something; name it, e.g. {_PREFIX}{model}@rotten_tomatoes")
    return _Named(model, match["data"], int(match["seed"] or 0))


def _train(named: _Named, folder: Path, device: str, progress: bool) -> None:
    splits = load_splits(named.data)
    vocabulary = WordVocabulary.from_texts(string for sample in splits.train for string in sample.text.strings)
    vectors = first_vectors(vocabulary.words, glove(300), seed=named.seed)
    with seeded(named.seed):
        net = make_net(_NETS[named.model], vectors, len(splits.labels))
    fitted = train(
        net, vocabulary, splits.train, splits.validation, seed=named.seed, device=device, progress=progress
    )
    told = {
        "data": named.data,
        "fingerprint": splits.fingerprint,
        "seed": named.seed,
        "epoch": fitted.epoch,
        "seconds": round(fitted.seconds, 1),
        "validation": fitted.validation._asdict(),
    }
    if splits.test:
        test = EncodedSamples(splits.test, vocabulary, net.embedding.weight.device)
        told["test"] = accuracy(net, lambda tokens: net(tokens.ids, tokens.mask), test)._asdict()
    _store.write(folder, net, vocabulary, splits.labels, told)
