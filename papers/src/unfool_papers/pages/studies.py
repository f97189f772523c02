"""The numbers of the studies' pages, each of which one command writes from its results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from unfool.stats import Rate
from unfool_papers.catalogue import STUDIES
from unfool_papers.defence_tables.part import bars_of, tables_of
from unfool_papers.pages.page import Page, kept
from unfool_papers.study.page import attack_bars, attack_table, sentence
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
    for what, why in found["problems"].items():
        yield f"- {what}: {why}"
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
    found = kept("analysis")["theorem"]
    drawn = [each["bound / mean"] for each in found["scores"] if each["setting"] == "random weights"]
    tight = [each["bound / mean"] for each in found["scores"] if each["setting"] == "tightest weights"]
    yield f"it is {min(tight):.2f} to {max(tight):.2f} times the mean for the tightest weights"
    yield f"and {min(drawn):.1f} to {max(drawn):.1f} times for random ones"
    slopes = found["slopes"]
    yield f"with d to the power {slopes['tightest weights']:.2f} and {slopes['random weights']:.2f}"
    chosen = [each for each in found["scores"] if each["setting"] == "change chosen for the text"]
    broken = next(each["dimensions"] for each in chosen if not each["holds"])
    most = max(1 / each["bound / mean"] for each in chosen)
    slope = slopes["change chosen for the text"]
    yield f"broken from d = {broken} on, by up to {most:.1f} times (40 words; power {slope:.2f})"
    told = ", ".join(f"{name}: {100 * each['value']:.0f}%" for name, each in found["moved"].items())
    yield f"effectively moved – {told}"


def _cs229() -> Iterator[str]:
    for row in kept("study-cs229")["rows"]:
        if row["victim"] == "zoo:CS229-LSTM@imdb":
            n, shares = row["n"], (row["clean accuracy %"], row["accuracy under attack %"])
            before, after = (f"{share * n / 100:.0f} of {n} texts right ({share:.1f}%)" for share in shares)
            if row["attack"] in ("jsma", "strongest-swap:n=5"):
                yield f"Before: {before}. After: {after}."
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


_BESIDE = "told by the run that drew the picture; results kept no captions then, and do now"
STUDY_PAGES = {
    "studies/self-attention": _page(
        "self-attention",
        _self_attention,
        {
            "how claims of about equal figures are judged": [
                "it *holds* where the 95 % interval of their difference lies within the margin named"
            ],
            "a setting": [
                "Re, the mean over the texts with which gs-ec:candidates=1000 fooled, and its 95 % interval",
                "(W_Q = W_K = 1)",
                "2 exp(−dε²/2C²δ²)",
                "What is missing to 1 goes",
                "Of longer texts, 32 words around the first change",
                "d = 128, 40 words, the mean of 100 draws; below 0.0001 not drawn",
            ],
            _BESIDE: [
                "LSTM-Attention@yelp_polarity 7.1%, BERT@yelp_polarity, layer 1 of 6 0.1%",
                "from the input up: 1%, 26%; BERT@yelp_polarity, from the input up: 0%, 1%, 5%, 8%, 15%, 27%, 55%",
            ],
        },
    ),
    "studies/transferability": _page(
        "transferability", tuple, {"a title": ["## Transfer on rotten_tomatoes, 26 nets", "rotten_tomatoes[1000]"]}
    ),
    "studies/cs229": _page(
        "cs229",
        _cs229,
        {
            "what the report says": ["82.21 and 82.24"],
            _BESIDE: [
                "![25,000 texts on two principal components",
                "*25,000 texts by the mean GloVe vector of each text's words; 600 are drawn. The two components "
                "explain "
                "29.8% and 11.5% of the variance. A straight line tells the labels apart for 56.9% [56.0%, "
                "57.7%] of "
                "texts it was not drawn by; the commonest label has 50.0%.",
                "*835 texts that fooled the victim; 53% of them have at most 5 words replaced, the median is 5, "
                "the "
                "mean 6.7, the most 31.",
                "*Accuracy on 25,000 texts the net did not see: 80.1% at 16, 82.0% at 32, 83.9% at 64, 82.0% at "
                "128; "
                "nets a value: 1. Bars are 95 % intervals",
                "*Accuracy on 25,000 texts the net did not see: 83.1% at 0.0, 83.9% at 0.25, 81.5% at 0.5; "
                "nets a value: 1. Bars are 95 % intervals",
            ],
        },
    ),
    "studies/firebert": _page(
        "firebert", tuple, {"a setting": ["Noise of 0.25 around", "t-SNE of 500 points around each"]}
    ),
    "studies/hotflip": _page(
        "hotflip",
        _hotflip,
        {
            "a setting": ["Bars are 95 % intervals; hollow points"],
            _BESIDE: [
                "*107 texts that fooled the victim: 2.20 [1.92, 2.48] % of their characters changed on average, "
                "one "
                "character alone in 9% of them.",
                "*The 5 words nearest by cosine to each changed word. For 182 of 191 changed words (95%) the "
                "original",
            ],
        },
    ),
}
