"""``unfool rules audit`` and ``importance``: the words a model relies on."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unfool.cli import options as option
from unfool.cli.app import stoppable
from unfool.cli.options import grouped, labelled, load_training
from unfool.cli.printing import exit_if_unanswered, print_examples, print_json, print_table
from unfool.errors import UserError, did_you_mean
from unfool.options import Options, Reading, read_names

if TYPE_CHECKING:
    from unfool.rules import Audit

_LINES = 10
_MEANINGS = {
    "learned": "in the data the new word goes less with this answer than the old one; the model has learned that",
    "unseen": "the data never has the new word",
    "against": "the data shows no such difference between the two words; the bias is the model's own",
    "too rare to tell": "the words are too rare in the data to tell",
    "too few flips to tell": "too few texts, or no more flips than any replacement gives",
}


@grouped
def audit_command(
    *,
    victim: Annotated[
        str, typer.Option(help="The model: hf:…, zoo:…, skops:…, py:MODULE:FUNCTION, http(s)://…#rate=5.")
    ],
    data: option.Data,
    out: Annotated[Path, typer.Option(help="The HTML page to write.", readable=False)],
    split: option.TrainSplit = None,
    n: Annotated[int, typer.Option(help="How many texts, drawn by the seed; 0 takes all.", min=0)] = 1000,
    seed: option.Seed = 0,
    most: Annotated[int, typer.Option(help="How many words to list of each kind.", min=1)] = 25,
    support: Annotated[
        int, typer.Option(help="Leave out words with fewer texts in which the model is right.", min=1)
    ] = 2,
    reading: Reading,
    options: Options,
    workers: option.Workers = None,
    resume: option.Resume = False,
    quiet: option.Quiet = False,
    json: option.AsJson = False,
) -> None:
    """List the words a model relies on: which synonym flips which answer how often, and what the data says."""
    from unfool.report import audit

    source = load_training(data, split, labelled(reading))
    with stoppable():
        found = audit(
            victim,
            source,
            out,
            n=n or None,
            seed=seed,
            most=most,
            support=support,
            options=replace(options, labels=reading.labels),
            workers=workers,
            resume=resume,
            progress=not quiet,
        )
    if json:
        print_json(found.to_json())
    else:
        _print_audit(found, out)
    exit_if_unanswered(found.figures.unanswered, found.figures.replacements)


def _print_audit(found: Audit, out: Path) -> None:
    print_table(
        ["replacement", "answer", "flips", "rate", "the data"],
        [
            [
                f"{finding.rule.word} → {finding.rule.substitute}",
                finding.label_name,
                f"{finding.rate.count} of {finding.rate.of}",
                str(finding.rate),
                finding.evidence,
            ]
            for finding in found.findings[:_LINES]
        ],
    )
    shown = {str(finding.explanation) for finding in found.findings[:_LINES]}
    for grounds, meaning in _MEANINGS.items():
        if grounds in shown:
            typer.echo(f"{grounds}: {meaning}.")
    print_examples(finding.examples[0][1:] for finding in found.findings[:_LINES])
    counted = Counter(finding.explanation for finding in found.findings)
    listed = ", ".join(f"{number} {grounds}" for grounds, number in counted.items())
    typer.echo(
        f"{found.figures.flipped} of {found.figures.right} right answers flip by one synonym; "
        f"{found.rules} different replacements do it (any replacement "
        f"flips {found.any_replacement.value or 0:.1%} of its texts); words listed: {listed or 'none'}: {out}"
    )


@grouped
def importance_command(
    *,
    victims: Annotated[list[str], typer.Option(help="Names as 'attack' takes them, 'zoo:LSTM-*@DATA'.")],
    text: Annotated[str, typer.Option(help="The text.")],
    label: Annotated[str, typer.Option(help="Its label.")],
    word: Annotated[
        int | None, typer.Option(help="The number of a word, from 0 on: show its substitutes instead.", min=0)
    ] = None,
    labels: Annotated[str | None, typer.Option(help="All label names, where the victims have no names.")] = None,
    out: Annotated[Path | None, typer.Option(help="Also write an HTML page.", readable=False)] = None,
    options: Options,
    json: option.AsJson = False,
) -> None:
    """Show how much each word of a text, or each substitute of a word, matters to each of several models."""
    from rich.console import Console

    from unfool.report import importance_lines, write_importance
    from unfool.rules import substitute_importance, word_importance
    from unfool.text import Sample
    from unfool.text import Text as Words
    from unfool.victims import open_victim
    from unfool.zoo.victim_names import spell_out

    chosen = spell_out(victims)
    options = replace(options, labels=read_names(labels) if labels else None)
    known = list(options.labels or open_victim(chosen[0], options).labels)
    if label not in known:
        raise UserError(f"there is no label {label!r}{did_you_mean(label, known)}")
    sample = Sample(0, Words.of(text), known.index(label))
    if not len(sample.text):
        raise UserError(f"the text {text!r} has no words; give one with words")
    if word is None:
        found = word_importance(chosen, sample, known, options)
    else:
        found = substitute_importance(chosen, sample, word, known, options=options)
    if out:
        title = "Importance of words" if word is None else f"Substitutes of {sample.text.words[word]}"
        write_importance(found, title, out)
    if json:
        print_json(found.to_json())
    else:
        Console().print(importance_lines(found), soft_wrap=True)
