"""The transfer matrix and the rules as parts of a study, with what the paper claims of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from unfool.report import heat_map_chart
from unfool.transfer import short_name
from unfool_papers.analysis import Figure
from unfool_papers.study.claim import CANNOT_BE_TOLD, DOES_NOT_HOLD, HOLDS, Claim, Term, judged
from unfool_papers.study.plan import Part, Section, Work
from unfool_papers.transferability import matrix, matrix_tables
from unfool_papers.transferability import rules as universal_rules
from unfool_papers.transferability.findings import Finding

_ORDER = {HOLDS: "yes", DOES_NOT_HOLD: "no", CANNOT_BE_TOLD: "–"}


def matrices_part(data: str, asked: matrix.Matrices, *, genetic_attack: bool = False) -> Part:
    """Return the part that fills the matrix; with the genetic attack's matrix beside it where asked for."""
    return Part(f"Transfer on {data}", partial(_matrices, asked, genetic_attack))


def _matrices(asked: matrix.Matrices, genetic_attack: bool, work: Work) -> Section:
    found = {
        each.attack: matrix.complete(
            matrix.transfer(
                each,
                work.out / "transfer" / f"{each.data}-{each.attack}",
                device=work.device,
                workers=work.workers,
                say=work.say,
                progress=work.progress,
            )
        )
        for each in (asked, *([asked._replace(attack="ga")] if genetic_attack else []))
    }
    own = found[asked.attack]
    return Section(
        tables=[
            table
            for each in found.values()
            for table in matrix_tables.tables(each, found.get("ga") if each is own else None)
        ],
        claims=[
            *_findings(matrix.six_findings(own, found.get("ga")), f"{len(own['models'])} models, {asked.data}"),
            *_judged(_ensemble_claims(own)),
        ],
        figures=[
            *(_heat_map(each) for each in found.values()),
            *(_by_size(each) for each in found.values() if each["ensembles"]),
        ],
        notes=[f"{name}: {problem}" for each in found.values() for name, problem in each["problems"].items()]
        + [f"{model} is a stand-in: {said}" for model, said in own["stand-ins"].items()],
        values=found,
    )


def _findings(findings: Iterable[Finding], about: str) -> Iterator[dict[str, Any]]:
    """Yield findings as `judged` gives claims."""
    for finding in findings:
        known = {label: round(100 * value, 1) for label, value in finding.figures.items() if not np.isnan(value)}
        yield {
            "paper": 2,
            "claim": finding.claim,
            "on": about,
            "figures": known,
            "beside": {},
            "p": [],
            "holds": _ORDER[finding.verdict],
            "verdict": finding.verdict,
        }


def _ensemble_claims(found: Mapping[str, Any]) -> Iterator[Claim]:
    """An ensemble's texts fool models outside more often than one model's do."""
    rates = matrix.matrix_of(dict(found))
    between, texts = rates.between, rates.texts
    for each in found["ensembles"]:
        if each["how"] != "genetic":
            continue
        names = [short_name(name) for name in rates.sources]
        inside = [names.index(member) for member in each["members"]]
        outside = [place for place in range(len(names)) if place not in inside]
        fooled, tried = between[inside][:, outside], texts[inside][:, outside]
        known = ~np.isnan(fooled)
        alone, of = round(float((fooled[known] * tried[known]).sum())), int(tried[known].sum())
        yield Claim(
            2,
            "texts made on an ensemble fool other models more often than texts made on one of its members",
            f"{each['size']} models, {found['data']}",
            [
                Term.share("the ensemble", each["fooled"], each["texts"], len(outside)),
                Term.share("its members, each alone", alone, of, len(outside)),
            ],
        )


def rules_part(data: str, asked: universal_rules.Rules) -> Part:
    """Return the part that mines and judges rules."""
    return Part(f"Rules on {data}", partial(_mined, asked))


def _mined(asked: universal_rules.Rules, work: Work) -> Section:
    found = universal_rules.rules(
        asked,
        work.out / "rules" / asked.data,
        device=work.device,
        workers=work.workers,
        say=work.say,
        # As the studies search BERT: what rules fool is checked at full precision.
        dtype="bf16" if work.device == "cuda" else "fp32",
        progress=work.progress,
    )
    return Section(
        tables=list(universal_rules.tables(found)),
        claims=_judged(_rule_claims(found)),
        figures=[_by_budget(found)],
        notes=[f"{name}: {problem}" for name, problem in found["problems"].items()]
        + [f"{model} is a stand-in: {said}" for model, said in found["stand-ins"].items()],
        values=found,
    )


def _rule_claims(found: Mapping[str, Any]) -> Iterator[Claim]:
    """On models that had no part in the mining."""
    sizes = sorted(int(book.removeprefix("uawr-")) for book in found["outside"] if book != "pmi")
    judges = max(1, found["judges outside"])
    terms = {book: Term.share(book, fooled, of, judges) for book, (fooled, of) in found["outside"].items()}
    about = f"{found['data']}, models that did not mine"
    largest = terms[f"uawr-{sizes[-1]}"]
    yield Claim(2, "rules of an ensemble fool more often than rules of counts", about, [largest, terms["pmi"]])
    if len(sizes) > 1:
        yield Claim(2, "rules of more models fool more often", about, [largest, terms[f"uawr-{sizes[0]}"]])


def _judged(claims: Iterable[Claim]) -> list[dict[str, Any]]:
    return [each for each in (judged(claim, {}) for claim in claims) if each]


def _heat_map(found: Mapping[str, Any]) -> Figure:
    rows, chart = heat_map_chart(matrix.matrix_of(dict(found)))
    attack = found["attack"].partition(":")[0]
    return Figure(
        f"transfer-{found['data'].partition('[')[0]}-{attack}",
        f"Texts {attack} makes on one model, tried on others ({found['data']})",
        "A square is the share of a source's texts (rows) that fool a target (columns); on the diagonal stands the "
        "rate of a model's twin, its base rate.",
        rows,
        chart,
    )


def _by_size(found: Mapping[str, Any]) -> Figure:
    attack = found["attack"].partition(":")[0]
    lines = {"base rate": found["mean base rate"], "mean between models": found["mean rate between models"]}
    sizes = sorted({each["size"] for each in found["ensembles"]})
    rows = [
        {"size": each["size"], "chosen by": each["how"], "rate": each["rate"]}
        for each in found["ensembles"]
        if each["rate"] is not None
    ] + [{"size": size, "chosen by": name, "rate": rate} for name, rate in lines.items() for size in sizes]
    return Figure(
        f"ensembles-{found['data'].partition('[')[0]}-{attack}",
        f"Texts {attack} makes on ensembles, tried on models outside ({found['data']})",
        "The mean share of an ensemble's texts that fool a model outside it, by its size and who chose it; the "
        "mean base rate and the mean rate between single models stand beside (figure 1).",
        rows,
        {
            "width": {"step": 60},
            "mark": {"type": "line", "point": True},
            "encoding": {
                "x": {
                    "field": "size",
                    "type": "ordinal",
                    "title": "models in the ensemble",
                    "axis": {"labelAngle": 0},
                },
                "y": {"field": "rate", "type": "quantitative", "title": "fooled", "scale": {"domain": [0, 1]}},
                "color": {"field": "chosen by", "type": "nominal"},
                "strokeDash": {"field": "chosen by", "type": "nominal"},
            },
        },
    )


def _by_budget(found: Mapping[str, Any]) -> Figure:
    rows = [{"budget": 100 * float(budget), "success": value} for budget, value in found["budgets"].items()]
    return Figure(
        f"rules-{found['data'].partition('[')[0]}",
        f"Rules by budget ({found['data']})",
        "The share of texts that rules fool, by the share of words they may change; a mean over all judges.",
        rows,
        {
            "mark": {"type": "line", "point": True},
            "encoding": {
                "x": {"field": "budget", "type": "quantitative", "title": "words that may change, %"},
                "y": {
                    "field": "success",
                    "type": "quantitative",
                    "title": "fooled, %",
                    "scale": {"domain": [0, 100]},
                },
            },
        },
    )
