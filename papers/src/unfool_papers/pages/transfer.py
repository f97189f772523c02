"""The tables and figures of the page about transferability."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from unfool.transfer import traits
from unfool_papers.pages.page import Page, kept, rows_alone
from unfool_papers.pages.transfer_prose import phrases
from unfool_papers.study.plan import Table
from unfool_papers.transferability import matrix_tables, published
from unfool_papers.transferability.matrix import complete, matrix_of
from unfool_papers.transferability.overfitting import Gap, gaps

_ALL_63 = {"Rotten Tomatoes": "transfer-rotten_tomatoes-pwws", "AG News": "transfer-ag_news-pwws"}
_HOW = ("genetic", "expert", "the paper's expert")
_RATES = (("", False), (", corrected", True))


def tables() -> dict[str, str]:
    """Return the tables of the page."""
    made = {
        "frozen and tuned": _frozen_and_tuned(),
        "the genetic attack": _two_attacks(),
        "PWWS less the genetic attack": _differences(),
        "the paper's own search": _their_search(),
        "ensembles of 26 nets": _on_ensembles(),
    }
    for data, file in _ALL_63.items():
        found = _completed(file)
        every = {each.title: each for each in matrix_tables.tables(found)}
        for name in ("Table 2", "Table 3", "Table 4", "The six findings"):
            table = next(
                each for title, each in every.items() if title.startswith(name) and "corrected" not in title
            )
            made[f"{name}, {data}"] = rows_alone(table)
        made[f"Table 8, {data}"] = _chosen(found["chosen"])
    return made


@cache
def _completed(file: str) -> dict[str, Any]:
    return complete(kept(file))


def _chosen(ensembles: list[Mapping[str, Any]]) -> str:
    by = {(each["how"], each["size"]): each for each in ensembles}
    rows = [
        [
            str(size),
            ", ".join(by["genetic", size]["members"]),
            *(f"{by[how, size]['fitness']:.3f}" for how in _HOW),
        ]
        for size in sorted({size for _, size in by})
    ]
    heads = ["size", "the genetic search's", "fitness", "our expert's", "the paper's expert's"]
    return rows_alone(Table("", heads, rows))


def _their_search() -> str:
    reviews, news = (published.GENETIC[data, "pwws"] for data in ("MR", "AGNEWS"))
    rows = [[str(size), *(each[size].replace(" ", ", ") for each in (reviews, news))] for size in reviews]
    return rows_alone(Table("", ["size", "on MR", "on AG News"], rows))


def _frozen_and_tuned() -> str:
    found = kept("transfer-embedding-rotten_tomatoes")["ways"]
    rows = []
    for way, told in found.items():
        for rate, name in (("raw", "the paper's"), ("corrected", "corrected")):
            seeds = told[rate]
            rows.append(
                [
                    way,
                    name,
                    f"{100 * told['accuracy']:.1f} %" if rate == "raw" else "",
                    _mean([each["base rate"] for each in seeds]),
                    *(
                        _mean([each["impacts"][factor] for each in seeds])
                        for factor in ("architecture", "embedding")
                    ),
                    _mean([each["embedding, Random and GloVe"] for each in seeds]),
                ]
            )
    _, architecture, embedding, _ = published.TABLE_2["MR", "pwws"]
    rows.append(["the paper, all nets", "the paper's", "", "", f"{architecture:.3f}", f"{embedding:.3f}", ""])
    heads = ["vectors", "rate", "accuracy", "base rate", "architecture", "embedding", "embedding, Random and GloVe"]
    return rows_alone(Table("", heads, rows))


def _mean(values: list[float]) -> str:
    return f"{np.mean(values):.3f}"


def gaps_26(*, corrected: bool = False) -> dict[str, Gap]:
    """Return the factors' impacts under both attacks on the 26 nets."""
    return gaps(*(matrix_of(kept(f"26-nets-{attack}"), corrected=corrected) for attack in ("pwws", "ga")))


def _two_attacks() -> str:
    rows = []
    for suffix, corrected in _RATES:
        both = gaps_26(corrected=corrected)
        for place, attack in enumerate(("pwws", "ga")):
            found, theirs = kept(f"26-nets-{attack}"), published.TABLE_2["MR", attack]
            fooled = np.mean([model["success"]["value"] for model in found["models"]])
            about = [
                f"{fooled:.3f}",
                *(f"{found[key]:.3f}" for key in ("mean base rate", "mean rate between models")),
            ]
            rows.append(
                [
                    f"`{attack}`{suffix}",
                    *([""] * 3 if corrected else about),
                    *(
                        matrix_tables.number(gap[place], None if corrected else said)
                        for gap, said in zip(both.values(), theirs, strict=True)
                    ),
                ]
            )
    heads = ["attack", "fooled", "base rate", "between different nets", *published.FACTORS]
    return rows_alone(Table("", heads, rows))


def _differences() -> str:
    rows = [
        [f"PWWS less `ga`{suffix}", *map(_interval, gaps_26(corrected=corrected).values())]
        for suffix, corrected in _RATES
    ]
    return rows_alone(Table("", ["difference, in points", *published.FACTORS], rows))


def _interval(gap: Gap) -> str:
    difference = f"{100 * (gap.pwws - gap.ga):+.1f}"
    low, high = (f"{100 * each:+.1f}" for each in (gap.low, gap.high))
    told = difference if np.isnan(gap.low) else f"{difference} [{low}, {high}]"
    return told.replace("-", "−").replace("+0.0", "0.0").replace("−0.0", "0.0")


def _on_ensembles() -> str:
    by = {(each["how"], each["size"]): each for each in kept("26-nets-pwws")["ensembles"]}
    rows = []
    for size in range(2, 8):
        ours, experts = by["genetic", size], by["expert", size]
        rates = [f"{each[key]:.3f}" for each in (ours, experts) for key in ("fitness", "rate")]
        assert all(traits(member) for member in ours["members"])
        rows.append([str(size), ", ".join(ours["members"]), *rates, str(ours["outside"])])
    heads = [
        "size",
        "the genetic search's",
        "fitness",
        "fools others",
        "our expert's fitness",
        "fools others",
        "models outside",
    ]
    return rows_alone(Table("", heads, rows))


TRANSFER = Page(
    "papers/pages/transfer.md",
    tables,
    phrases,
    {
        "how intervals are made": ["the 95 % intervals come from leaving out"],
        "which of the 63 are printed in the paper's figure 3": ["(targets 37 to 63)"],
        "the level of a test": [
            "clearly more than 5 % of the pairs differ by direction at the 5 % level",
            "chance alone makes about 5 % of them differ",
        ],
        "what the paper says": [
            "it would rule out 65 % of the candidates",
            "(In brackets the paper's 63 on film reviews",
        ],
        "how many models the zoo has of the paper's": [
            "63 models, texts made on each",
            "The 63 models of the paper, measured",
            "all 63 models and their twins",
            "on all 63",
            "AG News, all 63",
            "three texts that fool all 63",
            "by the 63",
            "the official 120,000",
        ],
        "words of a text that is shown": ["more than 30 [people"],
    },
)
