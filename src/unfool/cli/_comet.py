"""``unfool comet``: a translator's outputs scored by a model that learnt from people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unfool.cli import options as option
from unfool.cli.printing import print_json, print_table


def comet_command(
    run: Annotated[Path, typer.Argument(help="A translator's run folder.", readable=False)],
    model: Annotated[
        Path, typer.Option(help="A COMET model's folder: hparams.yaml and checkpoints/model.ckpt.", readable=False)
    ],
    python: Annotated[
        Path | None,
        typer.Option(help="The Python that has unbabel-comet; this one if not given.", readable=False),
    ] = None,
    device: option.Device = "auto",
    allow_code: Annotated[bool, typer.Option(help="Open the checkpoint: a pickle, which may run code.")] = False,
    json: option.AsJson = False,
) -> None:
    """Score a run's outputs before and after by COMET, as translations of the sources as they were."""
    from dataclasses import asdict

    from unfool.runs import Run, comet

    found = comet(Run.open(run), model, python=python, device=device, allow_code=allow_code)
    if json:
        print_json(asdict(found))
        return
    difference = f"{found.difference:+.3f} [{found.low:+.3f}, {found.high:+.3f}]"
    print_table(
        ["outputs", "COMET before", "COMET after", "difference"],
        [[str(found.texts), f"{found.before:.3f}", f"{found.after:.3f}", difference]],
    )
