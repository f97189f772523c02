"""``unfool augment``: variants of texts, made without a victim, for training."""

from __future__ import annotations

import csv
import io
import json as js
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unfool.cli import options as option
from unfool.cli.app import tell
from unfool.cli.options import COST, grouped, labelled, load_data
from unfool.errors import UserError, counted
from unfool.options import Reading

if TYPE_CHECKING:
    from unfool.job import Variants

Row = dict[str, str | int]
_ENDINGS = (".csv", ".jsonl")


@grouped
def augment_command(
    *,
    data: option.Data,
    out: Annotated[Path, typer.Option(help="The file to write, .csv or .jsonl.", readable=False)],
    attack: option.Attack = "textfooler",
    per_text: Annotated[int, typer.Option(help="Variants of a text, at most.", min=1)] = 4,
    n: option.Count = None,
    seed: option.Seed = 0,
    split: Annotated[str | None, typer.Option(help="Default: train, where the data has splits.")] = None,
    max_words: Annotated[
        float,
        typer.Option(help="The share of words that change; one always may.", min=0, max=1, rich_help_panel=COST),
    ] = 0.1,
    constrain: option.Constrain = "",
    language: option.Language = None,
    reading: Reading,
) -> None:
    """Write variants of texts with their labels: an attack's changes, with no victim to say when to stop."""
    from unfool.data import has_splits
    from unfool.job import augment
    from unfool.storage import explaining, replacing

    if out.suffix not in _ENDINGS:
        raise UserError(f"{out} must end in {' or '.join(_ENDINGS)}, so that it can be read as a data set")
    if out.exists():  # it may be the data itself
        raise UserError(f"{out} is there already; choose another place, or remove it")
    known_split = split or ("train" if has_splits(data) else None)
    source = load_data(data, known_split, labelled(reading))
    chosen = source.sample(n, seed)
    texts = written = 0
    found = augment(
        chosen, attack, per_text, seed=seed, max_words=max_words, constrain=constrain, language=language
    )
    with explaining(out, "write", "choose another place"), replacing(out) as file:
        stream = io.TextIOWrapper(file, encoding="utf-8", newline="")
        columns = (*source.columns.texts, "label", "id")
        writer = csv.DictWriter(stream, columns)
        if out.suffix == ".csv":
            writer.writeheader()
        for variants in found:
            texts += 1
            for row in _rows(variants, columns, source.labels):
                written += 1
                if out.suffix == ".csv":
                    writer.writerow(row)
                else:
                    stream.write(js.dumps(row, ensure_ascii=False) + "\n")
        stream.detach()
    fewer = texts * per_text - written
    if not written:
        tell(f"the attack {attack!r} has no change of at most {max_words:.0%} of the words; see --max-words")
    elif fewer:
        tell(f"{counted(fewer, 'variant is', 'variants are')} missing: the attack had no more of some texts")
    typer.echo(f"{counted(written, 'variant', 'variants')} of {counted(texts, 'text', 'texts')}: {out}")


def _rows(variants: Variants, columns: Sequence[str], labels: Sequence[str]) -> Iterator[Row]:
    about: Iterable[str | int] = (labels[variants.sample.label], variants.sample.id)
    for strings in variants.texts:
        yield dict(zip(columns, (*strings, *about), strict=True))
