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

RESULTS = "results"
_FROM = "taken from"
_ORDER = {HOLDS: "yes", DOES_NOT_HOLD: "no", CANNOT_BE_TOLD: "–"}


def matrices_part(
    title: str, asked: matrix.Matrices, *, genetic_attack: bool = False, kept: str = "transfer-{data}-{attack}"
) -> Part:
    """Return the part that fills the matrix; with the genetic attack's matrix beside it where asked for.

    Args:
        title: What the part is called.
        asked: The models, the data and the attack.
        genetic_attack: Whether to attack the same models with the genetic attack, too.
        kept: The name under which results of this matrix are kept.
    """
    return Part(f"Transfer on {title}", partial(_matrices, asked, genetic_attack, kept), takes_kept=True)


def _matrices(asked: matrix.Matrices, genetic_attack: bool, kept: str, work: Work) -> Section:
    attacks = [asked, *([asked._replace(attack="ga", sizes=())] if genetic_attack else [])]
    found, problems = dict[str, matrix.Found](), dict[str, str]()
    for each in attacks:
        name = kept.format(data=each.data, attack=each.attack)
        own = _kept_matrix(each, name, work) or _measured(each, work)
        if own is None:
            problems[f"{each.attack} on {_models(each)}"] = _later(_transfer_command(each, name))
            continue
        found[each.attack] = own
        problems |= {f"{each.attack} on {model}": problem for model, problem in own["problems"].items()}
        if each.sizes and not own["ensembles"]:
            problems[f"{each.attack} on ensembles of {_models(each)}"] = _later(_ensembles_command(each, name))
    own = found.get(asked.attack)
    claims = []
    if own:
        about = f"{len(own['models'])} models, {asked.data}"
        claims = [*_findings(matrix.six_findings(own, found.get("ga")), about), *_judged(_ensemble_claims(own))]
    return Section(
        tables=[
            table
            for each in found.values()
            for table in matrix_tables.tables(each, found.get("ga") if each is own else None)
        ],
        claims=claims,
        figures=[
            *(_heat_map(each) for each in found.values()),
            *(_by_size(each) for each in found.values() if each["ensembles"]),
        ],
        notes=[note for each in found.values() for note in _taken_from(each)]
        + [f"{model} is a stand-in: {said}" for model, said in (own["stand-ins"] if own else {}).items()],
        values={attack: _apart_from_rates(each) for attack, each in found.items()},
        problems=problems,
    )


def _apart_from_rates(found: matrix.Found) -> matrix.Found:
    """Leave the rates to the file that results were taken from."""
    return {key: value for key, value in found.items() if not (_FROM in found and key in ("rates", "corrected"))}


def _measured(asked: matrix.Matrices, work: Work) -> matrix.Found | None:
    """Measure a matrix, unless time is up; what an earlier sitting finished is read all the same."""
    folder = work.out / "transfer" / f"{asked.data}-{len(asked.named)}-{asked.attack}"
    if work.time_is_up:
        asked = asked._replace(sizes=())
        if matrix.whole(asked, folder) is None:
            return None
    return matrix.complete(
        matrix.transfer(
            asked, folder, device=work.device, workers=work.workers, say=work.say, progress=work.progress
        )
    )


def _kept_matrix(asked: matrix.Matrices, name: str, work: Work) -> matrix.Found | None:
    """Return the results kept of this very matrix; ensembles crafted on since then are added."""
    found = work.kept.read(name) if work.kept else None
    # The genetic attack takes many times as long: that of fewer texts is taken, and says how many.
    number = {"n": found["n"], "keep": found["keep"]} if found and asked.attack == "ga" else {}
    if not found or not matrix.fits(asked._replace(**number), found):
        return None
    found[_FROM] = f"{name}.json"
    ensembles = work.kept.read(f"ensembles-{name.removeprefix('transfer-')}") if work.kept else None
    if asked.sizes and not found["ensembles"] and ensembles:
        found["ensembles"] = ensembles["ensembles"]
    if asked.sizes and not found["ensembles"] and not work.time_is_up:
        found["ensembles"] = matrix.craft_on_ensembles(
            asked,
            found,
            work.out / "transfer" / f"ensembles-{name}",
            device=work.device,
            workers=work.workers,
            say=work.say,
        )["ensembles"]
    return matrix.complete(found)


def _taken_from(found: Mapping[str, Any]) -> list[str]:
    return [f"Taken from `{RESULTS}/{found[_FROM]}`, measured on {found['device']}."] if _FROM in found else []


def _models(asked: matrix.Matrices) -> str:
    return f"{len(asked.named)} models of {asked.data}"


def _later(command: str) -> str:
    return f"not measured; `{command}` does it, and `--from` takes what it leaves"


def _transfer_command(asked: matrix.Matrices, name: str) -> str:
    models = "" if asked.models == ("zoo63",) else f" --models {' '.join(map(repr, asked.models))}"
    out = "" if name.startswith("transfer-") else f" --out {RESULTS}/{name}.json"
    return (
        f"python -m unfool_papers.scripts.transfer --data {asked.data} --attack {asked.attack} "
        f"--folder {name}{models}{out} --device cuda --workers 14"
    )


def _ensembles_command(asked: matrix.Matrices, name: str) -> str:
    return (
        f"python -m unfool_papers.scripts.transfer --data {asked.data} --attack {asked.attack} "
        f"--folder ensembles-{asked.data} --ensembles-by {RESULTS}/{name}.json --device cuda --workers 14"
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


def rules_part(title: str, asked: universal_rules.Rules, *, kept: str = "rules-{data}") -> Part:
    """Return the part that mines and judges rules; ``kept`` is the name their results are kept under."""
    return Part(f"Rules on {title}", partial(_mined, asked, kept), takes_kept=True)


def _mined(asked: universal_rules.Rules, kept: str, work: Work) -> Section:
    name = kept.format(data=asked.data)
    found = work.kept.read(name) if work.kept else None
    if not found or not universal_rules.fits(asked, found):
        if work.time_is_up:
            wanted = f"rules of {len(asked.members)} models, judged by {len(asked.judges)}, {asked.data}"
            return Section(problems={wanted: _later(_rules_command(asked, name))})
        found = universal_rules.rules(
            asked,
            work.out / "rules" / f"{asked.data}-{len(asked.members)}-{len(asked.judges)}",
            device=work.device,
            workers=work.workers,
            say=work.say,
            # As the studies search BERT: what rules fool is checked at full precision.
            dtype="bf16" if work.device == "cuda" else "fp32",
            progress=work.progress,
        )
    else:
        found |= {_FROM: f"{name}.json"}
    problems = dict(found["problems"])
    if "fool most" not in found:
        problems[f"table 1 on {asked.data}: the texts that rules turn against most models"] = _later(
            _rules_command(asked, name)
        )
    return Section(
        tables=list(universal_rules.tables(found)),
        claims=_judged(_rule_claims(found)),
        figures=[_by_budget(found)],
        notes=([f"Taken from `{RESULTS}/{found[_FROM]}`."] if _FROM in found else [])
        + [f"{model} is a stand-in: {said}" for model, said in found["stand-ins"].items()],
        values=found,
        problems=problems,
    )


def _rules_command(asked: universal_rules.Rules, name: str) -> str:
    usual, given = universal_rules.Rules(asked.data), ""
    if asked.members != usual.members:
        given += f" --members {' '.join(asked.members)}"
    if asked.targets != usual.targets:
        given += f" --targets {' '.join(map(repr, asked.targets))}"
    if asked.n is not None:
        given += f" --n {asked.n}"
    if name != f"rules-{asked.data}":
        given += f" --out {RESULTS}/{name}.json"
    return (
        f"python -m unfool_papers.scripts.rules --data {asked.data} --folder {name}{given} --device cuda "
        "--dtype bf16 --workers 14"
    )


def _rule_claims(found: Mapping[str, Any]) -> Iterator[Claim]:
    """On models that had no part in the mining."""
    sizes = sorted(int(book.removeprefix("uawr-")) for book in found["outside"] if book != "pmi")
    judges = max(1, found["judges outside"])
    terms = {book: Term.share(book, fooled, of, judges) for book, (fooled, of) in found["outside"].items()}
    about = f"{found['data']}, {found['judges outside']} models that did not mine"
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
        _figure_name("transfer", found, "models", attack),
        f"Texts {attack} makes on one model, tried on others ({len(found['models'])} models, {found['data']})",
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
        _figure_name("ensembles", found, "models", attack),
        f"Texts {attack} makes on ensembles, tried on models outside (of {len(found['models'])}, {found['data']})",
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
        _figure_name("rules", found, "judges"),
        f"Rules by budget ({len(found['models'])} judges, {found['data']})",
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


def _figure_name(kind: str, found: Mapping[str, Any], of: str, *more: str) -> str:
    return "-".join([kind, found["data"].partition("[")[0], str(len(found["models"])), of, *more])
