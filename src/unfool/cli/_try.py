"""``unfool try``: attack texts given on the command line, and keep nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unfool.cli import options as option
from unfool.cli.app import EXIT_SOME_FAILED
from unfool.cli.options import grouped
from unfool.cli.printing import print_json, print_samples, records
from unfool.errors import UserError, did_you_mean
from unfool.options import Budget, Options, read_names

if TYPE_CHECKING:
    from unfool.data import Dataset
    from unfool.engine import Predictor

_STANDARD_INPUT = "-"
_WHAT = "The texts"


@grouped
def try_command(
    *,
    victim: option.Victim,
    texts: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT", help="The texts; - reads one text from standard input.")
    ] = None,
    attack: option.Attack = "textfooler",
    goal: Annotated[
        str | None, typer.Option(help="The victim generates, and this fools it: degrade, keyword=Art, …")
    ] = None,
    seed: option.Seed = 0,
    target: option.Target = None,
    confidence: option.Confidence = 0.0,
    eot: option.Eot = 1,
    label: Annotated[
        str | None,
        typer.Option(help="The right label; the victim's own answer if not given.", rich_help_panel=_WHAT),
    ] = None,
    pair: Annotated[
        list[str] | None, typer.Option(help="The second text of a pair, one for each text.", rich_help_panel=_WHAT)
    ] = None,
    edit: Annotated[
        str | None, typer.Option(help="Of a pair, the one to change: text or pair.", rich_help_panel=_WHAT)
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(help="The victim's label names, comma-separated, if it has none.", rich_help_panel=_WHAT),
    ] = None,
    budget: Budget,
    constrain: option.Constrain = "",
    language: option.Language = None,
    options: Options,
    json: option.AsJson = False,
) -> None:
    """Attack single texts, given here or on standard input: what the victim answers before and after, and why."""
    from unfool import attack as run_attack
    from unfool.engine import Failure, Outcome
    from unfool.victims import open_victim

    given = _given(texts or [])
    opened = replace(options, labels=read_names(labels) if labels else None)
    if goal:
        source: Dataset | list[Any] = list(zip(given, pair, strict=True)) if pair else given
    else:
        model = open_victim(victim, opened)
        source = _labelled(model, given, pair, edit, label)
    with TemporaryDirectory(prefix="unfool-") as folder, _nothing_kept():
        run = run_attack(
            victim if goal else model,
            source,
            attack,
            goal=goal,
            options=opened,
            seed=seed,
            budget=budget,
            constrain=constrain,
            language=language,
            target=target,
            confidence=confidence,
            eot=eot,
            out=Path(folder) / "run",
            progress=False,
        )
        failures = list(run.failures())
        remarks = () if failures else run.remarks()  # a text without a result says so itself
        found: list[Outcome | Failure] = sorted([*run.outcomes(), *failures], key=lambda each: each.id)
    if json:
        settings = {key: run.config[key] for key in ("victim", "attack")}
        print_json({**settings, "remarks": remarks, "samples": records(found, run.label_names)})
    else:
        for remark in remarks:
            typer.echo(f"note: {remark}")
        print_samples(found, run.label_names, numbered=len(found) > 1)
    if failures:
        raise typer.Exit(EXIT_SOME_FAILED)


@contextmanager
def _nothing_kept() -> Iterator[None]:
    """Say why a victim gives no answer, and nothing of a run to go on with."""
    from unfool.engine import NoAnswer

    try:
        yield
    except NoAnswer as error:
        raise UserError(f"the victim gave no answer about {error.about}: {error.why}") from error


def _given(texts: Sequence[str]) -> list[str]:
    """Return the texts, standard input read where it is meant."""
    if not texts and sys.stdin.isatty():
        raise UserError("there is no text to attack; give one in quotes, or give it on standard input")
    given = [_standard_input() if text == _STANDARD_INPUT else text for text in texts or [_STANDARD_INPUT]]
    for number, text in enumerate(given, start=1):
        if not text.strip():
            raise UserError(f"text {number} is empty; give one with words to change")
    return given


def _standard_input() -> str:
    # What is no UTF-8 is told by the data set, as it is for texts that are arguments.
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape").removesuffix("\n")


def _labelled(
    model: Predictor, texts: Sequence[str], pairs: Sequence[str] | None, edit: str | None, label: str | None
) -> Dataset:
    """Make a data set of the texts, each with the label given, or else with the victim's own answer."""
    from unfool.data import from_texts

    if label is not None and label not in model.labels:
        raise UserError(f"the victim has no label {label!r}{did_you_mean(label, model.labels)}")
    labelled = partial(from_texts, texts, pairs=pairs or None, edit=edit, names=model.labels)
    # Texts that cannot be used are told before the victim is asked about them.
    checked = labelled([label or model.labels[0]] * len(texts))
    return checked if label else labelled(_answers(model, checked))


def _answers(model: Predictor, data: Dataset) -> list[str]:
    """Return the names of the labels that the victim gives to texts; of labels that tie, the lowest."""
    from unfool.engine import answered_labels

    answered = model.check([sample.text.strings for sample in data]).result()
    for error in answered.errors.values():
        raise error
    return [model.labels[number] for number in answered_labels(answered.values).tolist()]
