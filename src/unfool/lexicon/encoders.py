"""Sentence encoders as services: strings in, unit vectors out, each distinct string encoded once."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unfool import resources
from unfool.devices import LOADING, runs_in_half, torch_device
from unfool.errors import UserError, did_you_mean, not_installed
from unfool.lexicon._string_service import StringService, by_length
from unfool.lexicon.universal_encoder import Universal

Floats = NDArray[np.float32]
_MAX_TOKENS = 128
_TOKENS_A_BATCH = {"cpu": 2048, "cuda": 65_536}
_LEAST_TOKENS = {"cpu": 256, "cuda": 16_384}
"""Tokens that keep the device busy: a batch that has them ends before the next longer string."""


class SentenceEncoder(StringService[Floats]):
    """Unit vectors of strings; the answer to a request, a list of strings, is a matrix."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def __repr__(self) -> str:
        return f"sentence_encoder({self._name!r})"

    @property
    def quick(self) -> SentenceEncoder:
        """The same at less precision, where that is faster here: for a search, not for what decides."""
        return self

    @abstractmethod
    def encode(self, strings: Sequence[str]) -> Floats:
        """Return one unit vector a string."""

    def work_out(self, strings: Sequence[str]) -> Iterable[Floats]:
        """Return what `encode` does."""
        return self.encode(strings)

    def together(self, answers: list[Floats]) -> Floats:
        """Return the vectors as the rows of a matrix."""
        return np.stack(answers)


class TransformerEncoder(SentenceEncoder):
    """Mean-pooled, normalised token vectors of a transformer."""

    def __init__(self, folder: Path, name: str, device: str = "auto") -> None:
        super().__init__(name)
        try:
            import torch
            from transformers import AutoModel, AutoTokenizer
            from transformers.utils import logging
        except ImportError:
            raise not_installed("sentence similarity needs PyTorch", "torch") from None
        self._device = torch_device(device)
        logging.disable_progress_bar()
        self._tokenizer: Any = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
        with LOADING:
            self._model: Any = AutoModel.from_pretrained(folder, dtype=torch.float32, trust_remote_code=False)
        self._model = self._model.to(self._device).eval()

    @cached_property
    def quick(self) -> SentenceEncoder:
        """The same net in bfloat16, if the device is fast in that."""
        if not runs_in_half("auto", self._device):
            return self
        halved = self.with_nothing_kept()
        halved._model = copy.deepcopy(self._model).bfloat16()
        return halved

    def encode(self, strings: Sequence[str]) -> Floats:
        """Return one unit vector a string."""
        import torch

        if not strings:
            return np.empty((0, self._model.config.hidden_size), dtype=np.float32)
        ids = self._tokenizer(list(strings), truncation=True, max_length=_MAX_TOKENS)["input_ids"]
        vectors = torch.empty((len(ids), self._model.config.hidden_size))
        most, least = _TOKENS_A_BATCH[self._device.type], _LEAST_TOKENS[self._device.type]
        with torch.inference_mode():
            for batch in by_length([len(row) for row in ids], most, least):
                vectors[batch] = self._forward([ids[number] for number in batch]).cpu()
        return vectors.numpy()

    def _forward(self, rows: list[list[int]]) -> Any:
        import torch

        width = max(map(len, rows))
        ids = torch.tensor([row + [0] * (width - len(row)) for row in rows], device=self._device)
        mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows], device=self._device)
        states = self._model(input_ids=ids, attention_mask=mask).last_hidden_state.float()
        weights = mask.unsqueeze(-1).to(states.dtype)
        return torch.nn.functional.normalize((states * weights).sum(1) / weights.sum(1), dim=-1)


class UniversalEncoder(SentenceEncoder):
    """The universal sentence encoder (multilingual, v3), in NumPy."""

    def __init__(self, folder: Path, name: str) -> None:
        super().__init__(name)
        self._net = Universal.load(folder)

    def encode(self, strings: Sequence[str]) -> Floats:
        """Return one unit vector a string."""
        return self._net.vectors(strings)


@lru_cache(maxsize=4)
def sentence_encoder(name: str = "minilm") -> SentenceEncoder:
    """Return a sentence encoder by name.

    Args:
        name: ``minilm`` is all-MiniLM-L6-v2; ``universal`` the universal sentence encoder, which needs no PyTorch.
    """
    if name == "universal":
        return UniversalEncoder(resources.get("universal-sentence-encoder"), name)
    if name == "minilm":
        return TransformerEncoder(resources.get("minilm"), name)
    raise UserError(f"unknown sentence encoder {name!r}{did_you_mean(name, ['minilm', 'universal'])}")
