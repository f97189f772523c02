"""The plan for a thousand models follows from what the study of 63 took, as pages and results tell it."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "scale.md").read_text("utf-8")
NETS, MODELS = 63, 1000


def seconds(page: str, pattern: str) -> list[int]:
    found = re.search(pattern, (ROOT / "docs" / page).read_text("utf-8"))
    assert found, f"{page} tells it otherwise now"
    return [int(figure) for figure in found.groups()]


def study(name: str) -> dict[str, float]:
    kept = json.loads((ROOT / "results" / f"transfer-{name}-pwws.json").read_text("utf-8"))
    return dict(kept["seconds"])


def row(what: str, power: int, took: list[int]) -> str:
    cells = (f"{each} s | {each * (MODELS / NETS) ** power / 3600:.1f} hours" for each in took)
    return f"| {what} | {' | '.join(cells)} |"


def test_a_thousand_models_follow_from_63() -> None:
    trained = [seconds("zoo.md", rf"took \*\*(\d+) s\*\* {call}")[0] for call in ("on one H200", "in one call")]
    words = seconds("transfer.md", r"crafting took (\d+) s, filling the 63 × 63 matrix\nand the twins (\d+) s")
    news = seconds("transfer.md", r"crafting\ntook (\d+) s and filling (\d+) s")
    assert trained[1] == study("ag_news")["train"]
    assert sum(news) == study("ag_news")["craft and fill"]
    assert 0 <= study("rotten_tomatoes")["craft and fill"] - sum(words) < 5  # opening and closing
    crafted, tried = map(list, zip(words, news, strict=True))
    assert row("training, each with a twin | models", 1, trained) in PAGE
    assert row("crafting | models", 1, crafted) in PAGE
    assert row("trying every text on every model | their square", 2, tried) in PAGE
    assert all(square / NETS * MODELS > all_of_them for square, all_of_them in zip(tried, trained, strict=True))
    assert [round(all_of_them / square) for square, all_of_them in zip(tried, trained, strict=True)] == [9, 14]


def test_what_ray_costs_follows_from_its_file() -> None:
    kept = json.loads((ROOT / "results" / "bench-cluster.json").read_text("utf-8"))
    assert kept["the same bytes"]
    assert kept["load average at the end"] < 3
    jobs = kept["seconds of a crafting job"]
    assert f"--n {kept['texts a victim']} --work {kept['scores counted']} --times 1" in PAGE
    assert f"crafting jobs took {min(jobs):.0f} to {max(jobs):.0f} s" in PAGE
    by_clock, by_processor = kept["seconds by the clock"], kept["seconds of processor time, all processes"]
    (pool,), (cluster,) = by_clock["pool"], by_clock["cluster"]
    assert f"it took {pool} s by the clock, on a cluster\nof the same two cores {cluster} s" in PAGE
    more = [took["cluster"][0] / took["pool"][0] - 1 for took in (by_clock, by_processor)]
    assert f"added {more[0]:.1%} by the clock and {more[1]:.1%} of processor time".replace("%", " %") in PAGE


def test_the_million_texts_are_those_of_the_file() -> None:
    kept = json.loads((ROOT / "results" / "bench-million.json").read_text("utf-8"))
    few = json.loads((ROOT / "results" / "bench-million-20000.json").read_text("utf-8"))
    memory, reads = kept["MB by twentieths of the run"], kept["samples read while it grew"]
    most, before = kept["attack"]["most_mb"], few["attack"]["most_mb"]
    assert kept["texts"] == reads[-1] == 1_000_000
    for said in (
        f"all processes together | {kept['texts a CPU second']:,} |",
        f"{memory[0]} MB after the first 50,000 texts, {most} MB at most",
        f"| {kept['bytes a text']} bytes a text",
        f"{len(reads)} times, from {reads[0]:,} to all",
        f"{kept['show']['seconds']:.1f} s, {kept['show']['most_mb']} MB |",
        f"{kept['report']['seconds']:.1f} s, {kept['report']['most_mb']} MB; the page has {kept['page MB']} MB",
        f"took {kept['attack']['seconds']:.0f} s by the clock",
        f"took {before} MB (`bench-million-20000.json`), with a million {most}: about "
        f"{round((most - before) / 0.98, -1):.0f} bytes",
    ):
        assert said in PAGE, said
