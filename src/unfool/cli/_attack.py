"""``unfool attack``: the main job."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from unfool.cli import options as option
from unfool.cli.app import stoppable
from unfool.cli.options import grouped, load_data
from unfool.cli.printing import exit_if_nothing_tried, exit_if_some_failed, print_json, print_run, summary_json
from unfool.options import Budget, Generating, Options, Reading


@grouped
def attack_command(
    *,
    victim: option.Victim,
    data: option.Data,
    attack: option.Attack = "textfooler",
    n: option.Count = None,
    seed: option.Seed = 0,
    target: option.Target = None,
    from_label: option.From = None,
    confidence: option.Confidence = 0.0,
    eot: option.Eot = 1,
    split: option.TestSplit = None,
    reading: Reading,
    generating: Generating,
    budget: Budget,
    constrain: option.Constrain = "",
    in_flight: Annotated[
        int | None,
        typer.Option(
            help="Texts attacked at once; changes speed and memory only (default: chosen).",
            min=1,
        ),
    ] = None,
    workers: option.Workers = None,
    options: Options,
    out: Annotated[
        Path | None,
        typer.Option(help="The run's folder; one below runs/ if not given.", readable=False),
    ] = None,
    resume: option.Resume = False,
    shard: Annotated[
        str | None,
        typer.Option(help="Attack one part of the texts, such as 3/16; `unfool merge` joins all.", metavar="K/N"),
    ] = None,
    similarity: Annotated[bool, typer.Option(help="Also measure sentence similarity.")] = False,
    report: option.HtmlPage = None,
    quiet: option.Quiet = False,
    json: option.AsJson = False,
) -> None:
    """Attack a victim over a data set; the result is a run folder, and a summary of it."""
    from unfool import attack as run_attack
    from unfool.report import write
    from unfool.storage import check_place

    if report:
        check_place(report)
    source = load_data(data, split, generating.reading(reading))
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
            goal=generating.goal,
            from_label=from_label,
            confidence=confidence,
            eot=eot,
            in_flight=in_flight,
            workers=workers,
            options=replace(options, labels=reading.labels),
            out=out,
            resume=resume,
            shard=shard,
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
