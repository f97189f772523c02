"""``unfool train``, ``pack`` and ``unpack``: models of the zoo, trained and taken to other machines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import Progress

from unfool.cli import options as option
from unfool.cli.app import EXIT_SOME_FAILED, shared_on
from unfool.cli.printing import print_json, print_rows
from unfool.errors import UserError, counted
from unfool.parallel import choose_workers, cluster_told, works_here

if TYPE_CHECKING:
    from unfool.zoo import Trained
    from unfool.zoo.translators import Named as Translator


def train_command(
    names: Annotated[
        list[str],
        typer.Argument(
            help="MODEL@DATA, MODEL@DATA#SEED, 'LSTM-*@DATA' or zoo63@DATA; of translators NMT-…@PAIRS.",
            show_default=False,
        ),
    ],
    twins: Annotated[bool, typer.Option(help="Take each model twice, with seeds 0 and 1.")] = False,
    workers: Annotated[
        int | None, typer.Option(help="Models trained at once; chosen by the machine if not given.", min=1)
    ] = None,
    cluster: option.Cluster = None,
    device: option.Device = "auto",
    json: option.AsJson = False,
) -> None:
    """Train models of the zoo, those that are not trained yet, and show their accuracies, or BLEU.

    Translators are trained one after the other, before the classifiers.
    """
    from unfool import zoo
    from unfool.devices import torch_device
    from unfool.zoo import translators

    writing = [translators.parse(name) for name in names if translators.is_translator(name)]
    if twins:
        writing = [named._replace(seed=seed) for named in writing for seed in (0, 1)]
    chosen = zoo.expand_all([name for name in names if not translators.is_translator(name)], twins=twins)
    of_translators = [_row_of_translator(named, device, progress=not json) for named in writing]
    on_gpu = torch_device(device).type == "cuda"
    found = []
    with shared_on(cluster):
        at_once = choose_workers(workers, on_gpu=on_gpu, most=len(chosen))
        with Progress(transient=True, disable=json or works_here(at_once)) as bar:
            task = bar.add_task(f"training, {at_once} at once", total=len(chosen))
            for trained in zoo.train_many(chosen, workers=at_once, device=device, progress=not json):
                found.append(trained)
                bar.update(task, advance=1, description=f"trained {trained.named} {cluster_told()}")
    order = {named: number for number, named in enumerate(chosen)}
    found.sort(key=lambda trained: order[trained.named])
    rows = [*of_translators, *(_row(trained) for trained in found)]
    if json:
        print_json(rows)
    else:
        print_rows(rows)
    failed = [trained for trained in found if trained.error]
    if failed and len(failed) == len(rows):
        raise UserError(failed[0].error or "")
    if failed:
        raise typer.Exit(EXIT_SOME_FAILED)


def _row_of_translator(named: Translator, device: str, *, progress: bool) -> dict[str, object]:
    from unfool.zoo import translators

    translators.translator(str(named), device=device, progress=progress)
    told = translators.training(named)
    return {
        "model": str(named),
        "test": "",
        "validation": f"BLEU {told['bleu']:.1f}",
        "seconds": round(told["seconds"], 1),
        "problem": "",
    }


def _row(trained: Trained) -> dict[str, object]:
    from unfool.stats import wilson

    row: dict[str, object] = {
        "model": str(trained.named),
        "test": "",
        "validation": "",
        "seconds": "",
        "problem": "",
    }
    report = trained.report
    if not report:
        return {**row, "problem": trained.error or ""}
    for split, reached in (("test", report.test), ("validation", report.validation)):
        if reached:
            share, n = reached
            low, high = wilson(round(share * n), n)
            row[split] = f"{100 * share:.1f} % [{100 * low:.1f}, {100 * high:.1f}] of {n}"
    return {**row, "seconds": report.seconds}


def pack_command(
    names: Annotated[
        list[str],
        typer.Argument(help="MODEL@DATA, MODEL@DATA#SEED, 'LSTM-*@DATA' or zoo63@DATA.", show_default=False),
    ],
    out: Annotated[Path, typer.Option(help="The file to write.", show_default=False)],
    twins: Annotated[bool, typer.Option(help="Take each model twice, with seeds 0 and 1.")] = False,
) -> None:
    """Write trained models of the zoo, in half precision, into one file to take along."""
    from unfool import zoo

    chosen = zoo.expand_all(names, twins=twins)
    with Progress(transient=True) as bar:
        task = bar.add_task("packing", total=len(chosen))
        for named in zoo.pack(chosen, out):
            bar.update(task, advance=1, description=f"packed {named}")
    size = out.expanduser().stat().st_size / 1e6
    typer.echo(
        f"{counted(len(chosen), 'model', 'models')} in {out}, {size:.1f} MB; `unfool unpack {out}` brings them back"
    )


def unpack_command(
    files: Annotated[list[Path], typer.Argument(help="What `unfool pack` wrote.", show_default=False)],
) -> None:
    """Put packed models into the cache; those trained here stay as they are."""
    from unfool import zoo

    for file in files:
        with Progress(transient=True) as bar:
            task = bar.add_task(f"unpacking {file}", total=None)
            new = []
            for named, is_new in zoo.unpack(file):
                new.append(is_new)
                bar.update(task, description=f"unpacked {named}")
        typer.echo(f"{file}: {counted(sum(new), 'model', 'models')} unpacked, {len(new) - sum(new)} were there")
