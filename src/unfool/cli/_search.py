"""``unfool search``: try settings of a defence for so many minutes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from unfool.cli import options as option
from unfool.cli.app import stoppable
from unfool.cli.in_a_row import NamesInARow
from unfool.cli.options import grouped, labelled, tell_skipped
from unfool.cli.printing import print_json, print_table
from unfool.errors import UserError
from unfool.options import Reading

_SHOWN = 5


search_app = typer.Typer(
    cls=NamesInARow,
    help="Try settings of a defence until the time is over, and tell the best.",
    invoke_without_command=True,
)


@search_app.callback()
@grouped
def search_command(
    *,
    defence: Annotated[
        str | None,
        typer.Option(help="'five\\[std={std}]:VICTIM'; with --victim a method: 'fact:words={words}'."),
    ] = None,
    vary: Annotated[
        list[str] | None, typer.Option(help="std=0.1..10.0, words=1..19, vote=logits|majority.")
    ] = None,
    data: option.AnyData = None,
    out: Annotated[Path | None, typer.Option(help="The search's folder.", readable=False)] = None,
    minutes: Annotated[float, typer.Option(help="Start no new trial after so many minutes.", min=0)] = 10,
    trials: Annotated[int | None, typer.Option(help="The most trials.", min=1)] = None,
    victim: Annotated[str | None, typer.Option(help="The victim to harden in each trial.")] = None,
    premade: option.Premade = None,
    attack: option.Attacks = None,
    split: Annotated[
        str | None, typer.Option(help="Split of the data; take one that the final figures do not use.")
    ] = None,
    reading: Reading,
    n: option.Count = None,
    epochs: Annotated[int, typer.Option(help="Epochs of each hardening.", min=1)] = 1,
    train_n: Annotated[int | None, typer.Option(help="Training samples of each hardening.", min=1)] = None,
    sampler: Annotated[str, typer.Option(help="random or tpe.")] = "random",
    seed: option.Seed = 0,
    device: option.Device = "auto",
    resume: option.Resume = False,
    quiet: option.Quiet = False,
    json: option.AsJson = False,
) -> None:
    """Try settings of a defence until the time is over, and tell the best."""
    from unfool.defences.search import search

    if not (defence and vary and data and out):
        raise UserError("a search needs --defence, --vary, --data and --out; see `unfool search --help`")
    if sampler not in ("random", "tpe"):
        raise UserError(f"--sampler {sampler} is neither 'random' nor 'tpe'")
    screen = Console(stderr=True, quiet=quiet or json)
    with stoppable():
        found = search(
            defence,
            vary,
            data,
            out,
            minutes=minutes,
            victim=victim,
            premade=premade or (),
            attacks=attack or (),
            split=split,
            reading=labelled(reading),
            n=n,
            epochs=epochs,
            train_n=train_n,
            trials=trials,
            sampler=sampler,  # type: ignore[arg-type]
            seed=seed,
            device=device,
            resume=resume,
            told=lambda number, score: screen.print(
                f"trial {number}: " + (f"failed: {score}" if isinstance(score, str) else f"{score:.4f}"),
                highlight=False,
                markup=False,
                soft_wrap=True,
            ),
            skipped=tell_skipped,
        )
    if json:
        print_json({"search": str(out), **found.to_json()})
        return
    print_table(
        ["score", "clean", "adversarial", "defence"],
        [
            [
                f"{trial.score:.4f}",
                f"{trial.clean:.1%}",
                ", ".join(f"{share:.1%}" for share in trial.adversarial),
                trial.name,
            ]
            for trial in found.trials[:_SHOWN]
        ],
    )
    typer.echo(f"{len(found.trials)} trials in {found.seconds:.0f} seconds; search: {out}")
    if found.all_tried:
        typer.echo("all settings have been tried")
