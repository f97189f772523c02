"""Sentence encoders as services: strings in, unit vectors out, each distinct string encoded once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unfool import resources
from unfool.errors import UserError, did_you_mean

Floats = NDArray[np.float32]
_KEPT_SENTENCES = 50_000
_MAX_TOKENS = 128
_TOKENS_A_BATCH = {"cpu": 2048, "cuda": 65_536}
_LEAST_TOKENS = {"cpu": 256, "cuda": 16_384}
"""Tokens that keep the device busy: a batch that has them ends before the next longer string."""


class _Encoded:
    def __init__(self, answers: list[Floats]) -> None:
        self._answers = answers

    def result(self) -> list[Floats]:
        return self._answers


class SentenceEncoder:
    """Mean-pooled, normalised token vectors of a transformer; a request is a list of strings."""

    def __init__(self, folder: Path, name: str, device: str = "cpu") -> None:
        try:
            import torch
            from transformers import AutoModel, AutoTokenizer
            from transformers.utils import logging
        except ImportError:
            raise UserError("sentence similarity needs PyTorch: pip install 'unfool[torch]'") from None
        self._name, self._device = name, torch.device(device)
        logging.disable_progress_bar()
        self._tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        self._model: Any = AutoModel.from_pretrained(folder, dtype=torch.float32).to(self._device).eval()
        self._kept: dict[str, Floats] = {}

    def __repr__(self) -> str:
        return f"sentence_encoder({self._name!r})"

    def launch(self, requests: Sequence[Sequence[str]]) -> _Encoded:
        """Encode what all samples ask; one matrix a request."""
        if len(self._kept) > _KEPT_SENTENCES:
            self._kept.clear()
        unknown = [s for s in dict.fromkeys(s for strings in requests for s in strings) if s not in self._kept]
        self._kept.update(zip(unknown, self.encode(unknown), strict=True))
        return _Encoded([np.stack([self._kept[string] for string in strings]) for strings in requests])

    def encode(self, strings: Sequence[str]) -> Floats:
        """Return one unit vector a string."""
        import torch

        if not strings:
            return np.empty((0, self._model.config.hidden_size), dtype=np.float32)
        ids = self._tokenizer(list(strings), truncation=True, max_length=_MAX_TOKENS)["input_ids"]
        order = sorted(range(len(ids)), key=lambda number: len(ids[number]))
        vectors = torch.empty((len(ids), self._model.config.hidden_size))
        most, least = _TOKENS_A_BATCH[self._device.type], _LEAST_TOKENS[self._device.type]
        start = 0
        with torch.inference_mode():
            while start < len(order):
                stop, width = start + 1, len(ids[order[start]])
                while stop < len(order) and (stop + 1 - start) * (longer := len(ids[order[stop]])) <= most:
                    if longer > width and (stop - start) * width >= least:
                        break
                    stop, width = stop + 1, longer
                chosen = order[start:stop]
                vectors[chosen] = self._forward([ids[number] for number in chosen]).cpu()
                start = stop
        return vectors.numpy()

    def _forward(self, rows: list[list[int]]) -> Any:
        import torch

        width = max(map(len, rows))
        ids = torch.tensor([row + [0] * (width - len(row)) for row in rows], device=self._device)
        mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows], device=self._device)
        states = self._model(input_ids=ids, attention_mask=mask).last_hidden_state
        weights = mask.unsqueeze(-1).to(states.dtype)
        return torch.nn.functional.normalize((states * weights).sum(1) / weights.sum(1), dim=-1)


@lru_cache(maxsize=4)
def sentence_encoder(name: str = "minilm") -> SentenceEncoder:
    """Return a sentence encoder by name; ``minilm`` is all-MiniLM-L6-v2."""
    import torch

    if name != "minilm":
        raise UserError(f"unknown sentence encoder {name!r}{did_you_mean(name, ['minilm'])}")
    return SentenceEncoder(resources.get("minilm"), name, "cuda" if torch.cuda.is_available() else "cpu")
