"""``unfool attack``: the main job."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from unfool.cli._app import app, stoppable
from unfool.cli._grouped import grouped
from unfool.cli._options import DATA, Attack, Confidence, Constrain, Data, Eot, From, Target, Victim, load_data
from unfool.cli._printing import exit_if_nothing_tried, exit_if_some_failed, print_json, print_run, summary_json
from unfool.options import Budget, Options, Reading

_RUN = "The run"


@app.command(name="attack")
@grouped
def attack_command(
    *,
    victim: Victim,
    data: Data,
    attack: Attack = "textfooler",
    n: Annotated[
        int | None, typer.Option(help="How many samples, drawn by the seed; all if not given.", min=1)
    ] = None,
    seed: Annotated[int, typer.Option(help="Decides the samples drawn and every random choice.", min=0)] = 0,
    target: Target = None,
    from_label: From = None,
    confidence: Confidence = 0.0,
    eot: Eot = 1,
    split: Annotated[str | None, typer.Option(help="Default: test, else validation.", rich_help_panel=DATA)] = None,
    reading: Reading,
    budget: Budget,
    constrain: Constrain = "",
    in_flight: Annotated[
        int | None,
        typer.Option(
            help="Texts attacked at once; changes speed and memory only (default: chosen).",
            min=1,
            rich_help_panel=_RUN,
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(help="Processes that share the work; chosen if not given.", min=1, rich_help_panel=_RUN),
    ] = None,
    options: Options,
    out: Annotated[
        Path | None,
        typer.Option(help="The run's folder; one below runs/ if not given.", readable=False, rich_help_panel=_RUN),
    ] = None,
    resume: Annotated[bool, typer.Option(help="Go on with a run that was stopped.", rich_help_panel=_RUN)] = False,
    similarity: Annotated[
        bool, typer.Option(help="Also measure sentence similarity.", rich_help_panel=_RUN)
    ] = False,
    report: Annotated[
        Path | None, typer.Option(help="Also write an HTML page.", readable=False, rich_help_panel=_RUN)
    ] = None,
    quiet: Annotated[bool, typer.Option(help="No progress bar, no examples.", rich_help_panel=_RUN)] = False,
    json: Annotated[bool, typer.Option(help="Print the summary as JSON.", rich_help_panel=_RUN)] = False,
) -> None:
    """Attack a victim over a data set; the result is a run folder, and a summary of it."""
    from unfool import attack as run_attack
    from unfool.report import write
    from unfool.storage import check_place

    if report:
        check_place(report)
    source = load_data(data, split, reading)
    with stoppable(out):
        run = run_attack(
            victim,
            source,
            attack,
            n=n,
            seed=seed,
            budget=budget,
            constrain=constrain,
            target=target,
            from_label=from_label,
            confidence=confidence,
            eot=eot,
            width=in_flight,
            workers=workers,
            options=replace(options, labels=reading.labels),
            out=out,
            resume=resume,
            similarity=similarity,
            progress=not quiet,
        )
    if json:
        print_json({"run": str(run.folder), **summary_json(run)})
    else:
        print_run(run, examples=0 if quiet else 3)
    if report:
        write([run], report)
    exit_if_some_failed(run)
    exit_if_nothing_tried(run)
