"""Several models at once: one small net leaves a GPU, or all cores but one, nearly idle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from unfool.parallel import Done, Workers
from unfool.training import TrainingReport
from unfool.zoo._names import Named
from unfool.zoo._train import ensure
from unfool.zoo.data_cache import DatasetCache


class Trained(NamedTuple):
    """A trained model, or the reason why it could not be trained."""

    named: Named
    report: TrainingReport | None
    error: str | None = None


def train_many(
    chosen: Sequence[Named], *, workers: int = 1, device: str = "auto", progress: bool = True
) -> Iterator[Trained]:
    """Train what is not trained yet, and yield each model as soon as it is there.

    A model that cannot be trained does not keep the others from it; one that finds the GPU full beside others, or
    whose process ends early, is trained once more when the others are done.

    Args:
        chosen: The models.
        workers: How many are trained at once, each in a process of its own.
        device: ``cpu``, ``cuda`` or ``auto``.
        progress: Whether to show a bar for each; only where one is trained at a time.
    """
    names = dict.fromkeys(chosen)
    there = [named for named in names if named.report]
    todo = [named for named in names if named not in there]
    if workers > 1:  # The slow ones first: the last to be started decides when all are done.
        todo.sort(key=_cost, reverse=True)
    training = _Training(device, progress and workers == 1, DatasetCache())
    # Those that are there need no processes.
    for some, processes in ((there, 1), (todo, min(workers, len(todo)))):
        with Workers(processes, training) as pool:
            yield from map(_trained, pool.do(_train, some))


class _Training(NamedTuple):
    """What every model needs; each process reads the data sets itself."""

    device: str
    progress: bool
    datasets: DatasetCache


def _train(training: _Training, named: Named) -> TrainingReport | None:
    ensure(named, device=training.device, progress=training.progress, datasets=training.datasets)
    return named.report


def _trained(done: Done[Named, TrainingReport | None]) -> Trained:
    return Trained(done.job, done.result, done.problem and str(done.problem))


def _cost(named: Named) -> float:
    """Say how long a training takes beside others: LSTMs over letters first, then transformers, then by depth."""
    kind, _, reads = named.model.partition("-")
    depth = reads.rpartition("-")[2]
    if not depth.isdigit():
        return 2.5
    letters = 1.0 if reads.startswith("C-") and kind != "CNN" else 0.1
    return letters * int(depth) * (2 if kind == "BiLSTM" else 1)
