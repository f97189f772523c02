"""``unfool evaluate``: how robust a victim is, and whether to believe it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unfool.cli import options as option
from unfool.cli.app import EXIT_SOME_FAILED, shared_on, stoppable
from unfool.cli.in_a_row import NamesInARow
from unfool.cli.options import grouped, labelled, load_data
from unfool.cli.printing import print_json, print_table
from unfool.errors import UserError, counted
from unfool.options import Budget, Options, Reading

if TYPE_CHECKING:
    from unfool.defences.evaluate import Evaluation

evaluate_app = typer.Typer(
    cls=NamesInARow,
    help="How robust a victim is, alone or beside another one, and what the figures are worth.",
    invoke_without_command=True,
)


@evaluate_app.callback()
@grouped
def evaluate_command(
    *,
    context: typer.Context,
    victim: Annotated[str | None, typer.Option(help="The victim, such as a hardened or a defended one.")] = None,
    against: Annotated[
        str | None, typer.Option(help="A victim to compare with, such as the one before hardening.")
    ] = None,
    data: option.AnyData = None,
    attack: option.Attacks = None,
    premade: option.Premade = None,
    out: Annotated[Path | None, typer.Option(help="The evaluation's folder.", readable=False)] = None,
    n: option.Count = None,
    seed: option.Seed = 0,
    from_label: option.From = None,
    eot: option.Eot = 1,
    repeats: Annotated[int, typer.Option(help="How often texts are asked again.", min=2)] = 5,
    split: option.TestSplit = None,
    reading: Reading,
    budget: Budget,
    constrain: option.Constrain = "",
    cluster: option.Cluster = None,
    options: Options,
    resume: option.Resume = False,
    quiet: option.Quiet = False,
    json: option.AsJson = False,
) -> None:
    """Measure a victim on clean texts, on stored adversarial texts and under attack."""
    if context.invoked_subcommand:
        return
    if not (victim and data and out):
        raise UserError("an evaluation needs --victim, --data and --out; see `unfool evaluate --help`")
    from unfool.defences.evaluate import evaluate

    source = load_data(data, split, labelled(reading))
    with stoppable(out), shared_on(cluster):
        found = evaluate(
            victim,
            source,
            attack or (),
            out=out,
            against=against,
            premade=premade or (),
            n=n,
            from_label=from_label,
            budget=budget,
            constrain=constrain,
            eot=eot,
            repeats=repeats,
            seed=seed,
            options=replace(options, labels=reading.labels),
            resume=resume,
            progress=not (quiet or json),
        )
    if json:
        print_json({"evaluation": str(out), **found.to_json()})
    else:
        _print(found)
        typer.echo(f"evaluation: {out}")
    failed = sum(side.errors for row in found.attacks for side in row.both)
    if failed:
        typer.echo(
            f"{counted(failed, 'sample has', 'samples have')} no result (failures.jsonl in the "
            f"runs of {out} says why); "
            "--resume tries again",
            err=True,
        )
        raise typer.Exit(EXIT_SOME_FAILED)


@evaluate_app.command(name="premade")
def premade_command(
    run: Annotated[Path, typer.Argument(help="A run folder.", readable=False)],
    out: Annotated[Path, typer.Option(help="The file, ending in .jsonl.", readable=False)],
    json: option.AsJson = False,
) -> None:
    """Store the texts that fooled a run's victim as a data set."""
    from unfool.defences.evaluate import premade

    if out.exists():  # it may be the data the run attacked
        raise UserError(f"{out} already exists; choose another place, or remove it")
    stored = premade(run, out)
    if json:
        print_json(stored.to_json())
    else:
        typer.echo(f"{stored.texts} texts that fooled {stored.settings['victim']}: {out}")


def _print(found: Evaluation) -> None:
    for side in found.sides:
        typer.echo(f"{side}: {found.settings[side]}")
    for warning in found.warnings:
        typer.echo(f"warning: {warning}")
    print_table(*found.table)
    for row in found.transfer:
        corrected = "" if row.corrected is None else f", {row.corrected:.1%} where the original is right"
        rate = "–" if row.rate is None else f"{row.rate:.1%}"
        typer.echo(
            f"of {row.texts} texts with which {row.name} fooled the {row.made_on}, "
            f"{rate} fool the {row.tried_on}{corrected}"
        )
    for told in found.labels:
        typer.echo(told)
