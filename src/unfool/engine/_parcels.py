"""The same run on a cluster: parcels of samples are its jobs, and the outcomes of each come back together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import islice

from unfool.engine._ask import Constraint
from unfool.engine._attempt import Attack, attack_samples, refusing_silence
from unfool.engine._goal import Goal
from unfool.engine._outcome import Failure, Outcome
from unfool.engine._predict import RowCache
from unfool.engine._victim import Predictor
from unfool.engine._workers import Prepare
from unfool.options import Budget
from unfool.parallel import Workers
from unfool.text import Sample

Step = list[Outcome | Failure]


def attack_in_parcels(
    prepare: Prepare,
    samples: Iterable[Sample],
    *,
    workers: int,
    parcel: int,
    device: str,
    goal: Goal | None = None,
    budget: Budget | None = None,
    constraints: Sequence[Constraint] = (),
    seed: int = 0,
    width: int = 256,
    give_up_after: int | None = None,
    language: str | None = None,
) -> Iterator[Step]:
    """Attack every sample; see `attack_in_workers` for what is not told here.

    Args:
        prepare: Called once in every worker, which keeps what it returns for all its parcels.
        samples: Read lazily.
        workers: How many parcels are under way at once.
        parcel: Samples of a job. What a lost machine had of one is done again.
        device: Where the victim lives.
        goal: What counts as fooled.
        budget: Queries and edits one sample may cost.
        constraints: What every changed text must keep; they must survive pickling.
        seed: Each sample draws from a generator made of this and its id.
        width: Samples in flight in all workers together.
        give_up_after: How many samples of a parcel may fail before the victim gives its first answer.
        language: The language of the texts, for attacks that read several.

    Raises:
        UserError: A parcel has no outcomes.
    """
    attack_some = partial(
        attack_samples,
        goal=goal,
        budget=budget,
        constraints=constraints,
        seed=seed,
        width=max(1, width // workers),
        give_up_after=give_up_after,
        whole=False,
        language=language,
    )
    source = iter(samples)
    parcels = iter(lambda: list(islice(source, parcel)), [])
    with Workers(workers, _Attacker(prepare, attack_some), device=device) as processes:
        steps = _found(processes, parcels)
        # Only all parcels together tell whether the victim is silent.
        yield from steps if give_up_after is None else refusing_silence(steps)


class _Attacker:
    """A worker's victim and attack, opened for the first parcel and kept for the others."""

    def __init__(self, prepare: Prepare, attack_some: Callable[..., Iterator[Step]]) -> None:
        self._prepare, self._attack_some = prepare, attack_some

    @cached_property
    def _opened(self) -> tuple[Predictor, Attack, RowCache]:
        victim, attack = self._prepare(None)
        return victim, attack, RowCache.of(victim)

    def attack(self, parcel: Sequence[Sample]) -> Step:
        victim, attack, known = self._opened
        return [result for step in self._attack_some(victim, parcel, attack, known=known) for result in step]


def _attack(attacker: _Attacker, parcel: Sequence[Sample]) -> Step:
    return attacker.attack(parcel)


def _found(processes: Workers[_Attacker], parcels: Iterable[Sequence[Sample]]) -> Iterator[Step]:
    for done in processes.do(_attack, parcels):
        if done.problem:
            raise done.problem.error()
        yield done.result or []
