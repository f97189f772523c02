"""``unfool study``: a paper's experiments by one command."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from unfool.cli import EXIT_STOPPED
from unfool.cli import options as option
from unfool.cli.app import EXIT_SOME_FAILED, shared_on, tell
from unfool.cli.printing import print_json
from unfool.parallel import choose_workers


def study_command(
    name: Annotated[
        str,
        typer.Argument(
            help="self-attention, transferability, cs229, firebert or hotflip.", show_default=False, metavar="NAME"
        ),
    ],
    scale: Annotated[str, typer.Option(help="smoke: minutes on two cores; full: the papers' sizes.")] = "smoke",
    out: Annotated[
        Path | None, typer.Option(help="The study's folder; else runs/study-NAME-SCALE.", readable=False)
    ] = None,
    device: option.Device = "auto",
    workers: Annotated[
        int | None, typer.Option(help="Processes that share the work; one if not given.", min=1)
    ] = None,
    cluster: option.Cluster = None,
    minutes: Annotated[
        float | None, typer.Option(help="When to stop, with what is done by then.", min=0, show_default=False)
    ] = None,
    kept: Annotated[
        Path | None,
        typer.Option(
            "--from",
            help="A folder of results, such as results/: what is there is not done again.",
            show_default=False,
            exists=True,
            file_okay=False,
        ),
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(help="The title of one part, to do it alone, without rows.", show_default=False),
    ] = None,
    json: Annotated[bool, typer.Option(help="Print JSON.")] = False,
) -> None:
    """Carry out a paper's experiments: train, attack, defend, and set the paper's figures beside ours.

    Called again, it goes on where it was stopped, and does nothing twice. With --minutes 0 it writes the page of
    what is there.
    """
    from unfool.resources import cache_root
    from unfool_papers.catalogue import find_study
    from unfool_papers.study import carry_out
    from unfool_papers.study.page import sentence

    try:
        with shared_on(cluster):
            done = carry_out(
                find_study(name),
                scale,
                out=out,
                device=device,
                workers=choose_workers(workers, on_gpu=False, most=sys.maxsize),
                minutes=minutes,
                kept=kept,
                only=only,
                # where `python -m unfool_papers.scripts.attacks` keeps them
                runs=cache_root() / "studies" / "attacks",
                say=tell,
                progress=not json,
            )
    except KeyboardInterrupt:
        typer.echo("stopped; what was done is kept: give the same command to go on", err=True)
        raise typer.Exit(EXIT_STOPPED) from None
    if json:
        print_json({"page": str(done.page), **done.found.results()})
    else:
        typer.echo(f"\n{done.found.study.title}, {done.found.scale}")
        for claim in done.found.all_claims:
            typer.echo(f"  {sentence(claim).replace('**', '')}")
        counts = "; ".join(f"{verdict}: {count}" for verdict, count in done.found.verdicts.items())
        typer.echo(f"{len(done.found.all_claims)} claims; {counts}; {done.seconds:.0f} seconds")
        for row, problem in done.found.problems.items():
            tell(f"not done: {row}: {problem}")
        typer.echo(f"page: {done.page}\nresults: {done.results}")
    if done.found.problems:
        raise typer.Exit(EXIT_SOME_FAILED)
