"""The tables of a transfer matrix, the figures of Yuan et al. (2021) in brackets behind ours."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from unfool import data as data_room
from unfool import zoo
from unfool_papers.study.claim import CANNOT_BE_TOLD, DOES_NOT_HOLD, HOLDS
from unfool_papers.study.plan import Table
from unfool_papers.transferability import published as paper
from unfool_papers.transferability.findings import Finding
from unfool_papers.transferability.matrix import SEEDS, Found, six_findings

_SAID = {HOLDS: "yes", DOES_NOT_HOLD: "no", CANNOT_BE_TOLD: "cannot be told"}
_PARTS = {HOLDS: "holds", DOES_NOT_HOLD: "fails", CANNOT_BE_TOLD: "may be chance"}


def tables(found: Found, genetic_attack: Found | None = None) -> Iterator[Table]:
    """Yield every table of completed results; the fourth finding needs the genetic attack's beside PWWS'."""
    data = data_room.drawn(found["data"]).name
    setting = (paper.DATA.get(data, ""), found["attack"].partition(":")[0])
    about = f"{len(found['models'])} models, {found['data']}, {setting[1]}"
    yield Table(
        f"{about}: {found['n']} texts attacked on each",
        ["model", "accuracy", "fooled", "base rate", "sends", "receives", "receives, corrected"],
        [
            [
                zoo.parse(model["name"]).model,
                *(_rate(model[key]) for key in ("accuracy", "success", "base")),
                *(number(model[key]) for key in ("sends", "receives", "receives, corrected")),
            ]
            for model in found["models"]
        ],
    )
    yield _impacts(found, about, setting)
    for place, key, theirs in (
        ("Table 3, from architecture to architecture", "by architecture", paper.TABLE_3),
        ("Table 4, from input to input", "by input", paper.TABLE_4),
    ):
        beside = theirs if setting[1] == "pwws" else {}
        yield _classes(f"{place}, {about} [paper, {paper.TABLES_3_AND_4}]", found["analysis"][key], beside)
        yield _classes(f"{place}, {about}, corrected", found["analysis, corrected"][key], {})
    yield _findings(found, about, genetic_attack)
    if most := found.get("fool most"):
        yield _fool_most(most, about)
    yield from _ensembles(found, about, setting)


def _impacts(found: Found, about: str, setting: tuple[str, str]) -> Table:
    raw, corrected = (found[key]["impacts"] for key in ("analysis", "analysis, corrected"))
    theirs = paper.TABLE_2.get(setting, (None,) * 4)
    return Table(
        f"Table 2: how much a rate differs from the base rate by one factor alone, {about} [paper]",
        ["factor", "mean difference", "corrected", "pairs of models"],
        [
            [
                factor,
                number(raw[factor]["mean"], said),
                number(corrected[factor]["mean"]),
                str(raw[factor]["pairs"]),
            ]
            for factor, said in zip(paper.FACTORS, theirs, strict=True)
        ],
    )


def _fool_most(most: Mapping[str, Any], about: str) -> Table:
    return Table(
        f"Texts that turn most models, one an original, {about}: of {most['texts']} texts {most['fool all']}, of "
        f"{most['of as many originals']} originals, fool every model (what a model had wrong before counted as "
        f"fooled, as in the paper); {most['turn all']} turn every model (table 1 has three made by rules)",
        ["text", "label", "made on", "models that had it right", "of these, turned", "fooled"],
        [
            [each["text"], *(str(each[key]) for key in ("label", "made on", "right", "turned", "fooled"))]
            for each in most["most"]
        ],
    )


def _findings(found: Found, about: str, genetic_attack: Found | None) -> Table:
    both = (six_findings(found, genetic_attack, corrected=corrected) for corrected in (False, True))
    return Table(
        f"The six findings, {about}",
        ["finding", "by the rate as the paper counts", "by the corrected rate"],
        [
            [f"{place}. {raw.claim}", _judgement(raw), _judgement(corrected)]
            for place, (raw, corrected) in enumerate(zip(*both, strict=True), start=1)
        ],
    )


def _judgement(finding: Finding) -> str:
    """Say whether a finding holds, what its parts come to, and the figures."""
    told = [f"**{_SAID[finding.verdict]}**"]
    for verdict, begins in _PARTS.items():
        parts = [part for part, judged in finding.parts.items() if judged == verdict]
        told += [f"{begins}: {', '.join(parts)}"] if parts and finding.figures else []
    return "; ".join(
        filter(None, [*told, ", ".join(f"{name} {number(value)}" for name, value in finding.figures.items())])
    )


def _ensembles(found: Found, about: str, setting: tuple[str, str]) -> Iterator[Table]:
    printed = paper.GENETIC.get(setting, {})
    if found["chosen"]:
        yield Table(
            f"Table 8: ensembles chosen by the rates, {about}",
            ["size", "chosen by", "members", "fitness", "the paper's search"],
            [
                [
                    str(each["size"]),
                    each["how"],
                    " ".join(each["members"]),
                    number(each["fitness"]),
                    printed.get(each["size"], "") if each["how"] == "genetic" else "",
                ]
                for each in found["chosen"]
            ],
        )
    if found["ensembles"]:
        yield Table(
            f"Figure 1: texts crafted on the ensembles of table 8, {about}",
            ["size", "chosen by", "fools others", "models outside"],
            [
                [str(each["size"]), each["how"], number(each["rate"]), str(each["outside"])]
                for each in found["ensembles"]
            ],
        )
    if found["search"]:
        yield Table(
            f"From how many of {SEEDS} seeds the genetic search finds the best ensemble of all, {about}",
            ["size", "seeds", "the best", "fitness"],
            [
                [size, str(each["seeds"]), " ".join(each["members"]), number(each["fitness"])]
                for size, each in found["search"].items()
            ],
        )


def _classes(
    title: str, table: Mapping[str, Mapping[str, float | None]], reported: Mapping[str, tuple[float, ...]]
) -> Table:
    there = [row for row in table if any(value is not None for value in table[row].values())]
    places = {column: place for place, column in enumerate(table)}
    rows = [
        [row, *(number(table[row][c], reported[row][places[c]] if row in reported else None) for c in there)]
        for row in there
    ]
    return Table(title, ["from, to", *there], rows)


def _rate(rate: Mapping[str, Any] | None) -> str:
    if rate is None or rate["value"] is None:
        return "–"
    return f"{rate['value']:.3f} ({rate['low']:.2f}–{rate['high']:.2f}, {rate['of']})"


def number(value: float | None, reported: float | None = None) -> str:
    """Write a rate, and the paper's behind it."""
    ours = "–" if value is None or math.isnan(value) else f"{value:.3f}"
    return ours if reported is None else f"{ours} [{reported:.3f}]"
