"""The zoo's models by name: trained on first use, alone or several at once, and opened as victims."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import NamedTuple

from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.parallel import Folder, Workers, on_this_machine, works_here
from unfool.resources import build_once
from unfool.training import TrainingReport, have_changed
from unfool.victims import Options, VictimName, victim_kind
from unfool.zoo import store
from unfool.zoo._catalogue import EncoderRecipe, NetRecipe, entry
from unfool.zoo._train import fine_tune, train_net
from unfool.zoo.data_cache import DatasetCache
from unfool.zoo.victim_names import PREFIX, Named, models_home, parse, slow_first


@victim_kind("zoo:NAME@DATA")
def zoo(name: str, options: Options) -> Predictor:
    """A model of the zoo, trained on first use."""
    named = VictimName.read(name, batches=False)
    return named.decided(victim(named.bare, device=options.device, dtype=options.dtype))


def victim(name: str, *, device: str = "auto", dtype: str = "fp32", progress: bool = True) -> Predictor:
    """Return a model of the zoo; it is trained on first use and kept in the user's cache.

    Args:
        name: ``zoo:MODEL@DATA``, ``zoo:MODEL@DATA#SEED`` (default: seed 0), or ``zoo:`` and a folder that `save`
            made; ``zoo:`` may be left out.
        device: ``cpu``, ``cuda`` or ``auto``.
        dtype: ``fp32``, ``bf16`` for the search, or ``auto``.
        progress: Whether to show a bar while the model is trained.

    Raises:
        UserError: If the name or its data set is unknown.
    """
    bare = name.removeprefix(PREFIX)
    if Path(bare).expanduser().is_dir():
        return store.load(bare, device=device, dtype=dtype)
    named = parse(bare)
    ensure(named, device=device, progress=progress)
    recipe = entry(named.model).recipe
    if isinstance(recipe, NetRecipe):
        return store.load(named.folder, device=device, dtype=dtype, name=str(named))
    if isinstance(recipe, EncoderRecipe):
        from unfool.victims import Transformer

        return Transformer(str(named.folder), device=device, dtype=dtype, name=str(named))
    from unfool.zoo import classical

    return classical.load(named.folder, str(named))


def ensure(
    named: Named, *, device: str = "auto", progress: bool = True, datasets: DatasetCache | None = None
) -> Path:
    """Train a model unless it is trained already, and return its folder; ``datasets`` keeps what others read."""
    report = named.report
    if report and report.fingerprint and have_changed(named.data, report.fingerprint):
        raise UserError(
            f"{named} was trained before {named.data} changed; delete {named.folder} to train it anew, "
            "or restore the data"
        )
    recipe = entry(named.model).recipe
    read = datasets or DatasetCache()

    def build(folder: Path) -> None:
        if isinstance(recipe, NetRecipe):
            train_net(recipe, named, folder, device, progress, read)
        elif isinstance(recipe, EncoderRecipe):
            fine_tune(recipe, named, folder, device, progress, read)
        else:
            from unfool.zoo import classical

            classical.train(named.model, read.splits(named.data), folder, data=named.data, seed=named.seed)

    return build_once(named.folder, build)


class Trained(NamedTuple):
    """A trained model, or the reason why it could not be trained."""

    named: Named
    report: TrainingReport | None
    error: str | None = None


def train_many(
    chosen: Sequence[Named], *, workers: int = 1, device: str = "auto", progress: bool = True
) -> Iterator[Trained]:
    """Train what is not trained yet, and yield each model as soon as it is there.

    One small net leaves a GPU, or all cores but one, nearly idle; several at once do not. A model that cannot be
    trained does not keep the others from it; one that finds the GPU full beside others, or whose process ends
    early, is trained once more when the others are done.

    Args:
        chosen: The models.
        workers: How many are trained at once, each in a process of its own.
        device: ``cpu``, ``cuda`` or ``auto``.
        progress: Whether to show a bar for each, if one is trained at a time.
    """
    names = dict.fromkeys(chosen)
    there = [named for named in names if named.report]
    todo = [named for named in names if named not in there]
    if workers > 1:
        todo = [parse(name) for name in slow_first(map(str, todo))]
    shared = partial(ensure, device=device, progress=progress and works_here(workers), datasets=DatasetCache())
    # Those that are there need no processes.
    for jobs, at_once, where in ((there, 1, on_this_machine), (todo, min(workers, len(todo)), nullcontext)):
        with where(), Workers(at_once, shared, folders=[Folder(models_home(), models_home)], device=device) as pool:
            for done in pool.do(_train, jobs, pieces=lambda named: [named.folder]):
                yield Trained(done.job, done.result, done.problem and str(done.problem))


def _train(ensured: Callable[[Named], Path], named: Named) -> TrainingReport | None:
    ensured(named)
    return named.report
