"""The numbers of the studies' pages, each of which one command writes from its results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from unfool.stats import Rate
from unfool_papers.catalogue import STUDIES
from unfool_papers.defence_tables.part import bars_of, tables_of
from unfool_papers.pages.page import Page, kept
from unfool_papers.study.page import attack_bars, attack_table, not_done, sentence
from unfool_papers.study.tables import differences, markdown

_JUDGED = {
    "how claims are judged": [
        "McNemar's test over the texts both attacked gives p < 0.05, or else the 95 % interval of the difference"
    ]
}


def _page(name: str, more: Callable[[], Iterable[str]], allowed: Mapping[str, Sequence[str]]) -> Page:
    return Page(f"papers/pages/studies/{name}.md", dict, partial(_phrases, name, more), _JUDGED | dict(allowed))


def _phrases(name: str, more: Callable[[], Iterable[str]]) -> Iterator[str]:
    """Yield all that the page shows of the results: rows, claims, tables, captions, differences, problems."""
    found = kept(f"study-{name}")
    yield from _lines(attack_table(found["rows"]))
    for figure in (attack_bars(found["rows"]), *STUDIES[name].plans["full"].figures(found["rows"])):
        yield figure.caption
    for claim in found["claims"]:
        yield f"- {sentence(claim)}"
    for note in differences(found["rows"]):
        yield f"- {note}"
    for title, part in found["parts"].items():
        yield from (f"- {note}" for note in part.get("notes", ()))
        for each in found.get("shown", {}).get(title, ()):
            yield from _lines(each)
        yield from _defences(part)
    yield from _lines(not_done(STUDIES[name].plans["full"], found))
    yield from more()


def _defences(part: Mapping[str, Any]) -> Iterator[str]:
    for title, table in part.items():
        if isinstance(table, dict) and table.get("arms"):
            yield bars_of(title, table).caption
            for each in tables_of(title, table):
                yield from _lines(markdown(each))


def _lines(text: str) -> Iterator[str]:
    yield from (line for line in text.splitlines() if line)


def _self_attention() -> Iterator[str]:
    for each in kept("study-self-attention")["parts"]["Relative variation"]["Re"]:
        yield f"{each['texts']} | {each['Re']} [{each['low']}, {each['high']}] | {each['paper']}"
        yield (
            f"{each['Re']:.2f} [{each['low']:.2f}, {each['high']:.2f}] over {each['texts']} texts (paper: "
            f"{each['paper']})"
        )


def _cs229() -> Iterator[str]:
    halves = kept("study-cs229")["parts"]["Both halves of the test reviews"]["halves"]
    (dev,), (test,) = ({half[side]["of"] for half in halves.values()} for side in ("dev", "test"))
    yield f"**Right of {dev:,} and {test:,} reviews of imdb**"
    for model, half in halves.items():
        told = " | ".join(str(Rate(half[side]["count"], half[side]["of"])) for side in ("dev", "test"))
        yield f"| {model} | {told} |"


def _hotflip() -> Iterator[str]:
    rows = {
        (each["attack"], each["confidence"]): each
        for each in kept("study-hotflip")["rows"]
        if "CharCNN-LSTM" in each["victim"] and each["confidence"]
    }
    searches = {"beam": "hotflip", "greedy": "hotflip:width=1", "any character": "key-star", "keyboard": "key"}
    for name, attack in searches.items():
        low, high = (rows[attack, level] for level in (0.5, 0.9))
        yield f"{name} {low['success %']:.1f}% at 0.5 and {high['success %']:.1f}% at 0.9 (n = {low['attacked']})"
    counts = rows["hotflip", 0.5]["operations"]
    total = sum(counts.values())
    flips, deletions, insertions = (100 * counts[kind] / total for kind in ("flips", "deletions", "insertions"))
    yield f"{total} characters changed: {flips:.1f}% flip, {deletions:.1f}% delete, {insertions:.1f}% insert"


STUDY_PAGES = {
    "studies/self-attention": _page(
        "self-attention",
        _self_attention,
        {
            "how claims of about equal figures are judged": [
                "it *holds* where the 95 % interval of their difference lies within the margin named"
            ],
            "a setting": [
                "Re, the mean over the texts with which gs-ec:candidates=1000 fooled, and its 95 % interval"
            ],
        },
    ),
    "studies/transferability": _page(
        "transferability", tuple, {"a title": ["## Transfer on rotten_tomatoes, 26 nets", "rotten_tomatoes[1000]"]}
    ),
    "studies/cs229": _page("cs229", _cs229, {"what the report says": ["82.21 and 82.24"]}),
    "studies/firebert": _page(
        "firebert", tuple, {"a setting": ["Noise of 0.25 around", "t-SNE of 500 points around each"]}
    ),
    "studies/hotflip": _page("hotflip", _hotflip, {"a setting": ["Bars are 95 % intervals; hollow points"]}),
}
