"""FireBERT's Tables 1 to 3: the defences, what the paper says of each, and what it claims."""

from __future__ import annotations

from unfool_papers.defence_tables.table import (
    CLEAN,
    PREMADE,
    Arm,
    Change,
    DefenceTable,
    Floor,
    Said,
    Texts,
    before,
    f1,
    left,
    left_anew,
    queries,
    words,
)
from unfool_papers.firebert.rows import RELEASED, SMOKE
from unfool_papers.study.plan import Scale

FINE_TAGS = f"{RELEASED},tags=penn"
"""As FireBERT attacked."""
_LEFT = left("textfooler")
_ANEW = left_anew("textfooler")
"""The paper judges by a fresh answer: TextFooler's code ends with one more query."""
_DIFFERS = (
    "MiniLM stands in for BERT-base, and FIVE's noise is the one tuned for BERT-base; the training sets at hand "
    "are part of the paper's; {trained}; {judged}alternatives are not filtered by a sentence encoder; F1 is taken "
    "once over all texts, where the paper averages it over batches; all stored texts fool the base, where "
    "detokenising un-fooled a few of the paper's."
)
_FACT = (
    "FACT learns at 5e-5, in batches of 32, for {epochs} epochs, where the paper's does at 2e-5, in batches of "
    "{batch}, for one"
)
_ORDERS_OF_IMDB = (
    (PREMADE, ("FACT", "FIVE", "baseline")),
    (PREMADE, ("FuSE", "baseline")),
    (CLEAN, ("FACT", "FIVE")),
)
_ORDERS = (
    *_ORDERS_OF_IMDB,
    (_LEFT, ("FACT", "baseline")),
    (_ANEW, ("FIVE", "baseline")),
    (_ANEW, ("FIVE on FACT", "FACT")),
)
_FLOORS = (Floor(CLEAN, "FACT", 98, of="baseline"), Floor(PREMADE, "FACT", 80))
_FEWER_STORED = (Change(PREMADE, "FACT", -79, "baseline"), Change(PREMADE, "FIVE", -62, "baseline"))
_CHANGES = (
    *_FEWER_STORED,
    Change(_ANEW, "FIVE on FACT", -48, "baseline"),
    Change(words("textfooler"), "FACT", 30, "baseline"),
    Change(queries("textfooler"), "FACT", 30, "baseline"),
)
_SAME_NOISE = "noise=text"
"""Searched and judged by the same noise; beside it stands what fresh answers say of the same texts."""
SHUFFLED, ITEM_ZERO = "shuffled at load", "item 0"


def arms_of(five: str, fuse: str, fact: str, twin: str, faults: tuple[str, ...]) -> tuple[Arm, ...]:
    """Return all arms; the two faults that may be behind FuSE's strangest rows are arms of their own."""
    return (
        Arm("baseline"),
        Arm("tuned anew", twin, both_ways=True),
        Arm("FuSE", f"fuse[{fuse}]:{{base}}"),
        *(Arm(f"FuSE, {fault}", f"fuse[{fuse}]:{{base}}", fault=fault) for fault in faults),
        Arm("FIVE", f"five[{five},{_SAME_NOISE}]:{{base}}"),
        Arm("FACT", method=fact),
        Arm("FuSE on FACT", f"fuse[{fuse}]:{{FACT}}"),
        *(
            Arm(f"FuSE on FACT, {fault}", f"fuse[{fuse}]:{{FACT}}", fault=fault)
            for fault in faults
            if fault == ITEM_ZERO
        ),
        Arm("FIVE on FACT", f"five[{five},{_SAME_NOISE}]:{{FACT}}"),
        Arm("FIVE that masks", f"five[{five},arm=mask]:{{base}}"),
    )


def _judged(clean: float, clean_f1: float, premade: float, premade_f1: float) -> tuple[Said, ...]:
    figures = {CLEAN: clean, f1(CLEAN): clean_f1, PREMADE: premade, f1(PREMADE): premade_f1}
    return tuple(Said(figure, value) for figure, value in figures.items())


def _under(before_it: float, after: float) -> tuple[Said, ...]:
    return (Said(before("textfooler"), before_it), Said(_ANEW, after))


_SAID_OF_MNLI = {
    "baseline": (*_judged(84.3, 83.5, 2.9, 2.7), *_under(85.1, 12.7)),
    "tuned anew": _judged(83.3, 82.6, 50.1, 48.7),
    "FuSE": (*_judged(72.5, 71.3, 59.1, 56.8), *_under(49.9, 27.6)),
    f"FuSE, {ITEM_ZERO}": _under(49.9, 27.6),
    "FIVE": (*_judged(75.7, 70.8, 63.2, 56.6), *_under(77.7, 46.3)),
    "FACT": (*_judged(82.7, 82.1, 80.0, 79.1), *_under(82.0, 31.6)),
    "FuSE on FACT": _under(37.3, 37.3),
    f"FuSE on FACT, {ITEM_ZERO}": _under(37.3, 37.3),
    "FIVE on FACT": _under(74.3, 54.5),
}
_SAID_OF_IMDB = {
    "baseline": _judged(90.6, 90.4, 0.2, 0.2),
    "tuned anew": _judged(90.5, 90.2, 82.7, 81.6),
    "FuSE": _judged(51.8, 50.8, 77.8, 77.0),
    f"FuSE, {SHUFFLED}": _judged(51.8, 50.8, 77.8, 77.0),
    "FIVE": _judged(88.4, 86.7, 62.0, 58.6),
    "FACT": _judged(90.0, 89.7, 87.2, 86.7),
}


def _saying(arms: tuple[Arm, ...], said: dict[str, tuple[Said, ...]]) -> tuple[Arm, ...]:
    return tuple(arm._replace(said=said.get(arm.name, ())) for arm in arms)


_MNLI = DefenceTable(
    4,
    "mnli",
    "zoo:BERT@mnli",
    "Tables 1 and 3",
    Texts("mnli", "validation_matched", 10),
    Texts("attack_sets/mnli_matched", None),
    FINE_TAGS,
    _saying(
        arms_of(
            "std=8.14,samples=8",
            "words=2,alternatives=14",
            "fact:words=9,alternatives=4",
            "zoo:BERT@mnli#1",
            (ITEM_ZERO,),
        ),
        _SAID_OF_MNLI,
    ),
    _ORDERS,
    _FLOORS,
    _CHANGES,
    made=2,
    editable="hypothesis",
    start="new",
    lr=5e-5,  # as fast as the zoo's BERT learns
    looked_into="FACT",
    labels=("entailment", "neutral", "contradiction"),
    points=5000,
    differs=_DIFFERS.format(
        trained=_FACT.format(epochs=3, batch=7),
        judged="clean texts and pre-made ones come from dev_matched, where the paper judges by dev_mismatched; ",
    ),
)
_IMDB = _MNLI._replace(
    name="imdb",
    base="zoo:BERT@imdb",
    where="Table 2",
    clean=Texts("imdb", "test", 10),
    attacked=Texts("imdb", "test", 0.4),  # an attack on a long text takes ten times the time
    arms=_saying(
        arms_of(
            "std=2.3,samples=10",
            "words=3,alternatives=12",
            "fact:words=23,alternatives=4",
            "zoo:BERT@imdb#1",
            (SHUFFLED,),
        ),
        _SAID_OF_IMDB,
    ),
    orders=_ORDERS_OF_IMDB,
    changes=(Change(PREMADE, "FACT", -87, "baseline"), Change(PREMADE, "FIVE", -62, "baseline")),
    editable=None,
    epochs=2,
    labels=("negative", "positive"),
    differs=_DIFFERS.format(trained=_FACT.format(epochs=2, batch=2), judged=""),
)
_SNLI = _MNLI._replace(
    name="snli",
    base="zoo:BERT@snli[30000]",
    where="no table of the paper",
    clean=Texts("snli", "test", 10),
    attacked=Texts("attack_sets/snli", None),
    differs=_DIFFERS.format(trained=_FACT.format(epochs=3, batch=7), judged=""),
    arms=tuple(arm._replace(victim=arm.victim.replace("mnli", "snli[30000]"), said=()) for arm in _MNLI.arms),
    changes=(),
)
_MISMATCHED = _MNLI._replace(
    name="mnli-mismatched",
    where="Table 1",
    clean=Texts("attack_sets/mnli_mismatched", None, 2),
    attacked=None,
    arms=tuple(arm for arm in _MNLI.arms if not arm.fault),
    orders=_ORDERS_OF_IMDB,
    changes=_FEWER_STORED,
    looked_into="",
    labels=(),
    trained_in="mnli",
    differs=_DIFFERS.format(
        trained=_FACT.format(epochs=3, batch=7),
        judged="of dev_mismatched, by which the paper judges, the 1,000 pairs that TextFooler's authors drew are "
        "taken, in lower case and cut into words; ",
    ),
)
# The paper's noise is a hundred times as large as the vectors' own spread.
_NOISES = (0.05, 0.25, 1.0)
_NOISE = _MNLI._replace(
    name="mnli-noise",
    where="no table of the paper",
    arms=(
        Arm("baseline"),
        Arm("FACT", method="fact:words=9,alternatives=4"),
        *(Arm(f"FIVE of {std:g}", f"five[std={std:g},samples=8,{_SAME_NOISE}]:{{base}}") for std in _NOISES),
        *(
            Arm(f"FIVE of {std:g} on FACT", f"five[std={std:g},samples=8,{_SAME_NOISE}]:{{FACT}}")
            for std in _NOISES
        ),
    ),
    orders=tuple(
        (_ANEW, (f"FIVE of {std:g}{around}", alone))
        for around, alone in (("", "baseline"), (" on FACT", "FACT"))
        for std in _NOISES
    ),
    floors=(),
    changes=(),
    looked_into="",
    labels=(),
    trained_in="mnli",
)
_DEAR = ("tuned anew", "FuSE on FACT", "FIVE that masks")
_IN_SMALL = _MNLI._replace(
    name="rotten_tomatoes",
    base=f"zoo:{SMOKE.victim}",
    where="Tables 1 and 3, BERT on MNLI",
    clean=Texts("rotten_tomatoes", share=2.5),
    attacked=Texts("rotten_tomatoes"),
    arms=tuple(
        arm
        for arm in _saying(
            arms_of("std=2.3,samples=6", "words=3,alternatives=6", "fact", "", (SHUFFLED,)), _SAID_OF_MNLI
        )
        if arm.name not in _DEAR
    ),
    n=SMOKE.n,
    made=1,
    editable=None,
    epochs=2,
    start="victim",
    lr=None,
    labels=("negative", "positive"),
    points=SMOKE.n,
    differs="a word CNN for BERT and 1,000 sentences of film reviews for MNLI; FACT goes on from the net.",
)
TABLES: dict[Scale, tuple[DefenceTable, ...]] = {"full": (_IMDB, _MNLI), "smoke": (_IN_SMALL,)}
BESIDE = (_MISMATCHED, _SNLI, _NOISE)
"""Made on request."""
