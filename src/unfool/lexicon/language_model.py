"""A causal language model as a service: strings in, the logarithms of their perplexities out, or their surprise."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.devices import LOADING, runs_in_half, torch_device
from unfool.errors import UserError
from unfool.lexicon._string_service import StringService, by_length
from unfool.resources.smollm2 import MISSING, smollm2_folder

_BLOCK = 256
"""Tokens a row: longer strings are read in blocks, so that their end counts as their start does."""
_TOKENS_A_BATCH = {"cpu": 1024, "cuda": 16_384}
_DECIMALS, _TOTAL_DECIMALS = 4, 3
"""What does not move with the batch's shape."""


class _Row(NamedTuple):
    string: int
    tokens: list[int]


class LanguageModel(StringService[float]):
    """The mean surprise of a string's tokens, which is the logarithm of its perplexity; 0 for an empty string."""

    def __init__(self, model: Any, tokenizer: Any, name: str, device: str = "auto") -> None:
        super().__init__()
        self.name = name
        self._device = torch_device(device)
        self._tokenizer = tokenizer
        self._model = model.to(self._device).eval()
        starts = (tokenizer.bos_token_id, tokenizer.eos_token_id)  # of GPT-2 and its like the end is the start
        start = next((token for token in starts if token is not None), None)
        if start is None:
            raise UserError(f"{name} has no token that a text starts with; set bos_token in its tokenizer")
        self._start = int(start)
        self._block = min(_BLOCK, getattr(model.config, "max_position_embeddings", _BLOCK + 1) - 1)
        self.totals: StringService[float] = _Totals(self)
        """The surprise of all of a string's tokens; of strings that end differently, the likeliest has least."""

    def __repr__(self) -> str:
        return "language_model()"

    @cached_property
    def quick(self) -> LanguageModel:
        """The same net in bfloat16, if the device is fast in that: for a search, not for what decides."""
        if not runs_in_half("auto", self._device):
            return self
        halved = self.with_nothing_kept()
        halved._model = copy.deepcopy(self._model).bfloat16()
        halved.totals = _Totals(halved)
        return halved

    def work_out(self, strings: Sequence[str]) -> list[float]:
        """Return the logarithm of each string's perplexity."""
        totals, counts = self.surprise(strings)
        means: list[float] = np.round(totals / np.maximum(1, counts), _DECIMALS).tolist()
        return means

    def surprise(self, strings: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the summed surprise of each string's tokens, and how many there are."""
        encoded = self._tokenizer(list(strings), add_special_tokens=False)["input_ids"] if strings else []
        rows = [
            _Row(number, tokens[start : start + self._block])
            for number, tokens in enumerate(encoded)
            for start in range(0, len(tokens), self._block)
        ]
        totals = np.zeros(len(encoded))
        for batch in by_length([len(row.tokens) for row in rows], _TOKENS_A_BATCH[self._device.type]):
            surprises = self._surprises([rows[number].tokens for number in batch])
            for number, surprise in zip(batch, surprises, strict=True):
                totals[rows[number].string] += surprise
        return totals, np.array([len(tokens) for tokens in encoded], dtype=np.int64)

    def _surprises(self, rows: list[list[int]]) -> list[float]:
        """Return the summed surprise of each row's tokens, each seen after those before it."""
        import torch

        width = max(map(len, rows))
        ids = torch.tensor([[self._start, *row, *[self._start] * (width - len(row))] for row in rows])
        mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows], device=self._device)
        ids = ids.to(self._device)
        with torch.inference_mode():
            # Padding stands behind the tokens that count, and no token looks ahead: no attention mask is needed.
            logits = self._model(input_ids=ids[:, :-1]).logits.float()
            surprise = torch.nn.functional.cross_entropy(logits.transpose(1, 2), ids[:, 1:], reduction="none")
        sums: list[float] = (surprise * mask).sum(dim=1).tolist()
        return sums


class _Totals(StringService[float]):
    def __init__(self, model: LanguageModel) -> None:
        super().__init__()
        self._model = model

    def work_out(self, strings: Sequence[str]) -> list[float]:
        found: list[float] = np.round(self._model.surprise(strings)[0], _TOTAL_DECIMALS).tolist()
        return found


@cache
def language_model() -> LanguageModel:
    """Return SmolLM2-135M-Instruct, which is obtained and converted on first use."""
    try:
        import torch
        from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast
        from transformers.utils import logging
    except ImportError:
        raise UserError(MISSING) from None
    folder = smollm2_folder()
    logging.disable_progress_bar()
    # The very tokenizer.json is used: Llama's own class would build another one from its vocabulary.
    tokenizer: Any = PreTrainedTokenizerFast.from_pretrained(folder)
    with LOADING:
        model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, trust_remote_code=False)
    return LanguageModel(model, tokenizer, "SmolLM2-135M-Instruct")
