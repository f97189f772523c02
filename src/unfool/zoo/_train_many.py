"""Several models at once: one small net leaves a GPU, or all cores but one, nearly idle."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from typing import Any, NamedTuple

from unfool._processes import process_pool
from unfool.errors import UserError
from unfool.victims._device import gpu_is_full
from unfool.zoo._names import Named, ensure
from unfool.zoo._shelf import Shelf


class Trained(NamedTuple):
    """A model that is there now, or why it is not."""

    named: Named
    told: dict[str, Any] | None
    error: str | None = None


def train_many(
    chosen: Sequence[Named], *, workers: int = 1, device: str = "auto", progress: bool = True
) -> Iterator[Trained]:
    """Train what is not trained yet, and yield each model as soon as it is there.

    A model that cannot be trained does not keep the others from it.

    Args:
        chosen: The models.
        workers: How many are trained at once, each in a process of its own.
        device: ``cpu``, ``cuda`` or ``auto``.
        progress: Whether to show a bar for each; only where one is trained at a time.
    """
    shelf = Shelf()
    todo = [named for named in dict.fromkeys(chosen) if not named.told]
    yield from (_train(named, device, progress, shelf) for named in dict.fromkeys(chosen) if named.told)
    if workers == 1:
        for named in todo:
            yield _train(named, device, progress, shelf)
        return
    with process_pool(workers) as pool:
        # The slow ones first: the last to be started decides when all are done.
        slow_first = sorted(todo, key=_cost, reverse=True)
        under_way = {pool.submit(_train_beside_others, named, device): named for named in slow_first}
        for future in as_completed(under_way):
            try:
                yield future.result()
            except BrokenProcessPool:
                yield Trained(under_way[future], None, "its process ended early; train fewer at once")


def _train_beside_others(named: Named, device: str) -> Trained:
    return _train(named, device, False, _shelf_of_this_process())


@cache
def _shelf_of_this_process() -> Shelf:
    return Shelf()


def _train(named: Named, device: str, progress: bool, shelf: Shelf) -> Trained:
    try:
        ensure(named, device=device, progress=progress, shelf=shelf)
    except UserError as error:
        return Trained(named, None, str(error))
    except RuntimeError as error:
        if not gpu_is_full(error):
            raise
        return Trained(named, None, "the GPU's memory is full; train fewer at once")
    finally:
        # What this process keeps for its next model, others cannot have.
        if torch := sys.modules.get("torch"):
            torch.cuda.empty_cache()
    return Trained(named, named.told)


def _cost(named: Named) -> float:
    """Say how long a training takes beside others: LSTMs over letters first, then transformers, then by depth."""
    kind, _, reads = named.model.partition("-")
    depth = reads.rpartition("-")[2]
    if not depth.isdigit():
        return 2.5
    letters = 1.0 if reads.startswith("C-") and kind != "CNN" else 0.1
    return letters * int(depth) * (2 if kind == "BiLSTM" else 1)
