"""The numbers of the page about what people say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from unfool_papers.pages.page import Page, kept, rows_alone
from unfool_papers.people import tables as all_tables


def tables() -> dict[str, str]:
    """Return the tables of the page."""
    return {name: rows_alone(table) for name, table in all_tables(kept("people")).items()}


def phrases() -> Iterator[str]:
    """Yield what the page says of the results."""
    found = kept("people")
    runs, studies = found["runs"], found["studies"]
    reviews = runs["bert-gs-ec"]
    words = reviews["attack"].partition("candidates=")[2]
    yield (
        f"here it is Rotten Tomatoes, {reviews['n']} sentences, of which each victim is attacked on those it has "
        "right"
    )
    yield f"the word is one of {words} drawn from the vocabulary"
    yield _judged(runs, "lstm-gs-ec", "on the LSTM, GS-EC fools {fooled} of {attacked}")
    yield _judged(runs, "bert-gs-ec", "on BERT {fooled} of {attacked}")
    yield _judged(runs, "bert-gs-gr", "and GS-GR {fooled} of {attacked}")
    pairs = [studies[f"table-{number}-readability"]["items"] for number in (3, 4)]
    yield f"Table 3 has {pairs[0]} pairs of texts left, table 4 has {pairs[1]}"
    yield _judged(runs, "hotflip", f"{runs['hotflip']['n']} texts drawn, {{fooled}} of {{attacked}} fooled")
    for name in ("table-3-readability", "table-4-readability"):
        assert all(each["high"] == 1 for each in studies[name]["model"]["readability"].values())
    if not any(study["people"] for study in studies.values()):
        yield "**No people have answered them yet: their column is empty.**"


def _judged(runs: dict[str, Any], name: str, form: str) -> str:
    return form.format(**runs[name])


PEOPLE = Page(
    path="papers/pages/people.md",
    tables=tables,
    phrases=phrases,
    allowed={
        "the paper's own": ("on 100 texts that all models have right", "and 600 texts, half of them changed"),
        "what the figure means": ("the best model's being 1",),
        "a setting": ("tuned on 1,000 sentences", "trained on 2,000 texts"),
    },
)
