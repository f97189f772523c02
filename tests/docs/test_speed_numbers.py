"""What the pages on speed and scale tell is what the kept results say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
from bench._common import table
from bench.cpu import shown
from bench.shortcuts import ENDS

ROOT = Path(__file__).parents[2]
BENCHMARKS, ENGINE, SCALE = (
    (ROOT / "docs" / f"{name}.md").read_text("utf-8") for name in ("benchmarks", "engine", "scale")
)
TEXTS = 10_000_000


def kept(name: str) -> dict[str, Any]:
    return dict(json.loads((ROOT / "results" / f"bench-{name}.json").read_text("utf-8")))


def test_the_table_of_two_cores_is_the_kept_one() -> None:
    assert table(shown(kept("cpu")["rows"])) in BENCHMARKS


@pytest.mark.parametrize(("net", "named"), [("word CNN", "WordCNN"), ("BiLSTM", "BiLSTM"), ("MiniLM", "MiniLM")])
def test_what_ten_million_texts_cost_on_a_core_follows(net: str, named: str) -> None:
    wanted = (net, "pwws", "unfool, auto")
    (row,) = (row for row in kept("cpu")["rows"] if (row["victim"], row["attack"], row["how"]) == wanted)
    hours = TEXTS / row["samples/s"] / 3600
    told = f"{hours:.1f}" if hours < 10 else f"{hours:,.0f}"
    a_second = f"{row['samples/s']:.1f}" if row["samples/s"] < 10 else f"{row['samples/s']:.0f}"
    assert f"| `pwws`, {named} | one CPU core | {row['queries']:.0f} | {a_second} | {told} hours |" in SCALE


def test_shortcuts_are_as_fast_and_as_near_as_told() -> None:
    found = kept("shortcuts")
    exact = {row["net"]: row for row in found["rows"] if row["dtype"] == "fp32"}
    times = {net: row["times"] for net, row in exact.items()}
    layers = ", ".join(str(times[f"CNN-W-GloVe-{count}"]) for count in (1, 2, 4, 6))
    lstms = " and ".join(str(times[f"LSTM-W-GloVe-{count}"]) for count in (1, 2))
    assert f"word CNN {times['WordCNN']}; CNN of 1, 2, 4, 6 layers {layers};" in ENGINE
    assert f"LSTM of 1 and 2 layers {lstms};" in ENGINE
    assert f"BiLSTM of 1 layer {times['BiLSTM-W-GloVe-1']}." in ENGINE
    assert max(row["farthest from fp32"] for row in exact.values()) == 4e-7
    assert round(max(row["other at 5 decimals %"] for row in exact.values()), 1) == 0.7
    assert all(row["same end"] == row["same text"] == row["same queries"] == 1000 for row in found[ENDS])


def test_the_table_of_precisions_is_the_kept_one() -> None:
    for row in kept("precision")["rows"]:
        victim = row["victim"].removeprefix("zoo:").removesuffix("@rotten_tomatoes")
        cells = [
            f"{victim}, {row['attack']}",
            f"{row['texts']:,}",
            row["success fp32"],
            row["success auto"],
            f"{row['words changed fp32']}, {row['words changed auto']}",
            f"{row['queries fp32']}, {row['queries auto']}",
            f"{row['same end']:,}",
            f"{row['same text']:,}",
            f"{row['fooled by fp32 alone']} and {row['fooled by auto alone']} (p = {row['p (McNemar)']:.2f})",
            row["times"],
        ]
        assert "| " + " | ".join(map(str, cells)) + " |" in ENGINE
        apart = abs(row["success fp32"] - row["success auto"])
        assert apart <= 0.5 if row["texts"] == 1000 else f"of {row['texts']} texts, moves by {apart:.1f}:" in ENGINE
        assert row["p (McNemar)"] > 0.05
    full, auto = (
        row["success %"].partition(" ")[0]
        for how in ("fp32", "auto")
        for row in kept("cpu")["rows"]
        if (row["victim"], row["how"]) == ("MiniLM", f"unfool, {how}")
    )
    assert f"{full} % fooled MiniLM in fp32 and {auto} % in `auto`" in ENGINE


def test_what_the_host_does_is_the_kept_figure() -> None:
    for row in kept("host")["rows"]:
        told = " | ".join(str(value) for value in row.values())
        assert f"| {told} |" in BENCHMARKS
