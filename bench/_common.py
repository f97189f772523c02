"""What both benchmarks share: the limit of a victim, and a run of unfool against it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from unfool.attacks import Attack
from unfool.engine import Failure, Outcome, PendingAnswers, Status, attack_samples
from unfool.text import Sample
from unfool.victims._encoded import EncodedVictim
from unfool.victims._packing import TokenBatch
from unfool.victims._units import UnitRows


class Measured(NamedTuple):
    """One run of unfool over samples."""

    outcomes: list[Outcome]
    seconds: float

    @property
    def asked(self) -> int:
        """Texts the victim was asked about: queries and checks."""
        return sum(outcome.queries + outcome.checks for outcome in self.outcomes)

    @property
    def attacked(self) -> list[Outcome]:
        """Outcomes of the samples that were attacked."""
        return [outcome for outcome in self.outcomes if outcome.status is not Status.SKIPPED]

    @property
    def success(self) -> float:
        """Percentage of the attacked samples that fell."""
        return 100 * float(np.mean([outcome.status is Status.SUCCESS for outcome in self.attacked]))

    @property
    def words_changed(self) -> float:
        """Mean percentage of words changed over the successes."""
        fallen = [o for o in self.attacked if o.status is Status.SUCCESS]
        return 100 * float(np.mean([o.words_changed / max(1, o.words) for o in fallen])) if fallen else 0.0

    @property
    def queries(self) -> float:
        """Mean queries an attacked sample."""
        return float(np.mean([outcome.queries for outcome in self.attacked]))


def run_unfool(victim: EncodedVictim, samples: Sequence[Sample], attack: Attack, width: int) -> Measured:
    """Attack the samples in this process and take the time."""
    start = time.perf_counter()
    outcomes = list(outcomes_of(attack_samples(victim, samples, attack, width=width)))
    return Measured(outcomes, time.perf_counter() - start)


def outcomes_of(steps: Iterator[list[Outcome | Failure]]) -> Iterator[Outcome]:
    for step in steps:
        for outcome in step:
            if isinstance(outcome, Failure):
                raise RuntimeError(f"sample {outcome.id}: {outcome.error}")
            yield outcome


class LengthRecorder:
    """Notes the length of every row a victim is asked, so that the limit is taken at the same lengths."""

    def __init__(self, victim: EncodedVictim) -> None:
        self.lengths: list[NDArray[np.int64]] = []
        self._launch = victim.launch
        victim.launch = self._noting  # type: ignore[method-assign]
        self._victim = victim

    def _noting(self, rows: UnitRows, chosen: NDArray[np.intp]) -> PendingAnswers:
        suffix, most = len(self._victim.encoder.suffix), self._victim.encoder.max_length
        self.lengths.append(np.minimum(rows.lengths[chosen] + suffix, most))
        return self._launch(rows, chosen)

    def stop(self) -> NDArray[np.int64]:
        """Return the lengths, sorted, and leave the victim as it was."""
        del self._victim.launch
        return np.sort(np.concatenate(self.lengths))


def raw_rate(
    victim: EncodedVictim,
    lengths: NDArray[np.int64],
    vocabulary: int,
    repeats: int = 5,
    full: bool = False,
) -> float:
    """Return the texts a second the victim's net alone does on full batches at these lengths.

    Ten lengths, evenly spread over the sorted ones, each a full batch of random tokens without any padding: the
    forward pass and nothing else.
    """
    packing, device = victim.packing, victim.device

    def now() -> float:
        if device.type == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter()

    seconds_a_text = []
    generator = np.random.default_rng(0)
    with torch.inference_mode():
        for share in np.linspace(0.05, 0.95, 10):
            length = max(int(lengths[int(share * (len(lengths) - 1))]), packing.shortest)
            width = -(-length // packing.multiple) * packing.multiple
            count = max(1, packing.tokens // width)
            ids = torch.from_numpy(generator.integers(1000, vocabulary, (count, width))).to(device)
            batch = TokenBatch(ids, torch.ones_like(ids, dtype=torch.bool), torch.zeros_like(ids))
            victim.logits(batch, full=full)
            start = now()
            for _ in range(repeats):
                victim.logits(batch, full=full)
            seconds_a_text.append((now() - start) / repeats / count)
    return 1 / float(np.mean(seconds_a_text))
