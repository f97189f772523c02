"""``unfool train``: models of the zoo, several at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import Progress

from unfool.cli._app import EXIT_SOME_FAILED, app
from unfool.cli._options import device_option
from unfool.cli._printing import print_json, print_rows
from unfool.errors import UserError
from unfool.parallel import choose_workers

if TYPE_CHECKING:
    from unfool.zoo import Trained


@app.command(name="train")
def train_command(
    names: Annotated[
        list[str],
        typer.Argument(help="MODEL@DATA, MODEL@DATA#SEED, 'LSTM-*@DATA' or zoo63@DATA.", show_default=False),
    ],
    twins: Annotated[bool, typer.Option(help="Take each model twice, with seeds 0 and 1.")] = False,
    workers: Annotated[
        int | None, typer.Option(help="Models trained at once; chosen by the machine if not given.", min=1)
    ] = None,
    device: Annotated[str, device_option()] = "auto",
    json: Annotated[bool, typer.Option(help="Print JSON.")] = False,
) -> None:
    """Train models of the zoo, those that are not trained yet, and show their accuracies."""
    from unfool import zoo
    from unfool.devices import torch_device

    chosen = zoo.expand_all(names, twins=twins)
    on_gpu = torch_device(device).type == "cuda"
    at_once = choose_workers(workers, on_gpu=on_gpu, most=len(chosen))
    found = []
    with Progress(transient=True, disable=json or at_once == 1) as bar:
        task = bar.add_task(f"training, {at_once} at once", total=len(chosen))
        for trained in zoo.train_many(chosen, workers=at_once, device=device, progress=not json):
            found.append(trained)
            bar.update(task, advance=1, description=f"trained {trained.named}")
    order = {named: number for number, named in enumerate(chosen)}
    found.sort(key=lambda trained: order[trained.named])
    rows = [_row(trained) for trained in found]
    if json:
        print_json(rows)
    else:
        print_rows(rows)
    failed = [trained for trained in found if trained.error]
    if len(failed) == len(found):
        raise UserError(failed[0].error or "")
    if failed:
        raise typer.Exit(EXIT_SOME_FAILED)


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
