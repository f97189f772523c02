"""``unfool attack``: the main job."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unfool.cli import options as option
from unfool.cli.app import shared_on, stoppable, tell
from unfool.cli.options import grouped, load_data
from unfool.cli.printing import exit_by, print_json, print_runs, run_json, several_json
from unfool.errors import UserError
from unfool.options import Budget, Generating, Options, Reading

if TYPE_CHECKING:
    from unfool.runs import Runs


@grouped
def attack_command(
    *,
    victim: option.Victim,
    data: option.Data,
    attack: Annotated[
        list[str] | None,
        typer.Option(help="NAME or NAME:key=value,…, several for the worst case of all (default: textfooler)."),
    ] = None,
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
    language: option.Language = None,
    in_flight: Annotated[
        int | None,
        typer.Option(
            help="Texts attacked at once; changes speed and memory only (default: chosen).",
            min=1,
        ),
    ] = None,
    workers: option.Workers = None,
    cluster: option.Cluster = None,
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
    until_fooled: Annotated[
        bool, typer.Option(help="Of several attacks, spare the later ones the texts that one has fooled.")
    ] = False,
    similarity: Annotated[bool, typer.Option(help="Also measure sentence similarity.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Ask nothing: say what the run would ask, and cost with a price.")
    ] = False,
    report: option.HtmlPage = None,
    quiet: option.Quiet = False,
    json: option.AsJson = False,
) -> None:
    """Attack a victim over a data set; the result is a run folder, and a summary of it."""
    from unfool import attack as attack_by_one
    from unfool import attack_all
    from unfool.report import write
    from unfool.storage import check_place

    attacks = attack or ["textfooler"]
    if report:
        check_place(report)
    source = load_data(data, split, generating.reading(reading))
    said: dict[str, Any] = {
        "n": n,
        "seed": seed,
        "budget": budget,
        "constrain": constrain,
        "language": language,
        "target": target,
        "goal": generating.goal,
        "from_label": from_label,
        "confidence": confidence,
        "eot": eot,
        "in_flight": in_flight,
        "workers": workers,
        "options": replace(options, labels=reading.labels),
        "resume": resume,
        "similarity": similarity,
        "progress": not quiet,
    }
    if dry_run:
        _rehearse(victim, source, attacks, said)
        return
    several: Runs | None = None
    with stoppable(out), shared_on(cluster):
        if len(attacks) == 1:
            runs = [attack_by_one(victim, source, attacks[0], out=out, shard=shard, **said)]
        else:
            folder = _folder_for_several(out, shard)
            several = attack_all(victim, source, attacks, folder, until_fooled=until_fooled, **said)
            runs = list(several)
    if json:
        print_json(several_json(several) if several else run_json(runs[0]))
    else:
        print_runs(runs, examples=0 if quiet else 3)
    if idle := attacks[len(runs) :]:
        tell(f"every text was fooled before {', '.join(idle)}")
    if report:
        write(runs, report)
    exit_by(runs)


def _rehearse(victim: str, source: Any, attacks: list[str], said: dict[str, Any]) -> None:
    """Say what each attack would ask."""
    from unfool.job import dry_run

    if said["goal"]:
        raise UserError("--dry-run is for classifiers; leave --goal out")
    left_out = ("goal", "in_flight", "workers", "resume", "similarity", "progress")
    for forecast in dry_run(victim, source, attacks, **{k: v for k, v in said.items() if k not in left_out}):
        typer.echo(str(forecast))


def _folder_for_several(out: Path | None, shard: str | None) -> Path:
    if out is None:
        raise UserError("several attacks want a folder for their runs; name it with --out")
    if shard:
        raise UserError("--shard is for one attack at a time; give one --attack, or leave --shard out")
    return out
