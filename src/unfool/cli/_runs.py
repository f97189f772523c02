"""``unfool show``, ``report``, ``export`` and ``diff``: reading runs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from unfool.cli._app import app
from unfool.cli._printing import print_json, print_run, print_table

# Typer's own check of rights would answer with a box of lines; what reads and writes says it in one.
RunFolder = Annotated[Path, typer.Argument(help="A run folder.", readable=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def show(
    run: RunFolder,
    examples: Annotated[int, typer.Option(help="How many texts to show.", min=0)] = 5,
    report: Annotated[Path | None, typer.Option(help="Also write an HTML page.", readable=False)] = None,
    json: AsJson = False,
) -> None:
    """Show a run: its figures, and what changed in some of its texts."""
    from unfool.report import html
    from unfool.runs import Run

    opened = Run.open(run)
    if report:
        html([opened], report)
    if json:
        print_json({"run": str(opened.folder), "config": opened.config, **opened.summary.to_dict()})
    else:
        print_run(opened, examples)


@app.command()
def report(
    sources: Annotated[
        list[Path], typer.Argument(help="Run folders, study folders, files of rules.", readable=False)
    ],
    out: Annotated[Path, typer.Option(help="The page to write.", readable=False)] = Path("report.html"),
) -> None:
    """Write one page about runs, transfer studies and rules: search, filter, compare, print, send to others."""
    from unfool.report import write

    write(sources, out)
    typer.echo(out)


@app.command()
def export(
    run: RunFolder,
    format: Annotated[str, typer.Option(help="csv, jsonl, parquet or textattack.")] = "csv",
    out: Annotated[
        Path | None, typer.Option(help="The file; else one in the run's folder.", readable=False)
    ] = None,
) -> None:
    """Export a run's outcomes to a file."""
    from unfool.runs import Run
    from unfool.runs import export as export_run

    suffix = "csv" if format == "textattack" else format
    target = out or run / f"export-{format}.{suffix}"
    export_run(Run.open(run), format, target)
    typer.echo(target)


@app.command()
def diff(run_a: RunFolder, run_b: RunFolder, json: AsJson = False) -> None:
    """Compare two runs sample by sample."""
    from unfool.runs import Run, compare

    found = compare(Run.open(run_a), Run.open(run_b))
    if json:
        print_json(asdict(found))
        return
    for change in found.config:
        typer.echo(f"config: {change}")
    print_table(
        ["samples in both", "attacked in both", "only A fooled", "only B fooled", "both", "neither", "McNemar p"],
        [
            [
                *(str(n) for n in (found.samples, found.attacked, found.only_a, found.only_b)),
                *(str(found.both), str(found.neither), f"{found.p_value:.3g}"),
            ]
        ],
    )
    for name, effort in (("A", found.effort_a), ("B", found.effort_b)):
        if effort:
            typer.echo(
                f"{name}, where both fool: {effort.queries:.1f} queries, {effort.words_changed:.1f} % of words"
            )
    if found.differing:
        typer.echo(f"samples that end differently: {', '.join(map(str, found.differing[:20]))}")
