"""``unfool guard``: classifiers that block texts, audited on both sides."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unfool.cli import options as option
from unfool.cli.app import stoppable, tell
from unfool.cli.in_a_row import NamesInARow
from unfool.cli.options import grouped
from unfool.cli.printing import print_json, print_table
from unfool.errors import UserError
from unfool.options import Options

if TYPE_CHECKING:
    from unfool.data import Dataset
    from unfool.guards import Audit
    from unfool.stats import Rate

EXIT_TOO_MANY_MISSES = 1
"""More harmful texts get past the guard than ``--fail-above`` allows."""

guard_app = typer.Typer(cls=NamesInARow, help="Audit classifiers that block texts, on both sides.")


@guard_app.command("audit")
@grouped
def audit_command(
    *,
    guard: Annotated[
        str, typer.Option(help="A profile's name (see 'guard list'), a .toml file, or a victim with --blocks.")
    ],
    attacks: Annotated[str, typer.Option(help="The harmful texts: a file or a name.")],
    benign: Annotated[str, typer.Option(help="The benign texts: a file or a name.")],
    out: Annotated[Path, typer.Option(help="The folder for the page, the figures and the runs.", readable=False)],
    by: Annotated[
        list[str] | None, typer.Option(help="Attacks, several (default: five on characters); see 'list attacks'.")
    ] = None,
    blocks: Annotated[
        str | None, typer.Option(help="The label that means blocked (default: the profile's).")
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(help="Its probability from which on a text is blocked (default: the profile's).")
    ] = None,
    false_alarms: Annotated[
        str, typer.Option(help="Rates of false alarms at whose thresholds all is told again: 0.01,0.05.")
    ] = "0.05",
    max_queries: Annotated[int, typer.Option(help="The most queries for one text.", min=1)] = 200,
    fail_above: Annotated[
        float | None,
        typer.Option(help="Exit with 1 if a larger share gets past its own threshold.", min=0, max=1),
    ] = None,
    reader: Annotated[
        str | None,
        typer.Option(help="A language model that reads bypasses: smollm2, hf-causal:…, chat:… (default: none)."),
    ] = None,
    also: Annotated[
        list[str] | None, typer.Option(help="Profiles of other guards on which the bypasses are tried, several.")
    ] = None,
    text: Annotated[str | None, typer.Option(help="Column of the text (default: guessed).")] = None,
    n: option.Count = None,
    seed: option.Seed = 0,
    options: Options,
    resume: option.Resume = False,
    quiet: option.Quiet = False,
    json: option.AsJson = False,
) -> None:
    """Attack what a guard must block, change what must pass the same way, and tell what goes wrong on each side."""
    from unfool.guards import DEFAULT_ATTACKS, audit_guard, find_profile, open_reader
    from unfool.report import write_guard

    profile = find_profile(guard, blocks, threshold)
    with stoppable(out):
        found = audit_guard(
            profile,
            _texts(attacks, text),
            _texts(benign, text),
            out,
            attacks=by or DEFAULT_ATTACKS,
            queries=max_queries,
            false_alarms=_rates(false_alarms),
            n=n,
            seed=seed,
            reader=open_reader(reader, options) if reader else None,
            also=[find_profile(name) for name in also or ()],
            options=options,
            resume=resume,
            progress=not quiet,
        )
    (out / "audit.json").write_text(json_module.dumps(found.to_json(), indent=2) + "\n", encoding="utf-8")
    write_guard(found, out / "audit.html")
    if json:
        print_json(found.to_json())
    else:
        _print(found, out)
    if fail_above is not None and (found.misses.value or 0) > fail_above:
        tell(f"{found.misses} of the harmful texts get past {profile.name}, more than --fail-above {fail_above:g}")
        raise typer.Exit(EXIT_TOO_MANY_MISSES)


@guard_app.command("list")
def list_command() -> None:
    """List the guards whose profiles come along."""
    from unfool.guards import find_profile, profile_names

    rows = [
        [each.name, each.blocks, f"{each.threshold:g}", each.licence, each.note]
        for each in map(find_profile, profile_names())
    ]
    print_table(["guard", "blocks", "from", "licence", "note"], rows)


def _print(found: Audit, out: Path) -> None:
    rows = []
    for line in found.lines:
        first = f"{line.name} ({line.threshold:.4g})"
        plain = _told(line.readable)
        rows.append([first, "as they are", str(line.misses), str(line.false_alarms), "", "", plain])
        for each in line.attacks:
            alarms = "–" if each.false_alarms is None else str(each.false_alarms)
            cost = ["–" if value is None else f"{value:g}" for value in (each.queries, each.characters)]
            rows.append(["", each.attack, str(each.misses), alarms, *cost, _told(each.readable)])
        rows.append(["", "any of them", str(line.union), "", "", "", ""])
    columns = ["threshold", "attack", "misses", "false alarms", "queries", "characters", "still read"]
    print_table(columns, rows)
    for other in found.also:
        typer.echo(f"{other.guard.name}: {other.union} of the texts that it blocks get past it by these bypasses")
    for remark in found.remarks:
        typer.echo(remark)
    typer.echo(f"page: {out / 'audit.html'}")


def _told(readable: Rate | None) -> str:
    return "unknown" if readable is None else str(readable)


def _texts(name: str, column: str | None) -> Dataset:
    from unfool.data import ANSWERS, load

    return load(name, text=column, label=ANSWERS)


def _rates(typed: str) -> list[float]:
    try:
        return [float(each) for each in typed.split(",") if each.strip()]
    except ValueError:
        raise UserError(f"--false-alarms {typed}: write shares with commas between, such as 0.01,0.05") from None
