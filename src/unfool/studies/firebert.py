"""FireBERT (Mein, Hartman and Morris, 2020): TextFooler, and defences by other wordings."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from unfool.studies._claim import Claim, Figures
from unfool.studies._defended import CLEAN, PREMADE, Arm, DefenceTable, Said, defended
from unfool.studies._plan import Part, Plan, Study
from unfool.studies._row import Reported, Row, RowFigure

RELEASED = "textfooler:variant=released"
_FINE_TAGS = f"{RELEASED},tags=penn"
"""As FireBERT attacked."""
_LEFT = "left by textfooler"
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
    40,
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


def _arms(five: str, fuse: str, fact: str, twin: str, said: dict[str, tuple[Said, ...]]) -> tuple[Arm, ...]:
    arms = (
        Arm("baseline"),
        Arm("tuned anew", twin),
        Arm("FIVE", f"{five}:{{base}}"),
        Arm("FuSE", f"{fuse}:{{base}}"),
        Arm("FACT", method=fact),
        Arm("FuSE on FACT", f"{fuse}:{{FACT}}"),
        Arm("FIVE on FACT", f"{five}:{{FACT}}"),
    )
    return tuple(arm._replace(said=said.get(arm.name, ())) for arm in arms)


def _said(clean: float, premade: float, left: float | None = None) -> tuple[Said, ...]:
    figures = (Said(CLEAN, clean), Said(PREMADE, premade))
    return figures if left is None else (*figures, Said(_LEFT, left))


_MNLI = {
    "baseline": _said(84.3, 2.9, 12.7),
    "tuned anew": _said(83.3, 50.1),
    "FIVE": _said(75.7, 63.2, 46.3),
    "FuSE": _said(72.5, 59.1, 27.6),
    "FACT": _said(82.7, 80.0, 31.6),
    "FuSE on FACT": (Said(_LEFT, 37.3),),
    "FIVE on FACT": (Said(_LEFT, 54.5),),
}
_IMDB = {
    "baseline": _said(90.6, 0.2),
    "tuned anew": _said(90.5, 82.7),
    "FIVE": _said(88.4, 62.0),
    "FuSE": _said(51.8, 77.8),
    "FACT": _said(90.0, 87.2),
}
_PREMADE_ORDERS = (
    (PREMADE, ("FACT", "FIVE", "baseline")),
    (PREMADE, ("FuSE", "baseline")),
    (CLEAN, ("FACT", "FIVE")),
)
_ORDERS = (
    *_PREMADE_ORDERS,
    (_LEFT, ("FACT", "baseline")),
    (_LEFT, ("FIVE", "baseline")),
    (_LEFT, ("FIVE on FACT", "FACT")),
)


def _part(title: str, folder: str, table: DefenceTable) -> Part:
    return Part(title, partial(defended, table._replace(made_by=_FINE_TAGS), folder))


_ON_MNLI = DefenceTable(
    4,
    "zoo:BERT@mnli",
    FULL.data,
    (_FINE_TAGS,),
    _arms(
        "five[std=8.14,samples=8]",
        "fuse[words=2,alternatives=14,similarity=filter,multiplier=14]",
        "fact:words=9,alternatives=4",
        "zoo:BERT@mnli#1",
        _MNLI,
    ),
    "Tables 1 and 3",
    _ORDERS,
    n=1000,
    editable="hypothesis",
    start="new",
    lr=5e-5,
)
_ON_IMDB = DefenceTable(
    4,
    "zoo:BERT@imdb",
    "imdb[5000]",
    (),
    _arms(
        "five", "fuse[similarity=filter,multiplier=17]", "fact:words=23,alternatives=4", "zoo:BERT@imdb#1", _IMDB
    ),
    "Table 2",
    _PREMADE_ORDERS,
    n=1000,
    epochs=2,
    start="new",
    lr=5e-5,
)
_IN_SMALL = DefenceTable(
    4,
    f"zoo:{SMOKE.victim}",
    SMOKE.data,
    (_FINE_TAGS,),
    tuple(
        arm for arm in _arms("five", "fuse", "fact", "", _MNLI) if arm.name not in ("tuned anew", "FuSE on FACT")
    ),
    "Tables 1 and 3, BERT on MNLI",
    _ORDERS,
    n=SMOKE.n,
    epochs=2,
)

STUDY = Study(
    "firebert",
    4,
    "FireBERT: TextFooler",
    "TextFooler attacks BERT; other wordings of a text (SWITCH) defend it, put to the vote (FuSE), as noise on "
    "vectors (FIVE), or learnt from (FACT).",
    {
        "full": Plan(
            tuple(rows(FULL)),
            partial(claims, FULL),
            (
                _part("Defences on MNLI (Tables 1 and 3)", "mnli", _ON_MNLI),
                _part("Defences on IMDB (Table 2)", "imdb", _ON_IMDB),
            ),
        ),
        "smoke": Plan(
            tuple(rows(SMOKE)),
            partial(claims, SMOKE),
            (_part("Defences", "defences", _IN_SMALL),),
            differs="A word CNN for BERT, 1,000 film-review sentences for MNLI, 40 attacked, two epochs of FACT.",
        ),
    },
)
