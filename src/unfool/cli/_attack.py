"""``unfool attack``: the main job."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unfool.cli._app import app, stoppable
from unfool.cli._options import (
    DATA,
    AllowCode,
    Attack,
    Confidence,
    Constrain,
    Data,
    Device,
    Dtype,
    Edit,
    Encoding,
    Eot,
    From,
    Labels,
    Map,
    MaxCharacters,
    MaxWords,
    Queries,
    Target,
    Text,
    Victim,
    load_data,
    names,
    read_from,
    victim_options,
)
from unfool.cli._printing import exit_if_nothing_tried, exit_if_some_failed, print_json, print_run, summary_json

_RUN = "The run"


@app.command(name="attack")
def attack_command(
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
    text: Text = None,
    pair: Annotated[str | None, typer.Option(help="Column of a pair's second text.", rich_help_panel=DATA)] = None,
    label: Annotated[
        str | None,
        typer.Option(
            help="Column of the label; else guessed. @victim: the victim's own answers.", rich_help_panel=DATA
        ),
    ] = None,
    edit: Edit = None,
    labels: Labels = None,
    skip_bad: Annotated[bool, typer.Option(help="Skip bad rows and list them.", rich_help_panel=DATA)] = False,
    rename: Map = None,
    encoding: Encoding = None,
    budget: Queries = None,
    max_words: MaxWords = None,
    max_characters: MaxCharacters = None,
    constrain: Constrain = "",
    width: Annotated[
        int | None, typer.Option(help="Samples in flight; changes speed only.", min=1, rich_help_panel=_RUN)
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(help="Processes that share the work; chosen if not given.", min=1, rich_help_panel=_RUN),
    ] = None,
    device: Device = "auto",
    dtype: Dtype = "fp32",
    allow_code: AllowCode = False,
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
    from unfool.engine import Budget
    from unfool.report import html
    from unfool.storage import check_place

    if report:
        check_place(report)
    source = load_data(
        data, split, read_from(text, pair, label, edit, labels, skip_bad, rename, encoding, may_ask=True)
    )
    with stoppable(out):
        run = run_attack(
            victim,
            source,
            attack,
            n=n,
            seed=seed,
            budget=Budget(budget, max_words, max_characters),
            constrain=constrain,
            target=target,
            from_label=names(from_label),
            confidence=confidence,
            eot=eot,
            width=width,
            workers=workers,
            options=victim_options(device, dtype, allow_code, labels),
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
        html([run], report)
    exit_if_some_failed(run)
    exit_if_nothing_tried(run)
