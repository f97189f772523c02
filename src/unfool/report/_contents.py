"""What a page may be about: runs, transfer studies, files of rules, audits, and the importance of words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from unfool.errors import UserError
from unfool.report._charts import short_names
from unfool.rules import read_rules
from unfool.runs import Run, Runs, holds_several
from unfool.stats import Rate
from unfool.transfer import Study, summary, traits

Source = str | Path | Run | Runs


class Contents(NamedTuple):
    """The runs, and as plain values all else."""

    runs: Sequence[Run] = ()
    studies: Sequence[dict[str, Any]] = ()
    rules: Sequence[dict[str, Any]] = ()
    audits: Sequence[dict[str, Any]] = ()
    importances: Sequence[dict[str, Any]] = ()


def open_all(sources: Iterable[Source]) -> Contents:
    """Open what each path leads to; what is neither a study nor a file must be a run."""
    runs, studies, rules = list[Run](), list[dict[str, Any]](), list[dict[str, Any]]()
    for source in sources:
        if isinstance(source, Run):
            runs.append(source)
        elif isinstance(source, Runs) or holds_several(Path(source)):
            runs += source if isinstance(source, Runs) else Runs.open(source)
        elif Path(source).is_file():
            rules.append(_rules(Path(source)))
        elif (Path(source) / "study.json").is_file():
            studies.append(_study(Path(source)))
        elif all((Path(source) / name).is_file() for name in ("study.md", "results.json")):
            raise UserError(f"{source} holds a paper's study, and its study.md describes it; {_runs_of(source)}")
        else:
            runs.append(Run.open(source))
    return Contents(runs, studies, rules)


def _runs_of(folder: str | Path) -> str:
    runs = sorted(path.parent for path in Path(folder).glob("runs/*/config.json"))
    return f"give its runs: {folder}/runs/…, such as {runs[0]}" if runs else "it did no runs of its own to give"


def _study(folder: Path) -> dict[str, Any]:
    study = Study.open(folder)
    every = [*study.victims, *study.sources]
    return {
        "name": folder.absolute().name,
        **summary(study).to_json(),
        "short": short_names(every),
        "groups": {
            name: {"architecture": t.architecture, "input": t.reads} for name in every if (t := traits(name))
        },
        "cells": [_cell(study, source, target) for source in every for target in study.victims],
    }


def _cell(study: Study, source: str, target: str) -> dict[str, Any]:
    """Return what a square of the heat map stands for, and what is said when one points at it."""
    cell: dict[str, Any] = {"source": source, "target": target, "same": source == target}
    for name, corrected in (("rate", False), ("corrected", True)):
        rate = study.rate(source, target, corrected=corrected) or Rate(0, 0)
        low, high = rate.interval if rate.of else (None, None)
        cell[name] = {"value": rate.value, "low": low, "high": high, "count": rate.count, "of": rate.of}
    return cell


def _rules(path: Path) -> dict[str, Any]:
    book = read_rules(path)
    for rule in book.rules:
        if rule.flips > rule.right:
            raise UserError(
                f"{path} says that {rule.word} → {rule.substitute} flips {rule.flips} of {rule.right} right "
                "answers; mend that rule"
            )
    return {
        "name": path.name,
        "labels": book.labels,
        "origin": book.origin,
        "rules": [{**rule.to_json(), "interval": rule.rate.interval} for rule in book.rules],
    }
