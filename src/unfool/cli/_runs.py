"""``unfool show``, ``report``, ``export``, ``diff`` and ``merge``: what becomes of runs."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, TaskID

from unfool.cli import options as option
from unfool.cli.app import tell
from unfool.cli.printing import (
    exit_if_some_failed,
    print_json,
    print_rows,
    print_runs,
    print_table,
    several_json,
    show_samples,
    summary_json,
)
from unfool.errors import UserError, counted
from unfool.stats import Rate

if TYPE_CHECKING:
    from unfool.runs import Run, Runs

# Typer's own check of rights would answer with a box of lines; what reads and writes says it in one.
_MOST_NAMED = 20
RunFolder = Annotated[Path, typer.Argument(help="A run folder.", readable=False)]


class Shown(StrEnum):
    """How a sample may have ended."""

    success = "success"
    failed = "failed"
    skipped = "skipped"
    error = "error"


def show(
    run: RunFolder,
    examples: Annotated[int, typer.Option(help="How many texts to show.", min=0)] = 5,
    status: Annotated[
        Shown | None, typer.Option(help="Only samples that ended in this way, without figures.")
    ] = None,
    id: Annotated[int | None, typer.Option(help="Only this sample, with the whole of its text.", min=0)] = None,
    report: Annotated[Path | None, typer.Option(help="Also write an HTML page.", readable=False)] = None,
    json: option.AsJson = False,
) -> None:
    """Show a run: its figures, and what changed in some of its texts; or single samples; or how far shards are."""
    from unfool.report import write
    from unfool.runs import Run, Runs, holds_several, is_run, shard_folders

    if holds_several(run):
        _show_several(Runs.open(run), examples, json=json, single=status is not None or id is not None)
        if report:
            write([run], report)
        return
    if not is_run(run) and (shards := shard_folders(run)):
        _show_shards(run, [Run.open(shard) for shard in shards], json)
        return
    opened = Run.open(run)
    if report:
        write([opened], report)
    if status or id is not None:
        show_samples(opened, status, id, examples, json)
    elif json:
        print_json({"run": str(opened.folder), "config": opened.config, **summary_json(opened)})
    else:
        print_runs([opened], examples)


def _show_several(runs: Runs, examples: int, *, json: bool, single: bool) -> None:
    if single:
        raise UserError(
            f"{runs.folder} holds several runs; name one, such as {runs.folder}/{next(iter(runs)).name}"
        )
    if json:
        print_json(several_json(runs))
    else:
        print_runs(list(runs), examples)


def _show_shards(folder: Path, shards: list[Run], json: bool) -> None:
    found = [(shard, shard.summary) for shard in shards]
    rows = [
        {
            "shard": shard.name,
            "samples": figures.samples,
            "attacked": figures.attacked,
            "fooled": figures.successes,
            "errors": figures.errors,
            "finished": shard.finished,
        }
        for shard, figures in found
    ]
    if json:
        print_json({"run": str(folder), "shards": rows})
        return
    print_rows([{**row, "finished": "yes" if row["finished"] else "no"} for row in rows])
    fooled, attacked = (sum(getattr(each, name) for _, each in found) for name in ("successes", "attacked"))
    typer.echo(f"so far fooled {fooled} of {attacked} attacked: {Rate(fooled, attacked)}")
    typer.echo(f"once all are finished, unfool merge {folder} puts them together")


def report(
    sources: Annotated[
        list[Path], typer.Argument(help="Run folders, transfer study folders, files of rules.", readable=False)
    ],
    out: Annotated[Path, typer.Option(help="The page to write.", readable=False)] = Path("report.html"),
    overlays: Annotated[
        bool, typer.Option("--overlays", help="First ask each run's victim how much every word matters.")
    ] = False,
    n: Annotated[int, typer.Option(help="For overlays: samples of each run, successes first.", min=1)] = 200,
    victim: Annotated[
        str | None, typer.Option(help="For overlays: the victim, where the name in the run does not open it.")
    ] = None,
    device: option.Device = "auto",
    allow_code: Annotated[bool, typer.Option(help="Open pickled models: this runs their code.")] = False,
) -> None:
    """Write one page about runs, transfer studies and rules: search, filter, compare, print, send to others."""
    from unfool.report import write
    from unfool.storage import check_place

    if overlays:
        check_place(out)
        _ask_victims(sources, n, victim, device, allow_code)
    write(sources, out)
    typer.echo(out)


def _ask_victims(sources: list[Path], n: int, victim: str | None, device: str, allow_code: bool) -> None:
    from unfool.report import open_all, overlay
    from unfool.victims import Options

    runs = open_all(sources).runs
    if not runs:
        raise UserError("--overlays asks the victims of runs, and no run was given; give a run's folder")
    attacked = sorted({str(run.config.get("victim")) for run in runs})
    if victim and len(attacked) > 1:
        raise UserError(
            f"--victim {victim} cannot be all of {', '.join(attacked)}; ask about the runs of one victim at a time"
        )
    screen = Console(stderr=True)
    with Progress(console=screen, transient=True, disable=not screen.is_terminal) as bar:
        for run in runs:
            task = bar.add_task(f"asking the victim of {escape(run.name)}", total=None)
            failed = overlay(
                run,
                n,
                victim=victim,
                options=Options(device, allow_code=allow_code),
                on_progress=partial(_show, bar, task),
            )
            if failed:
                tell(f"{run.folder}: the victim gave no answer about {counted(failed, 'sample', 'samples')}")


def _show(bar: Progress, task: TaskID, done: int, of: int) -> None:
    bar.update(task, completed=done, total=of)


def export(
    run: RunFolder,
    format: Annotated[
        str | None,
        typer.Option(help="csv, jsonl, parquet or textattack; if not given, by the file's ending, or csv."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The file; one in the run's folder if not given.", readable=False)
    ] = None,
) -> None:
    """Export a run's outcomes to a file."""
    from unfool.runs import Run
    from unfool.runs import export as export_run

    form = format or _form_of(out)
    suffix = "csv" if form == "textattack" else form
    target = out or run / f"export-{form}.{suffix}"
    export_run(Run.open(run), form, target)
    typer.echo(target)


def _form_of(out: Path | None) -> str:
    if out is None:
        return "csv"
    ending = out.suffix.lower().removeprefix(".")
    if ending not in ("csv", "jsonl", "parquet"):
        raise UserError(
            f"cannot tell the format of {out}; end its name in .csv, .jsonl or .parquet, or give --format"
        )
    return ending


def diff(run_a: RunFolder, run_b: RunFolder, json: option.AsJson = False) -> None:
    """Compare two runs sample by sample."""
    from unfool.runs import Run, compare

    found = compare(Run.open(run_a), Run.open(run_b))
    if not found.samples:
        raise UserError(
            f"{run_a} and {run_b} have no sample in common; compare runs over the same data, drawn by the same seed"
        )
    if json:
        valid = {
            name: each and each.to_dict() for name, each in (("valid_a", found.valid_a), ("valid_b", found.valid_b))
        }
        print_json({**asdict(found), **valid})
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
    if found.bleu:
        a, b = (
            f"{each.score:.1f} [{each.low:.1f}, {each.high:.1f}]" for each in (found.bleu.before, found.bleu.after)
        )
        typer.echo(f"BLEU under attack: A {a}, B {b}; paired bootstrap p {found.bleu.p:.3g}")
    for name, valid_rate in (("A", found.valid_a), ("B", found.valid_b)):
        if valid_rate:
            typer.echo(f"{name}, valid success rate: {valid_rate} fool the victim and not the people")
    typer.echo('McNemar p: how likely so uneven a split of the two "only" counts is if both fool equally often')
    if found.fooled_once:
        named = ", ".join(f"#{number}" for number in found.fooled_once[:_MOST_NAMED])
        rest = len(found.fooled_once) - _MOST_NAMED
        typer.echo(f"Fooled by only one of the two: {named}{f' and {rest} more' if rest > 0 else ''}")


def merge(
    run: Annotated[Path, typer.Argument(help="The run's folder.", readable=False)],
    sources: Annotated[
        list[Path] | None,
        typer.Argument(help="Where else its shards lie; not needed if they lie below the run.", readable=False),
    ] = None,
    quiet: option.Quiet = False,
    json: option.AsJson = False,
) -> None:
    """Put the shards of a run together; the result is what one machine would have made."""
    from unfool.job import merge as merge_shards

    merged = merge_shards(run, sources or (), progress=not quiet)
    if json:
        print_json({"run": str(merged.folder), **summary_json(merged)})
    else:
        print_runs([merged], examples=0)
    exit_if_some_failed(merged)
