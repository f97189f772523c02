"""``unfool harden``: train a victim to withstand attacks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unfool.cli import options as option
from unfool.cli.app import stoppable, tell
from unfool.cli.options import grouped, labelled, tell_skipped
from unfool.cli.printing import print_json
from unfool.errors import UserError
from unfool.options import Reading
from unfool.stats import Rate

_TRAINING = "The training"


@grouped
def harden_command(
    *,
    method: Annotated[
        str,
        typer.Argument(help="NAME or NAME:key=value,key=value; see 'list methods'.", show_default=False),
    ],
    victim: Annotated[str, typer.Option(help="A Hugging Face classifier (hf:…) or a neural model of the zoo.")],
    data: Annotated[str, typer.Option(help="A data set with a split 'train', or a file.")],
    out: Annotated[Path, typer.Option(help="The new model's folder.", readable=False)],
    n: option.Count = None,
    reading: Reading,
    epochs: Annotated[
        int, typer.Option(help="Epochs: how often the training data is seen.", min=1, rich_help_panel=_TRAINING)
    ] = 3,
    lr: Annotated[
        float | None, typer.Option(help="Learning rate; default: 2e-5 (hf), 1e-3 (zoo).", rich_help_panel=_TRAINING)
    ] = None,
    batch: Annotated[
        int | None,
        typer.Option(help="Texts in a step; default: 32 (hf), 64 or 256 (zoo).", rich_help_panel=_TRAINING),
    ] = None,
    accumulate: Annotated[
        int,
        typer.Option(help="Compute a step in this many parts, to save memory.", min=1, rich_help_panel=_TRAINING),
    ] = 1,
    start: Annotated[
        str,
        typer.Option(
            help="'victim' trains it further; 'new' starts a zoo model from scratch; or an encoder's folder.",
            rich_help_panel=_TRAINING,
        ),
    ] = "victim",
    keep: Annotated[
        str | None,
        typer.Option(
            help="Keep the epoch that is 'best' on clean texts, or the 'last'; default: last, for plain best.",
            rich_help_panel=_TRAINING,
        ),
    ] = None,
    seed: option.Seed = 0,
    device: option.Device = "auto",
    resume: option.Resume = False,
    quiet: option.Quiet = False,
    json: option.AsJson = False,
) -> None:
    """Train a victim to withstand attacks; the result is an ordinary model folder."""
    from unfool.defences.harden import harden

    if keep not in (None, "best", "last"):
        raise UserError(f"--keep {keep} is neither 'best' nor 'last'")
    with stoppable():
        hardened = harden(
            method,
            victim,
            data,
            out,
            epochs=epochs,
            lr=lr,
            batch=batch,
            accumulate=accumulate,
            start=start,
            keep=keep,  # type: ignore[arg-type]
            n=n,
            reading=labelled(reading),
            seed=seed,
            device=device,
            resume=resume,
            progress=not (quiet or json),
            skipped=tell_skipped,
            say=tell,
        )
    if json:
        print_json({"model": str(out), **hardened.to_json()})
        return
    for split, measured in (("validation", hardened.validation), ("test", hardened.test)):
        if measured:
            rate = Rate(round(measured.share * measured.n), measured.n)
            typer.echo(f"{split} accuracy {rate} of {measured.n}, on clean texts")
    if "flipped" in hardened.figures:
        typer.echo(f"flipped {hardened.figures['flipped']:.1%} of the characters, or words, that could be")
    typer.echo(f"epoch {hardened.epoch} of {hardened.settings['epochs']}, {hardened.seconds:.1f} seconds")
    typer.echo(f"model: {hardened.model}")
