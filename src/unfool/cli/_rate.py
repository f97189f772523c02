"""``unfool rate``: people judge the texts of runs."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unfool.cli import options as option
from unfool.cli._rated import print_results
from unfool.cli.app import tell
from unfool.cli.printing import print_json, print_table
from unfool.errors import UserError, counted, not_installed
from unfool.options import Options

if TYPE_CHECKING:
    from unfool.rating import Study

rate_app = typer.Typer(
    help="Ask people whether changed texts still mean the same, and count the successes that are left.",
    no_args_is_help=True,
)

StudyFolder = Annotated[Path, typer.Argument(metavar="STUDY", help="The study's folder.", readable=False)]


class Asking(StrEnum):
    """What people are asked."""

    label = "label"
    readability = "readability"
    meaning = "meaning"
    grammar = "grammar"


class Raters(StrEnum):
    """Whose votes."""

    people = "people"
    model = "model"


class Format(StrEnum):
    """What votes and questions are written as."""

    votes = "votes"
    csv = "csv"
    label_studio = "label-studio"
    potato = "potato"


@rate_app.command(name="new")
def new(
    study: StudyFolder,
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN…", help="The runs to draw texts from.", readable=False)
    ],
    task: Annotated[
        Asking,
        typer.Option(
            help="The right label; the more natural of two texts; whether the meaning is kept; the grammar."
        ),
    ] = Asking.label,
    n: Annotated[
        int | None,
        typer.Option(help="Texts of each run; for readability, of each pair of runs. All if not given.", min=1),
    ] = None,
    per_item: Annotated[int, typer.Option(help="Raters for each item.", min=1)] = 3,
    gold: Annotated[int, typer.Option(help="Items with a known answer for each rater, at most.", min=0)] = 10,
    repeats: Annotated[int, typer.Option(help="Items that each rater gets twice.", min=0)] = 3,
    raters: Annotated[
        int | None, typer.Option(help="Personal links to make; the fewest that suffice if not given.", min=1)
    ] = None,
    seed: option.Seed = 0,
    json: option.AsJson = False,
) -> None:
    """Draw texts that fooled a victim, and make a study of them with a personal link for each rater."""
    from unfool.rating import new_study

    made = new_study(
        study, runs, task.value, n=n, per_item=per_item, gold=gold, repeats=repeats, seed=seed, raters=raters
    )
    golden, links = sum(item.gold for item in made.items), len(made.store.raters())
    if json:
        items = len(made.items) - golden
        print_json({"study": str(study), "items": items, "gold": golden, "raters": links})
        return
    if golden < gold:
        tell(f"only {golden} of {gold} gold items could be made: the runs have no more texts the victim has right")
    if links < made.fewest_raters:
        tell(f"{links} raters are too few for {per_item} votes an item: it takes {made.fewest_raters}")
    typer.echo(f"{len(made.items) - golden} items and {golden} gold items for {counted(links, 'rater', 'raters')}")
    typer.echo(f"study: {study}; let people rate by `unfool rate serve {study}`")


@rate_app.command(name="serve")
def serve(
    study: StudyFolder,
    port: Annotated[int, typer.Option(help="The port; 0 takes any that is free.", min=0, max=65535)] = 8000,
    host: Annotated[
        str, typer.Option(help="The address to serve at; another than this machine's lets others reach it.")
    ] = "127.0.0.1",
) -> None:
    """Serve the raters' pages until Ctrl-C; each rater comes in by a personal link."""
    from unfool.rating import Study

    opened = Study.open(study)
    try:
        from unfool.app import Place, rating_app
        from unfool.app import serve as serve_app
    except ModuleNotFoundError:
        raise not_installed("pages are made with FastAPI", "app") from None
    with opened.serving():
        serve_app(rating_app(opened), Place(host, port), partial(_tell_links, opened))
    tell("stopped; every answer that was acknowledged is kept")


@rate_app.command(name="links")
def links(
    study: StudyFolder,
    url: Annotated[
        str, typer.Option(help="How raters reach the server, such as https://example.org.")
    ] = "http://127.0.0.1:8000",
    more: Annotated[int, typer.Option(help="First add so many raters.", min=0)] = 0,
) -> None:
    """Print each rater's personal link."""
    from unfool.rating import Study

    opened = Study.open(study)
    opened.add_raters(more)
    _tell_links(opened, url.rstrip("/"))


def _tell_links(study: Study, url: str) -> None:
    for rater in study.store.raters():
        if rater.token:
            print(f"{rater.name} {url}/r/{rater.token}", flush=True)


@rate_app.command(name="status")
def status(study: StudyFolder, json: option.AsJson = False) -> None:
    """Show how far the raters are."""
    from unfool.rating import Study, results

    opened = Study.open(study)
    progress = {rater.name: opened.store.progress(rater) for rater in opened.store.raters()}
    found = results(opened)
    if json:
        raters = {name: each._asdict() for name, each in progress.items()}
        print_json({"study": str(study), "raters": raters, "votes": found.votes, "missing": found.missing})
        return
    print_table(
        ["rater", "answered", "at most"], [[name, str(p.answered), str(p.most)] for name, p in progress.items()]
    )
    typer.echo(f"{counted(found.votes, 'vote counts', 'votes count')}; {found.missing} are still missing")


@rate_app.command(name="results")
def show_results(
    study: StudyFolder,
    raters: Annotated[Raters, typer.Option(help="People, or the model that stands in for them.")] = Raters.people,
    enter: Annotated[
        bool, typer.Option("--enter", help="Put people's votes into the runs, for show, report and diff.")
    ] = False,
    json: option.AsJson = False,
) -> None:
    """Work out what the votes say."""
    from unfool.rating import Study, results
    from unfool.rating import enter as enter_votes
    from unfool.storage import as_plain

    opened = Study.open(study)
    found = results(opened, raters.value)
    if json:
        print_json({"study": str(study), **as_plain(found)})
    else:
        print_results(found)
    if enter:
        for run in enter_votes(opened):
            tell(f"votes entered into the run {run}")


@rate_app.command(name="vote")
@option.grouped
def vote(
    *,
    study: StudyFolder,
    raters: Annotated[Raters, typer.Option(help="model: people vote by `serve`.")] = Raters.model,
    victim: Annotated[
        str | None, typer.Option(help="On labels, the classifier that votes; not the one that was attacked.")
    ] = None,
    language_model: Annotated[
        str | None,
        typer.Option(help="On readability, the causal language model that votes, by folder; SmolLM2 if not given."),
    ] = None,
    options: Options,
) -> None:
    """Let a model stand in for people, to try a study out; its votes lie apart and never count as people's."""
    from unfool.rating import Study, ask_model

    if raters is Raters.people:
        raise UserError(f"people vote on pages of their own: unfool rate serve {study}")
    name = ask_model(Study.open(study), victim, options, language_model)
    typer.echo(f"{name} has voted; see unfool rate results {study} --raters model")


@rate_app.command(name="export")
def export(
    study: StudyFolder,
    out: Annotated[
        Path, typer.Option(help="The file of votes to write; for a platform, a folder.", readable=False)
    ],
    format: Annotated[
        Format, typer.Option(help="People's votes so far, or the questions for another platform.")
    ] = Format.votes,
) -> None:
    """Write people's votes to a file (JSON lines), or the questions for another platform."""
    from unfool.rating import Study, write_votes
    from unfool.rating.elsewhere import write_questions

    opened = Study.open(study)
    if format is Format.votes:
        write_votes(opened, out)
        typer.echo(out)
        return
    parts = write_questions(opened, format.value, out)
    for part in parts:
        typer.echo(part)
    if len(parts) > 1:
        tell("give each rater one part alone: no part holds two texts made of the same")


@rate_app.command(name="import")
def import_(
    study: StudyFolder,
    file: Annotated[Path, typer.Argument(help="Votes as `export` writes them, or what a platform gave back.")],
    format: Annotated[Format, typer.Option(help="Where the file comes from.")] = Format.votes,
) -> None:
    """Take votes that were given elsewhere; those that are there already change nothing."""
    from unfool.rating import Study, read_votes_file
    from unfool.rating.elsewhere import read_answers

    opened = Study.open(study)
    votes = format is Format.votes
    answers = read_votes_file(opened, file) if votes else read_answers(opened, format.value, file)
    typer.echo(counted(opened.take(answers), "new vote", "new votes"))
