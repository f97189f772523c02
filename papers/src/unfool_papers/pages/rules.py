"""The numbers of the page about universal rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from unfool.transfer import traits
from unfool_papers.pages.page import Page, kept, rows_alone, signed
from unfool_papers.study.claim import Term, difference
from unfool_papers.study.plan import Table
from unfool_papers.transferability import published_rules as paper
from unfool_papers.transferability import rules

_REVIEWS, _NEWS, _THREE = "rules-rotten_tomatoes", "rules-ag_news-nine-nets", "rules-rotten_tomatoes-three-nets"


def tables() -> dict[str, str]:
    """Return the tables of the page."""
    made = {each.title.partition(":")[0]: rows_alone(each) for each in rules.tables(kept(_REVIEWS))}
    return {
        **{f"{title}, Rotten Tomatoes": made[title] for title in ("Table 5", "Table 9", "Table 10")},
        "frozen and tuned": _frozen_and_tuned(),
        "nine nets": _nine_nets(),
        "nine nets, by budget": _by_budget(),
        "Table 1, nine nets": next(
            rows_alone(each) for each in rules.tables(kept(_NEWS)) if each.title.startswith("Table 1:")
        ),
    }


def _frozen_and_tuned() -> str:
    found = kept("transfer-embedding-rotten_tomatoes")["rules"]
    rows = []
    for judge in sorted(found["tuned"], key=lambda name: ("Random" in name, list(found["tuned"]).index(name))):
        always = "Random" in judge
        cells = [
            "–" if always and way == "frozen" else str(found[way][judge][by])
            for by in ("uawr", "pmi")
            for way in ("frozen", "tuned")
        ]
        rows.append([f"`{judge}`" + ", another seed" * (judge == "CNN-W-Random-1"), *cells])
    heads = ["judge", "of the net, vectors frozen", "of the net, tuned", "of counts, frozen", "of counts, tuned"]
    return rows_alone(Table("", heads, rows))


def _nine_nets() -> str:
    found = kept(_NEWS)
    members = [name.removeprefix("zoo:").partition("@")[0] for name in found["members"]]
    success = {name.removeprefix("zoo:").partition("@")[0]: each for name, each in found["models"].items()}
    order = sorted(success, key=lambda name: (name not in members, list(success).index(name)))
    rows = [
        [
            f"`{name}`" + " (mined)" * (name in members),
            *(str(success[name][b]) for b in ("pmi", "uawr-2", "uawr-3")),
        ]
        for name in order
    ]
    return rows_alone(Table("", ["judge", "counts (PMI)", "of two nets", "of three nets"], rows))


def _by_budget() -> str:
    ours = kept(_NEWS)["budgets"]
    rows = [
        ["three nets' rules by budget, all judges", *map(str, ours.values())],
        ["the paper, seven models' rules, 63 judges", *map(str, paper.TABLE_10["ag_news"])],
    ]
    return rows_alone(Table("", ["", *(f"{float(budget):.0%}" for budget in ours)], rows))


def phrases() -> Iterator[str]:
    """Yield what the page says of the results."""
    found, outside = kept(_REVIEWS), _outside(_REVIEWS)
    yield f"Measured on the {len(found['models'])} models"
    yield f"mined once from all {found['mined texts']:,} training texts"
    yield f"then {found['judged texts']:,} test texts judged by all {len(found['models'])} models"
    seven, two, six, counts = (outside[name] for name in ("uawr-7", "uawr-2", "uawr-6", "pmi"))
    of = found["outside"]["pmi"][1]
    yield (
        f"on the {found['judges outside']} models that had no part in the mining, {six.value} % and "
        f"{counts.value} % "
        f"of {of:,} texts"
    )
    low, high = difference(seven, two)
    assert low < 0 < high
    yield (
        f"rules of seven fool {seven.value} % of these texts, those of two {two.value}, and the difference is "
        f"[{signed(low)}, {signed(high)}], since {found['judges outside']} models read the same texts"
    )
    yield from _wrong_anyway(found["models"])
    yield from _embeddings(found["models"])
    tried = kept("transfer-embedding-rotten_tomatoes")
    yield f"from {tried['mined texts']:,} texts, and rules of counts, judged on {tried['n']} texts"
    three = kept(_THREE)
    minutes = three["seconds"]["mining"] / 60
    yield f"mined all {three['mined texts']:,} training texts of Rotten Tomatoes anew, in {minutes:.0f} minutes"
    yield from _table_6(three["table 6"])
    yield from _news()


def _outside(name: str) -> dict[str, Term]:
    found = kept(name)
    return {
        book: Term.share(book, fooled, of, found["judges outside"])
        for book, (fooled, of) in found["outside"].items()
    }


def _wrong_anyway(success: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """Success if what a model has wrong before counted as fooled, as the paper counts for transfer."""
    accuracy = {each["name"]: each["accuracy"]["value"] for each in kept("transfer-rotten_tomatoes-pwws")["models"]}

    def counted(book: str, reads: str = "") -> str:
        chosen = [name for name in success if not reads or _reads(name) == reads]
        return f"{np.mean([100 - accuracy[name] * (100 - success[name][book]) for name in chosen]):.1f}"

    yield (
        f"the average would be {counted('uawr-6')} % (rules of counts: {counted('pmi')} %), nets of characters "
        f"{counted('uawr-6', 'Character')} %, BERTs {counted('uawr-6', 'BERT')} %, nets on random vectors "
        f"{counted('uawr-6', 'Random')} %"
    )


def _embeddings(success: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    means = {
        reads: f"{np.mean([each['uawr-6'] for name, each in success.items() if _reads(name) == reads]):.1f}"
        for reads in ("Random", "GloVe", "word2vec", "fastText", "ELMo")
    }
    yield (
        f"by our count {means['Random']} % of the texts fall on random vectors, {means['GloVe']} % on GloVe, "
        f"{means['word2vec']} % on word2vec, {means['fastText']} % on fastText, and {means['ELMo']} % on ELMo"
    )


def _reads(name: str) -> str:
    found = traits(name)
    return found.reads if found else ""


def _table_6(found: Mapping[str, Any]) -> Iterator[str]:
    """Our counts of the paper's ten rules, word and substitute, by either label, beside the paper's."""
    theirs = found["the paper's"]
    assert len(theirs) == 10
    assert all(each["salience"] > 0 for each in theirs)
    ours = np.array([each["pmi"] for each in theirs])
    said = np.array([[negative, positive] for *_, positive, negative in paper.TABLE_6])
    assert ((ours == 0) == (said == 0)).all()
    yield f"within {np.abs(ours - said).max():.2f} bits (at the top {ours.max():.2f} for {said.max():.2f})"


def _news() -> Iterator[str]:
    found, outside = kept(_NEWS), _outside(_NEWS)
    yield f"mine {found['mined texts']:,} training texts, and nine nets judge {found['judged texts']:,} test texts"
    assert len(found["models"]) == 9
    yield (
        f"on the six nets that had no part in the mining {outside['uawr-3'].value} and {outside['pmi'].value} % of "
        f"{found['outside']['pmi'][1]:,} texts"
    )
    assert found["judges outside"] == 6


RULES = Page(
    "papers/pages/rules.md",
    tables,
    phrases,
    {
        "the budget of the paper, which is the default": ["budget 30 %"],
        "how many models the zoo has of the paper's": ["By all 63 the rules of AG News"],
        "a label of the data": ["1 is positive"],
    },
)
