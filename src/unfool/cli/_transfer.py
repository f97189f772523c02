"""``unfool transfer``: craft on every victim, try on every other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unfool.cli import options as option
from unfool.cli.app import EXIT_SOME_FAILED, shared_on, stoppable
from unfool.cli.in_a_row import NamesInARow
from unfool.cli.options import grouped, labelled, load_data
from unfool.cli.printing import print_json, print_table
from unfool.errors import UserError, counted, did_you_mean
from unfool.options import Generating, Options, Reading
from unfool.stats import Rate
from unfool.visible import visible_line

if TYPE_CHECKING:
    from unfool.transfer import Analysis

_MOST_IN_A_LINE = 10

transfer_app = typer.Typer(
    cls=NamesInARow,
    help="Whether texts that fool one victim fool others: a study of every pair.",
    invoke_without_command=True,
)

Folder = Annotated[Path, typer.Argument(help="A study's folder.", readable=False)]


@transfer_app.callback()
@grouped
def transfer_command(
    *,
    context: typer.Context,
    victims: option.Victims = None,
    data: option.AnyData = None,
    attack: option.Attack = "pwws",
    n: option.Count = None,
    from_label: option.From = None,
    keep: Annotated[
        int | None, typer.Option(help="Successes of a source that are tried on others; all if not given.", min=1)
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The study's folder.", readable=False)] = None,
    twins: Annotated[bool, typer.Option(help="Also take base rates: each model of the zoo and its twin.")] = False,
    sources: Annotated[list[str] | None, typer.Option(help="Victims to craft on only, such as ensembles.")] = None,
    seed: option.Seed = 0,
    split: option.TestSplit = None,
    reading: Reading,
    generating: Generating,
    workers: option.Workers = None,
    cluster: option.Cluster = None,
    options: Options,
    resume: option.Resume = False,
    quiet: option.Quiet = False,
    json: option.AsJson = False,
) -> None:
    """Craft texts on each victim, try them on every other, and keep all of it in a folder."""
    if context.invoked_subcommand:
        return
    if not (victims and data and out):
        raise UserError("a study needs --victims, --data and --out; or read one with `unfool transfer show FOLDER`")
    from unfool.transfer import study

    source = load_data(data, split, generating.reading(reading) if generating.goal else labelled(reading))
    with stoppable(out), shared_on(cluster):
        made = study(
            victims,
            source,
            attack,
            out=out,
            n=n,
            from_label=from_label,
            goal=generating.goal,
            keep=keep,
            seed=seed,
            twins=twins,
            sources=sources or (),
            workers=workers,
            options=replace(options, labels=reading.labels),
            resume=resume,
            progress=not quiet,
        )
    _print(out, json)
    _print_problems(made.problems, err=True)
    if made.problems:
        number = len(made.problems)
        have = "victim has" if number == 1 else "victims have"
        typer.echo(f"{number} {have} no result, or not all; --resume tries again", err=True)
        raise typer.Exit(EXIT_SOME_FAILED)


@transfer_app.command(name="show")
def show_study(
    folder: Folder,
    picture: Annotated[Path | None, typer.Option(help="Also draw the matrix (SVG).", readable=False)] = None,
    json: option.AsJson = False,
) -> None:
    """Show a study: who fools whom, how often, and what that depends on."""
    from unfool.report import heat_map
    from unfool.transfer import Study

    if picture:
        drawn = heat_map(Study.open(folder).matrix(extra=True))
        try:
            picture.write_text(drawn, encoding="utf-8")
        except OSError as error:
            raise UserError(f"cannot write {picture}: {error.strerror}") from error
    _print(folder, json)
    if not json:
        _print_problems(Study.open(folder).problems, err=False)


@transfer_app.command(name="ensemble")
def choose_ensemble(
    folder: Folder,
    size: Annotated[int, typer.Option(help="How many members.", min=1)] = 6,
    how: Annotated[str, typer.Option(help="genetic, exhaustive (at most 4 members) or expert.")] = "genetic",
    seed: option.Seed = 0,
    json: option.AsJson = False,
) -> None:
    """Choose the members whose texts, by a study's rates, fool the most others; print their name as one victim."""
    from unfool.transfer import Study, ensemble_name, exhaustive, expert, genetic, missing_rates

    matrix = Study.open(folder).matrix()
    ways = {
        "genetic": lambda: genetic(matrix, size, seed=seed),
        "exhaustive": lambda: exhaustive(matrix, size),
        "expert": lambda: expert(matrix, size),
    }
    if how not in ways:
        raise UserError(f"unknown way to choose: {how!r}{did_you_mean(how, ways)}")
    chosen = ways[how]()
    name = ensemble_name(chosen.members)
    if missing := missing_rates(matrix):
        typer.echo(
            f"{counted(missing, 'rate is', 'rates are')} missing and counted as zero; resume the study first",
            err=True,
        )
    if json:
        print_json({"name": name, "members": chosen.members, "fitness": chosen.fitness})
    else:
        typer.echo(f"{name}\nfitness {chosen.fitness:.3f}: the mean over targets of the best rate of any member")


_JUDGED_COLUMNS = (
    "accuracy: on the sources as they are, how often the goal is not reached. fooled: how often the attack reaches "
    "it on the model itself.",
    "base: how often its sources fool its twin, the same model trained from another seed.",
    "sends: how often its sources fool the other models, on average. receives: how often theirs fool it.",
    "corrected: receives, counting only sources for whose original the goal is not reached.",
)
_COLUMNS = (
    "accuracy: on the texts as they are. fooled: how often the attack fools the model itself.",
    "base: how often its texts fool its twin, the same model trained from another seed.",
    "sends: how often its texts fool the other models, on average. receives: how often theirs fool it.",
    "corrected: receives, counting only texts whose original the model has right.",
)


def _print(folder: Path, json: bool) -> None:
    from unfool.transfer import Study, short_name, summary

    made = Study.open(folder)
    found = summary(made)
    labels = made.labels_in_order
    if json:
        print_json({"study": str(folder), "problems": made.problems, "labels": labels, **found.to_json()})
        return
    names = [f"{number} {short_name(model.name)}" for number, model in enumerate(found.models, start=1)]
    print_table(
        ["model", "accuracy", "fooled", "base", "sends", "receives", "corrected"],
        [
            [
                name,
                *map(_rate, (model.accuracy, model.success, model.base)),
                *map(_share, (model.sends, model.receives, model.receives_corrected)),
            ]
            for name, model in zip(names, found.models, strict=True)
        ],
    )
    for meaning in _JUDGED_COLUMNS if "generation_goal" in made.settings else _COLUMNS:
        typer.echo(meaning)
    if len(names) <= _MOST_IN_A_LINE:
        rows = zip([*names, *map(short_name, found.sources[len(names) :])], found.rates, strict=True)
        typer.echo("\nhow often texts that fool the model on the left fool the one above:")
        print_table(
            ["from, to", *(str(number) for number in range(1, len(names) + 1))],
            [[name, *map(_rate, row)] for name, row in rows],
        )
    elif found.analysis and found.analysis_corrected:
        _print_analysis(found.analysis, found.analysis_corrected)
    filled = sum(rate is not None and rate.of > 0 for row in found.rates for rate in row)
    of_no_pair = sum(name not in made.twins for name in made.victims)
    pairs = len(found.sources) * len(found.targets) - of_no_pair
    for told in labels:
        typer.echo(told)
    typer.echo(f"\n{filled} of {pairs} rates are there; all with --json")
    typer.echo(f"study: {folder}")


def _print_problems(problems: Mapping[str, str], err: bool) -> None:
    for name, problem in problems.items():
        typer.echo(visible_line(f"{name}: {problem}"), err=err)


def _print_analysis(found: Analysis, corrected: Analysis) -> None:
    """Print what rates depend on: the one factor in which models differ, and their classes."""
    typer.echo("\nhow far rates are from the target's base rate if source and target differ in one factor alone:")
    print_table(
        ["factor", "difference", "corrected", "pairs"],
        [
            [factor, _share(impact.mean), _share(corrected.impacts[factor].mean), str(impact.pairs)]
            for factor, impact in found.impacts.items()
        ],
    )
    for kind, tables in (
        ("architecture", (found.by_architecture, corrected.by_architecture)),
        ("input", (found.by_input, corrected.by_input)),
    ):
        sends, receives, receives_corrected = tables[0].sends, tables[0].receives, tables[1].receives
        typer.echo(f"\nmean rates of models by {kind}:")
        print_table(
            [kind, "sends", "receives", "corrected"],
            [
                [name, *(_share(each[name]) for each in (sends, receives, receives_corrected))]
                for name in tables[0].classes
                if not (isnan(sends[name]) and isnan(receives[name]))
            ],
        )


def _rate(rate: Rate | None) -> str:
    return _share(rate.value if rate else None)


def _share(value: float | None) -> str:
    return "–" if value is None or isnan(value) else f"{value:.1%}"
