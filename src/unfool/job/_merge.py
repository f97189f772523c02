"""The shards of a run, put together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from unfool.errors import UserError
from unfool.job._job import mean_similarity
from unfool.job._progress import Progress
from unfool.runs import SHARD, Run, Shard, is_run, shard_folders
from unfool.storage import JSON, describe_changes

_BATCH = 1000


def merge(folder: str | Path, sources: Iterable[str | Path] = (), *, progress: bool = True) -> Run:
    """Put the shards of a run together, and return it: the files that one machine would have made alone.

    Args:
        folder: The run's folder, with shards below it as `attack` leaves them if it is told ``shard``.
        sources: Where else shards lie: each a shard's folder, or a folder with shards below it.
        progress: Whether to show a progress bar.

    Raises:
        UserError: If a shard is missing, unfinished, there twice, or of another run.
    """
    folder = Path(folder)
    shards = _complete(folder, [Run.open(place) for place in _places(folder, map(Path, sources))])
    config = _without_shard(shards[0])
    total = sum(len(shard) for shard in shards)
    with _started(folder, config, shards) as run:
        with Progress(total, len(run.done), "merging", heading="", shown=progress) as bar:
            for shard in shards:
                outcomes = (outcome for outcome in shard.outcomes() if outcome.id not in run.done)
                while batch := list(islice(outcomes, _BATCH)):
                    for outcome in batch:
                        run.record(outcome)
                        bar.advance(outcome)
                    run.flush()
                for failure in shard.failures():
                    run.fail(failure)
        found = [shard.summary for shard in shards]
        similarity = mean_similarity(run) if any(each.similarity is not None for each in found) else None
        run.finish(similarity, next((each.random_answers for each in found if each.random_answers), None))
    return Run.open(folder)


@contextmanager
def _started(folder: Path, config: dict[str, JSON], shards: Sequence[Run]) -> Iterator[Run]:
    # A merge that was stopped goes on; its sessions are noted already.
    if is_run(folder):
        with Run.resume(folder, config) as run:
            yield run
    else:
        earlier = [session for shard in shards for session in shard.sessions]
        with Run.create(folder, config, {"merged": len(shards)}, earlier) as run:
            yield run


def _places(folder: Path, sources: Iterable[Path]) -> list[Path]:
    found = shard_folders(folder)
    for source in sources:
        below = shard_folders(source)
        if not below:
            raise UserError(f"{source} is no shard and holds none; name what `unfool attack --shard` made")
        found += below
    return list({place.resolve(): place for place in found}.values())


def _without_shard(run: Run) -> dict[str, JSON]:
    return {key: value for key, value in run.config.items() if key != SHARD}


def _complete(folder: Path, shards: Sequence[Run]) -> list[Run]:
    """Return the shards in order; refuse them unless they are all of one run, each once and finished."""
    if not shards:
        raise UserError(
            f"{folder} has no shards below it; make them with `unfool attack --shard K/N --out {folder}`, "
            "or name the folders they lie in"
        )
    first = shards[0]
    by_place = dict[Shard, Run]()
    for run in shards:
        if changes := describe_changes(_without_shard(first), _without_shard(run)):
            raise UserError(f"{run.folder} is part of another run than {first.folder}: {changes}")
        if SHARD not in run.config:
            raise UserError(f"{run.folder} is a whole run and no shard; take it away")
        shard = Shard.read(str(run.config[SHARD]))
        if shard in by_place:
            raise UserError(
                f"shard {shard} is there twice: {by_place[shard].folder} and {run.folder}; take one away"
            )
        by_place[shard] = run
    parts = sorted({shard.of for shard in by_place})
    if len(parts) > 1:
        raise UserError(
            f"there are shards of {' and '.join(map(str, parts))} parts, which overlap; keep those of one number"
        )
    wanted = [Shard(number, parts[0]) for number in range(1, parts[0] + 1)]
    for about, lacking in (
        ("not there", [shard for shard in wanted if shard not in by_place]),
        ("not finished", [shard for shard in wanted if shard in by_place and not by_place[shard].finished]),
    ):
        if lacking:
            named = ", ".join(map(str, lacking))
            raise UserError(
                f"{f'shard {named} is' if len(lacking) == 1 else f'shards {named} are'} {about}; "
                f"`unfool attack … --shard {lacking[0]} --resume` makes {lacking[0]}"
            )
    return [by_place[shard] for shard in wanted]
