"""What both benchmarks share: the limit of a victim, and a run of unfool against it."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from unfool.attacks import Attack, find_attack
from unfool.engine import (
    Budget,
    Connection,
    Failure,
    Outcome,
    PendingAnswers,
    Predictor,
    Status,
    attack_in_workers,
    attack_samples,
)
from unfool.text import Sample, Text
from unfool.victims import RemoteVictim, serve
from unfool.victims.tokens import EncodedVictim, TokenBatch, UnitRows


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


def run_unfool(
    victim: Predictor,
    samples: Sequence[Sample],
    attack: Attack,
    width: int,
    budget: Budget | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Measured:
    """Attack the samples in this process and take the time."""
    start = clock()
    outcomes = list(outcomes_of(attack_samples(victim, samples, attack, budget=budget, width=width)))
    return Measured(outcomes, clock() - start)


def outcomes_of(steps: Iterator[list[Outcome | Failure]]) -> Iterator[Outcome]:
    for step in steps:
        for outcome in step:
            if isinstance(outcome, Failure):
                raise RuntimeError(f"sample {outcome.id}: {outcome.error}")
            yield outcome


def labelled(victim: EncodedVictim, sentences: Sequence[str]) -> list[Sample]:
    """Give every sentence the label the victim gives it, so that every one is attacked."""
    answers = victim.confirm([(sentence,) for sentence in sentences]).values.argmax(axis=1)
    return [Sample(n, Text.of(s), int(a)) for n, (s, a) in enumerate(zip(sentences, answers, strict=True))]


def warm_up_and_rest(samples: list[Sample], warm: int) -> tuple[list[Sample], list[Sample]]:
    """Part the samples that are attacked before the clock starts from those that are measured.

    Raises:
        SystemExit: If none is left to measure.
    """
    if len(samples) <= warm:
        raise SystemExit(f"{len(samples)} texts, of which {warm} warm up: none is left to measure; give more")
    return samples[:warm], samples[warm:]


def in_workers(
    open_victim: Callable[[], EncodedVictim],
    attack: str,
    warm_up: list[Sample],
    samples: list[Sample],
    workers: int,
    width: int,
    *,
    shared: bool = True,
) -> Measured:
    """Run in several processes; the clock runs from when all are ready to the last outcome.

    The victim is with a server where ``shared``; else, since a server gives no gradients, each worker has its own.
    """
    with tempfile.TemporaryDirectory() as temporary:
        gate = Path(temporary)
        start: list[float] = []

        def open_gate() -> None:
            while len(list(gate.iterdir())) < workers:
                time.sleep(0.005)
            start.append(time.perf_counter())
            (gate / "open").touch()

        threading.Thread(target=open_gate, daemon=True).start()
        job = partial(_prepare, open_victim, attack, warm_up, gate)
        server = partial(serve, open_victim) if shared else None
        steps = attack_in_workers(job, samples, workers=workers, serve=server, width=width)
        outcomes = list[Outcome]()
        for outcome in outcomes_of(steps):
            outcomes.append(outcome)
            # Not after the loop: by then the processes have ended, and a server takes a while to leave its GPU.
            end = time.perf_counter()
        return Measured(outcomes, end - start[0])


def _prepare(
    open_victim: Callable[[], EncodedVictim],
    name: str,
    warm_up: list[Sample],
    gate: Path,
    connection: Connection | None,
) -> tuple[EncodedVictim, Attack]:
    """Borrow or open the victim in a worker, warm up, and wait at the gate until every worker is there."""
    victim, attack = RemoteVictim(connection) if connection else open_victim(), find_attack(name)
    run_unfool(victim, warm_up, attack, 1024)
    (gate / str(os.getpid())).touch()
    while not (gate / "open").exists():
        time.sleep(0.005)
    return victim, attack


def table(rows: Sequence[dict[str, object]]) -> str:
    """Return rows of the same columns as Markdown."""
    lines = ["| " + " | ".join(map(str, cells)) + " |" for cells in (rows[0], *(row.values() for row in rows))]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def print_table(rows: Sequence[dict[str, object]]) -> None:
    """Print rows of the same columns as Markdown."""
    print(table(rows))


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


def wall_clock(victim: EncodedVictim) -> float:
    """Return the time at which all that was asked of the victim's device is done."""
    if victim.device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


def now(victim: EncodedVictim) -> float:
    """Return that time; on a CPU with one thread, the processor's, which the work of others stretches less."""
    one_core = victim.device.type == "cpu" and torch.get_num_threads() == 1
    return time.process_time() if one_core else wall_clock(victim)


def raw_rate(
    victim: EncodedVictim,
    lengths: NDArray[np.int64],
    vocabulary: int,
    repeats: int = 5,
    full: bool = False,
    clock: Callable[[EncodedVictim], float] = wall_clock,
) -> float:
    """Return the texts a second the victim's net alone does on full batches at these lengths.

    Ten lengths, evenly spread over the sorted ones, each a full batch of random tokens without any padding: the
    forward pass and nothing else.
    """
    packing, device = victim.packing, victim.device
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
            start = clock(victim)
            for _ in range(repeats):
                victim.logits(batch, full=full)
            seconds_a_text.append((clock(victim) - start) / repeats / count)
    return 1 / float(np.mean(seconds_a_text))
