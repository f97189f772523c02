"""``unfool attack``: the main job."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unfool.cli._app import app, stoppable
from unfool.cli._options import (
    DATA,
    AllowCode,
    Data,
    Device,
    Dtype,
    Edit,
    Label,
    Labels,
    Text,
    load_data,
    read_from,
    victim_options,
)
from unfool.cli._printing import exit_if_some_failed, print_json, print_run

_COST, _RUN = "What it may cost", "The run"


@app.command(name="attack")
def attack_command(
    victim: Annotated[
        str, typer.Option(help="hf:…, zoo:…, skops:…, py:MODULE:FUNCTION, http(s)://…#rate=5; see 'list victims'.")
    ],
    data: Data,
    attack: Annotated[
        str, typer.Option(help="NAME or NAME:key=value,key=value; see 'list attacks'.")
    ] = "textfooler",
    n: Annotated[
        int | None, typer.Option(help="How many samples, drawn by the seed; all if not given.", min=1)
    ] = None,
    seed: Annotated[int, typer.Option(help="Decides the samples drawn and every random choice.", min=0)] = 0,
    target: Annotated[
        str | None, typer.Option(help="The label to bring about; any wrong one if not given.")
    ] = None,
    confidence: Annotated[float, typer.Option(help="Least probability of the wrong answer.", min=0, max=1)] = 0.0,
    eot: Annotated[
        int, typer.Option(help="Average so many answers of a randomised victim (five:…, fuse:…).", min=1)
    ] = 1,
    split: Annotated[str | None, typer.Option(help="Default: test, else validation.", rich_help_panel=DATA)] = None,
    text: Text = None,
    pair: Annotated[str | None, typer.Option(help="Column of a pair's second text.", rich_help_panel=DATA)] = None,
    label: Label = None,
    edit: Edit = None,
    labels: Labels = None,
    skip_bad: Annotated[bool, typer.Option(help="Leave bad rows out and list them.", rich_help_panel=DATA)] = False,
    budget: Annotated[int | None, typer.Option(help="Queries a sample.", min=1, rich_help_panel=_COST)] = None,
    max_words: Annotated[
        float | None, typer.Option(help="Share of words that may change.", min=0, max=1, rich_help_panel=_COST)
    ] = None,
    max_characters: Annotated[
        float | None, typer.Option(help="Share of characters that may change.", min=0, max=1, rich_help_panel=_COST)
    ] = None,
    constrain: Annotated[
        str,
        typer.Option(
            help="What a changed text must keep: words<=0.2,pos,…; see 'list constraints'.", rich_help_panel=_COST
        ),
    ] = "",
    width: Annotated[
        int | None, typer.Option(help="Samples in flight; changes speed only.", min=1, rich_help_panel=_RUN)
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes that share the work; else chosen.", min=1, rich_help_panel=_RUN)
    ] = None,
    device: Device = "auto",
    dtype: Dtype = "fp32",
    allow_code: AllowCode = False,
    out: Annotated[
        Path | None,
        typer.Option(help="The run's folder; else one below runs/.", readable=False, rich_help_panel=_RUN),
    ] = None,
    resume: Annotated[bool, typer.Option(help="Go on with the run in that folder.", rich_help_panel=_RUN)] = False,
    similarity: Annotated[
        bool, typer.Option(help="Measure sentence similarity, too.", rich_help_panel=_RUN)
    ] = False,
    report: Annotated[
        Path | None, typer.Option(help="Write an HTML page.", readable=False, rich_help_panel=_RUN)
    ] = None,
    quiet: Annotated[bool, typer.Option(help="No progress bar, no examples.", rich_help_panel=_RUN)] = False,
    json: Annotated[bool, typer.Option(help="Print the summary as JSON.", rich_help_panel=_RUN)] = False,
) -> None:
    """Attack a victim over a data set; the result is a run folder, and a summary of it."""
    from unfool import attack as run_attack
    from unfool.engine import Budget
    from unfool.report import html
    from unfool.runs._files import check_place

    if report:
        check_place(report)
    source = load_data(data, split, read_from(text, pair, label, edit, labels, skip_bad))
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
        print_json({"run": str(run.folder), **run.summary.to_dict()})
    else:
        print_run(run, examples=0 if quiet else 3)
    if report:
        html([run], report)
    exit_if_some_failed(run)
