"""Ebrahimi et al., 2018: HotFlip, characters flipped by gradients."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from unfool.victims import Options, open_victim
from unfool_papers.defence_tables.part import defences_part
from unfool_papers.defence_tables.table import ERROR, Arm, DefenceTable, Said, Texts, fooled
from unfool_papers.study.claim import Claim, Figures, Term
from unfool_papers.study.pictures import Draw, pictures, run_of
from unfool_papers.study.plan import Part, Plan, Scale, Study, Work
from unfool_papers.study.row import Reported, Row

if TYPE_CHECKING:
    from unfool.runs import Run

SEARCHES = {"beam": "hotflip", "greedy": "hotflip:width=1", "any character": "key-star", "keyboard": "key"}
COST = ("hotflip:width=1,operations=flips", "hotflip-exact:width=1,operations=flips")
FLIPS = "hotflip:operations=flips"
_FOOLED = fooled("hotflip")
_WORDS_LOOKED_AT = 200
# Figure 1's curves have no numbers but in the text.
_REPORTED = {
    ("hotflip", 0.5): Reported(4.18, "section 4", "characters changed %"),
    ("hotflip", 0.9): Reported(90, "section 4", sign=">"),
}


class Setup(NamedTuple):
    """What differs between the scales."""

    data: str
    n: int
    confidences: tuple[float, ...]
    """The least probability of the wrong answer, one run each."""
    dear: tuple[tuple[str, int], ...]
    """The nets on which every change is asked about, and on how many texts."""
    words: str = ""
    """The data of the attack on words; empty where it is left out."""
    model: str = "CharCNN-LSTM-Adam"
    as_written: str = ""
    """The net trained as the paper says, which is attacked as well; empty where it is left out."""

    @property
    def victim(self) -> str:
        """The net of characters."""
        return f"{self.model}@{self.data}"


_CNN = "CNN-C-Random-1"
FULL = Setup("ag_news", 200, (0.5, 0.6, 0.7, 0.8, 0.9), (("CharCNN-LSTM-Adam", 200), (_CNN, 200)), "sst2")
FULL = FULL._replace(as_written="CharCNN-LSTM")
_ADAM = "; the net is trained with Adam for twelve epochs at most, in batches of 256, where the paper's is with SGD"
SMOKE = Setup("ag_news[2000]", 30, (0.5, 0.9), ((_CNN, 6),), model=_CNN)


def rows(setup: Setup) -> Iterator[Row]:
    """Return the runs."""
    for model in filter(None, (setup.model, setup.as_written)):
        yield from _on_characters(setup, model)
    for model, n in setup.dear:
        for attack in COST:
            yield Row(
                5,
                attack,
                f"zoo:{model}@{setup.data}",
                setup.data,
                n=n,
                differs="{n} texts, greedy, flips alone: asking about every change takes thousands of queries a "
                "step" + (_ADAM if model == FULL.model else "; a CNN of characters for CharCNN-LSTM"),
            )
    if setup.words:
        yield Row(
            5,
            "hotflip-word",
            f"zoo:KimCNN@{setup.words}",
            setup.words,
            n=1821,
            split="test",
            reported=(Reported(2, "section 5: 41 texts"),),
            differs="vectors begin with GloVe, not word2vec; all places looked at, not the steepest alone",
        )


def _on_characters(setup: Setup, model: str) -> Iterator[Row]:
    """Return the searches of Figure 1, and the attack of Table 2, on a net of characters."""
    bare = Row(5, "", f"zoo:{model}@{setup.data}", setup.data, n=setup.n)
    adam = _ADAM if model == FULL.model else ""
    yield bare._replace(
        attack=FLIPS,
        reported=(Reported(98.16, "Table 2, baseline"),),
        differs=f"{{n}} texts, where the paper takes the whole test set{adam}",
    )
    for confidence in setup.confidences:
        for attack in SEARCHES.values():
            found = _REPORTED.get((attack, confidence))
            yield bare._replace(
                attack=attack,
                confidence=confidence,
                reported=(found,) if found else (),
                differs=f"{{n}} texts, where the paper takes 760{adam}"
                + ("" if found else "; its Figure 1 has no numbers"),
            )


def claims(setup: Setup, figures: Figures) -> Iterator[Claim]:
    """Return what the paper claims of the attacks."""
    data = setup.data
    for model in filter(None, (setup.model, setup.as_written)):
        yield from _of_searches(setup, model, figures)
    for model, _ in setup.dear:
        cheap, dear = (figures.of(attack, f"{model}@{data}", data) for attack in COST)
        both = [figures.term(label, record, "queries") for label, record in (("asked", dear), ("estimated", cheap))]
        yield Claim(
            5,
            "asking about every change takes more queries than estimating",
            f"{model}, {dear['n'] if dear else 0} texts",
            both,
        )


def _of_searches(setup: Setup, model: str, figures: Figures) -> Iterator[Claim]:
    victim = f"{model}@{setup.data}"
    for confidence in setup.confidences:
        found = {label: figures.of(attack, victim, setup.data, confidence) for label, attack in SEARCHES.items()}
        terms = [figures.term(label, record) for label, record in found.items()]
        where = f"{model}, " if model == setup.as_written else ""
        yield Claim(5, "beam > greedy > black box", f"{where}confidence {confidence:g}", terms)
    mixed = figures.of(SEARCHES["beam"], victim, setup.data, setup.confidences[0])
    if mixed:
        counts, total = mixed["operations"], sum(mixed["operations"].values())
        terms = [Term.share(name, counts[name], total) for name in ("flips", "deletions", "insertions")]
        beside = {"reported flips": 80.0, "characters changed %": mixed["characters changed %"]}
        yield Claim(5, "flips > deletions > insertions", victim, terms, beside)


def _beam(setup: Setup, work: Work) -> Run:
    return run_of(work, SEARCHES["beam"], setup.victim, setup.confidences[0])


def _characters(setup: Setup, work: Work) -> Iterator[tuple[str, Draw]]:
    """Figure 1 and the mix of operations."""
    from unfool_papers import analysis

    name = setup.victim
    yield (
        "success by confidence",
        lambda: analysis.success_by_confidence(
            {label: [run_of(work, a, name, c) for c in setup.confidences] for label, a in SEARCHES.items()},
            thresholds=setup.confidences,
        ),
    )
    # A deletion is twice as likely as an insertion, and flips are 80 %: section 4.
    mix = {"flip": 0.8, "delete": 0.133, "insert": 0.067}
    yield "operations", lambda: analysis.operation_mix(_beam(setup, work), reported=mix)


def _words(setup: Setup, work: Work) -> Iterator[tuple[str, Draw]]:
    """How many characters change, and Table 4's neighbours of changed words."""
    from unfool_papers import analysis

    yield "characters changed", lambda: analysis.characters_changed(_beam(setup, work), reported=4.18)
    yield (
        "neighbours of changed words",
        lambda: analysis.neighbour_table(
            analysis.nearest_words(
                open_victim(f"zoo:{setup.victim}", Options(work.device, "fp32")),
                analysis.perturbed_words(_beam(setup, work))[:_WORDS_LOOKED_AT],
            )
        ),
    )


def _look(setup: Setup) -> tuple[Part, ...]:
    return (
        pictures("The changed characters", partial(_characters, setup)),
        pictures("The changed words", partial(_words, setup)),
    )


def _said(error: float, success: float) -> tuple[Said, ...]:
    return (Said(ERROR, error), Said(_FOOLED, success))


def _trained(setup: Setup, asked: int, taken: str) -> DefenceTable:
    """Table 2: the net trained on, plainly and in three adversarial ways.

    The black-box way asks some 40 times about a text, so it may ask about no more than ``asked`` of them. ``taken``
    says which net and data stand for the paper's.
    """
    return DefenceTable(
        5,
        "ag_news",
        f"zoo:{setup.victim}",
        "Table 2",
        Texts(setup.data, share=None),
        Texts("ag_news"),
        FLIPS,
        (
            Arm("baseline", method="plain", said=_said(8.27, 98.16)),
            Arm("adversarial noise", method="miyato:epsilon=0.5", said=_said(8.03, 87.43)),
            Arm("black-box training", method=f"black-box:n={asked}", said=_said(8.60, 95.63)),
            Arm("white-box training", method="hotflip", said=_said(7.65, 69.32)),
        ),
        (
            (_FOOLED, ("baseline", "black-box training", "adversarial noise", "white-box training")),
            (ERROR, ("baseline", "white-box training")),
        ),
        differs="all arms go on from one trained net for as many epochs, where the paper trains each from nothing; "
        f"{taken}; Key* attacks some of the texts of each epoch, the other methods all; Miyato's epsilon is not in "
        "the paper.",
    )


_IN_FULL = _trained(FULL, 6000, "a net trained with Adam, a third of the paper's training texts")._replace(epochs=4)
_IN_SMALL = _trained(SMOKE, 200, "a CNN of characters for CharCNN-LSTM, 2,000 training texts")._replace(
    epochs=1, n=SMOKE.n
)
TABLES: dict[Scale, tuple[DefenceTable, ...]] = {
    "full": (
        _IN_FULL._replace(
            arms=(*_IN_FULL.arms, Arm("adversarial noise, a fifth of it", method="miyato:epsilon=0.1"))
        ),
    ),
    "smoke": (_IN_SMALL,),
}
_ON_CNN = _trained(
    FULL._replace(model=_CNN), 6000, "a CNN of characters for CharCNN-LSTM, a third of its training texts"
)
_AS_WRITTEN = _trained(
    FULL._replace(model=FULL.as_written),
    1500,
    "each goes on with Adam, where the paper's is trained with SGD; a third of the paper's training texts",
)
BESIDE = (
    _ON_CNN._replace(name="ag_news-cnn", epochs=4, arms=TABLES["full"][0].arms),
    _AS_WRITTEN._replace(name="ag_news-as-written", epochs=4),
)
"""Made on request: a net that two cores can train and attack, and the net trained as the paper says."""
_TABLE_2 = "Adversarial training (Table 2)"

STUDY = Study(
    "hotflip",
    5,
    "Ebrahimi et al., 2018: HotFlip",
    "Characters of news are flipped, inserted and deleted where gradients promise most, by beam and greedy search, "
    "beside searches that only ask; then nets are trained on such texts.",
    {
        "full": Plan(
            tuple(rows(FULL)), partial(claims, FULL), (*_look(FULL), defences_part(_TABLE_2, TABLES["full"]))
        ),
        "smoke": Plan(
            tuple(rows(SMOKE)),
            partial(claims, SMOKE),
            (*_look(SMOKE), defences_part(_TABLE_2, TABLES["smoke"])),
            differs="A CNN of characters for CharCNN-LSTM, 2,000 of 43,052 news, 30 attacked; adversarial training "
            "goes on from the net for one epoch.",
        ),
    },
)
