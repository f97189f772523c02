"""FireBERT's victims under attack by TextFooler, without a defence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from unfool_papers.study.claim import Claim, Figures
from unfool_papers.study.row import Reported, Row, RowFigure

RELEASED = "textfooler:variant=released"
_AFTER: RowFigure = "accuracy under attack %"


class Setup(NamedTuple):
    """The victim, and what it is attacked on."""

    victim: str
    data: str
    n: int
    editable: str | None = None
    where: str = "Table 3"
    differs: str = "universal tags, where FireBERT compared fine ones"
    others: tuple[str, ...] = ()
    """Data on which TextFooler's own victims are attacked, too."""


FULL = Setup(
    "BERT@mnli",
    "attack_sets/mnli_matched",
    1000,
    "hypothesis",
    others=("rotten_tomatoes", "imdb"),
)
SMOKE = Setup(
    "WordCNN@rotten_tomatoes[1000]",
    "rotten_tomatoes[200]",
    25,
    where="Table 3, BERT on MNLI",
    differs="a word CNN and sentences of film reviews, where FireBERT attacks BERT and pairs of sentences",
)


def rows(setup: Setup) -> Iterator[Row]:
    """Return the runs: TextFooler as released and as written on BERT, and on TextFooler's own victims."""
    bare = Row(4, "textfooler", f"zoo:{setup.victim}", setup.data, n=setup.n, editable=setup.editable)
    reported = (Reported(12.7, setup.where, _AFTER),)
    yield bare._replace(attack=RELEASED, reported=reported, differs=setup.differs)
    yield bare
    for data in setup.others:
        for model in ("WordCNN", "WordLSTM", "BERT"):
            yield Row(
                4, "textfooler", f"zoo:{model}@{data}", data, differs="FireBERT has no active attack on this data"
            )


def claims(setup: Setup, figures: Figures) -> Iterator[Claim]:
    """Return what the paper says of BERT without a defence."""
    found = figures.of(RELEASED, setup.victim, setup.data)
    terms = [figures.term("before", found, "clean accuracy %"), figures.term("after", found, _AFTER)]
    yield Claim(4, "TextFooler takes the accuracy", setup.victim, [t._replace(row="") for t in terms])
