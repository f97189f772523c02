"""How tests read texts with an ELMo."""

from __future__ import annotations

import torch

from unfool.zoo.encoders import CharWords
from unfool.zoo.fronts.elmo import Elmo

TEXTS = ("Ce n'est rien, naïve reader", "short", "a b", "")


def encoded(*texts: str, padding: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    rows = CharWords(None).pieces(texts)
    ids = torch.zeros(len(rows), max(map(len, rows)) + padding, dtype=torch.long)
    for row, tokens in zip(ids, rows, strict=True):
        row[: len(tokens)] = torch.tensor(tokens)
    return ids, ids > 0


def read(elmo: Elmo, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return elmo.read(elmo.embed(ids), ids, mask).vectors
