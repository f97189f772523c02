"""``unfool rules``: universal word replacement rules, and audits by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unfool.cli import options as option
from unfool.cli._audit import audit_command, importance_command
from unfool.cli.app import shared_on, stoppable, tell
from unfool.cli.in_a_row import NamesInARow
from unfool.cli.options import grouped, labelled, load_data, load_training
from unfool.cli.printing import (
    exit_if_some_failed,
    exit_if_unanswered,
    print_examples,
    print_json,
    print_runs,
    print_table,
    summary_json,
)
from unfool.errors import UserError, did_you_mean
from unfool.labels import told_in_order
from unfool.options import Options, Reading

if TYPE_CHECKING:
    from unfool.rules import Rule, RuleBook

rules_app = typer.Typer(
    cls=NamesInARow,
    help="Word replacements that fool many models at once: mine them, apply them, audit a model by them.",
    no_args_is_help=True,
)


class How(StrEnum):
    """What rules are mined by."""

    uawr = "uawr"
    pmi = "pmi"


@rules_app.command(name="mine")
@grouped
def mine_command(
    *,
    data: option.Data,
    out: Annotated[Path, typer.Option(help="The file of rules to write.", readable=False)],
    victims: option.Victims = None,
    by: Annotated[How, typer.Option(help="The victims' logits, or counts of words alone.")] = How.uawr,
    split: option.TrainSplit = None,
    n: option.Count = None,
    seed: option.Seed = 0,
    per_word: Annotated[int, typer.Option(help="Substitutes kept for each word; 0 keeps all.", min=0)] = 1,
    support: Annotated[int, typer.Option(help="Places a rule must apply to, at least.", min=1)] = 1,
    every: Annotated[bool, typer.Option("--every", help="Also keep rules that do not hurt the victims.")] = False,
    reading: Reading,
    options: Options,
    workers: option.Workers = None,
    cluster: option.Cluster = None,
    resume: option.Resume = False,
    quiet: option.Quiet = False,
    json: option.AsJson = False,
) -> None:
    """Try every synonym of every word in every text, and keep the replacements that hurt the victims' mean most."""
    from unfool.rules import RuleFilter, mine_rules

    source = load_training(data, split, labelled(reading))
    with stoppable(), shared_on(cluster):
        book = mine_rules(
            victims or (),
            source,
            out,
            by=by.value,
            n=n,
            seed=seed,
            kept=RuleFilter(per_word or None, support, every),
            options=replace(options, labels=reading.labels),
            workers=workers,
            resume=resume,
            progress=not quiet,
        )
    if json:
        print_json({"rules": str(out), "count": len(book), **book.origin})
    else:
        _print_rules(book, book.rules[:10])
        typer.echo(f"{len(book)} rules: {out}")
    exit_if_unanswered(book.origin.get("unanswered"), book.origin.get("replacements"))


@rules_app.command(name="apply")
@grouped
def apply_command(
    *,
    rules: option.RuleFile,
    data: option.Data,
    max_words: Annotated[
        float, typer.Option(help="The largest share of a text's words that may change, such as 0.3.")
    ],
    victim: Annotated[str | None, typer.Option(help="Judges the texts, and has no part in making them.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="The file to write; with a victim, the run's folder.", readable=False),
    ] = None,
    split: option.TestSplit = None,
    n: option.Count = None,
    seed: option.Seed = 0,
    reading: Reading,
    options: Options,
    resume: option.Resume = False,
    quiet: option.Quiet = False,
    json: option.AsJson = False,
) -> None:
    """Rewrite texts by rules, without asking any model; a victim may judge how well that works."""
    from unfool.rules import apply_rules, read_rules, refuse_other_labels, rewrite_data

    book = read_rules(rules)
    source = load_data(data, split, labelled(reading))
    refuse_other_labels(book, source.labels)
    if told_labels := told_in_order(data, source.labels, str(rules), book.labels):
        tell(told_labels)
    if victim is None:
        if out is None:
            raise UserError("name the file to write the rewritten texts to with --out, or a --victim to judge them")
        changed = rewrite_data(book, source, max_words, out, n=n, seed=seed)
        told = {"data": str(out), "texts": min(n or len(source), len(source)), "changed": changed}
        if json:
            print_json(told)
        else:
            typer.echo(f"{changed} of {told['texts']} texts changed: {out}")
        return
    with stoppable():
        run = apply_rules(
            book,
            source,
            max_words,
            victim,
            n=n,
            seed=seed,
            options=replace(options, labels=reading.labels),
            out=out,
            resume=resume,
            progress=not quiet,
        )
    if json:
        print_json({"run": str(run.folder), **summary_json(run)})
    else:
        print_runs([run], examples=0 if quiet else 3)
    exit_if_some_failed(run)


@rules_app.command(name="show")
def show_command(
    rules: Annotated[Path, typer.Argument(help="A file of rules.", readable=False)],
    n: Annotated[int, typer.Option(help="How many rules of each label.", min=1)] = 5,
    label: Annotated[str | None, typer.Option(help="Only rules for this label.")] = None,
    word: Annotated[str | None, typer.Option(help="Only rules for this word.")] = None,
    json: option.AsJson = False,
) -> None:
    """Show rules: salience, support, flips, PMI before and after, and an example of each."""
    from unfool.rules import read_rules

    book = read_rules(rules)
    if label is not None and label not in book.labels:
        raise UserError(f"the rules have no label {label!r}{did_you_mean(label, book.labels)}")
    wanted = word and word.lower()
    fitting = [rule for rule in book.rules if label in (None, rule.label) and wanted in (None, rule.word)]
    chosen = [rule for name in book.labels for rule in [each for each in fitting if each.label == name][:n]]
    if json:
        print_json({"labels": book.labels, **book.origin, "rules": [rule.to_json() for rule in chosen]})
        return
    if chosen:
        _print_rules(book, chosen)
    typer.echo(f"{len(chosen)} of {len(book)} rules")


def _print_rules(book: RuleBook, rules: Sequence[Rule]) -> None:
    print_table(
        ["replacement", "label", "salience", "support", "flips", "PMI with the label", "with another"],
        [
            [
                f"{rule.word} → {rule.substitute}",
                rule.label,
                f"{rule.salience:.3f}",
                str(rule.support),
                f"{rule.flips}/{rule.right}" if book.origin.get("members") else "–",
                *_associations(rule),
            ]
            for rule in rules
        ],
    )
    typer.echo(
        "salience: how much the replacement hurts the victims on average. support: places it "
        "applies to. flips: right "
        "answers it turns wrong, of those that were right. PMI: how strongly old → new word go "
        "with a label in the data."
    )
    print_examples(
        (rule.example.before, rule.word, rule.substitute, rule.example.after) for rule in rules if rule.example
    )


def _associations(rule: Rule) -> tuple[str, str]:
    """Return the change of PMI with the rule's label, and with the one that gains most."""

    def change(label: str) -> str:
        return f"{rule.pmi[label].word:.2f} → {rule.pmi[label].substitute:.2f}"

    if rule.label not in rule.pmi:
        return "–", "–"
    others = {name: each.substitute - each.word for name, each in rule.pmi.items() if name != rule.label}
    gains = max(others, key=lambda name: others[name], default=None)
    return change(rule.label), f"{gains}: {change(gains)}" if gains else "–"


rules_app.command(name="audit")(audit_command)
rules_app.command(name="importance")(importance_command)
