"""What an attack asks of a net, and how fast the net alone could answer that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from bench._common import now
from unfool.engine import Pending, PendingAnswers, Service
from unfool.text import Text
from unfool.victims import GradientRequest, WhiteBoxVictim
from unfool.victims.tokens import TokenBatch, UnitRows

_BATCH_TOKENS = {"cpu": (2048, 8192), "cuda": (32_768, 131_072, 524_288)}
_BLOCKS = 4
_SPEED_TEXTS = {"cpu": 32, "cuda": 2048}


class Asked:
    """Notes what a victim is asked: rows to answer, and texts to differentiate."""

    def __init__(self, victim: WhiteBoxVictim) -> None:
        self.rows = 0
        self.texts: list[Text] = []
        self._victim, self._launch, self._gradients = victim, victim.launch, victim.gradients
        victim.launch = self._noting_rows  # type: ignore[method-assign]
        victim.__dict__["gradients"] = self

    def _noting_rows(self, rows: UnitRows, chosen: NDArray[np.intp]) -> PendingAnswers:
        self.rows += len(chosen)
        return self._launch(rows, chosen)

    def launch(self, requests: Sequence[GradientRequest]) -> Pending:
        """Differentiate, as the victim's own service does."""
        self.texts += [request.text for request in requests]
        service: Service = self._gradients
        return service.launch(requests)

    def stop(self) -> list[Text]:
        """Leave the victim as it was, and return some of the texts, those asked together side by side."""
        del self._victim.launch, self._victim.__dict__["gradients"]
        size = _SPEED_TEXTS[self._victim.device.type] // _BLOCKS
        starts = np.linspace(0, max(0, len(self.texts) - size), _BLOCKS).astype(int).tolist()
        return [text for start in starts for text in self.texts[start : start + size]]


class Speed(NamedTuple):
    """Seconds a text of a net alone."""

    forward: float
    both: float
    """Forward and backward."""

    @classmethod
    def of(cls, victim: WhiteBoxVictim, texts: Sequence[Text]) -> Speed:
        """Time the passes over full batches of these texts, sorted by length, each in its fastest batch size."""
        found = []
        own = victim.packing
        for tokens in _BATCH_TOKENS[victim.device.type]:
            victim.packing = own._replace(tokens=tokens, least=tokens)
            cuts = [cut.batch for cut in victim.in_batches(texts)]
            victim.packing = own
            found.append([_seconds(run, victim, cuts) / len(texts) for run in (_forward, _both)])
        return cls(*np.min(found, axis=0).tolist())


def _seconds(
    run: Callable[[WhiteBoxVictim, TokenBatch], object], victim: WhiteBoxVictim, cuts: list[TokenBatch]
) -> float:
    for batch in cuts:  # the first time a shape is met, kernels are made for it
        run(victim, batch)
    start = now(victim)
    for batch in cuts:
        run(victim, batch)
    return now(victim) - start


def _forward(victim: WhiteBoxVictim, batch: TokenBatch) -> None:
    with torch.inference_mode():
        victim.logits(batch, full=False)


def _both(victim: WhiteBoxVictim, batch: TokenBatch) -> None:
    vectors = victim.embed(batch).detach().requires_grad_()
    with victim.differentiable():
        torch.autograd.grad(victim.logits_of(vectors, batch)[:, 0].sum(), vectors)
