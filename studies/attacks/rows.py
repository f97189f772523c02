"""What is attacked with what, and what the papers report."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Literal, NamedTuple

Figure = Literal["success %", "accuracy under attack %", "mean success over trials %", "characters changed %"]


class Reported(NamedTuple):
    """A paper's figure, in percent, and where it stands."""

    value: float
    where: str
    figure: Figure = "success %"
    sign: str = ""
    """``<`` or ``>`` where the paper gives a bound."""


class Row(NamedTuple):
    """One run."""

    paper: int
    attack: str
    victim: str
    data: str
    n: int = 200
    split: str | None = None
    editable: str | None = None
    """Of a pair, the field that may be changed; both if None."""
    confidence: float = 0.0
    reported: tuple[Reported, ...] = ()
    differs: str = ""

    @property
    def name(self) -> str:
        """What tells the row from all others."""
        sure = f" at {self.confidence:g}" if self.confidence else ""
        return f"{self.attack}{sure} on {self.victim.removeprefix('zoo:')}, {self.data}"

    @property
    def kind(self) -> str:
        """The attack without its settings."""
        return self.attack.partition(":")[0]

    def folder(self, n: int) -> str:
        """The name of the run's folder."""
        return re.sub(r"[^\w.@=-]+", "_", f"{self.name} n{n}")


TRIED = 1000
"""Words the one-word attacks try at their place. The vocabularies have 20,000 and more, and `*-ec` looks at every
one: the whole would take hours. The paper does not tell its own limit, but must have had one."""

# Paper 1: Hsieh et al., 2019. Tables 1 and 5, in percent.
_MODELS = ("LSTM-Attention", "BERT", "BERT-NOPT")
_YELP: dict[str, tuple[float, ...]] = {
    "random": (1.1, 0.8, 1),
    "list": (27, 6, 15),
    "asmin-gr": (16, 11, 32),
    "asmax-gr": (62, 17, 35),
    "asmin-ec": (16, 10, 32),
    "asmax-ec": (62, 17, 35),
    "gs-gr": (79, 52, 53),
    "gs-ec": (78, 50, 53),
}
_MNLI: dict[str, tuple[float, ...]] = {
    "random": (17.8, 9.2),
    "list": (63, 56),
    "asmin-gr": (57, 53),
    "asmax-gr": (78, 54),
    "asmin-ec": (55, 52),
    "asmax-ec": (78, 51),
    "gs-gr": (95, 75),
    "gs-ec": (95, 75),
}
_OWN_TEXTS = "texts this victim has right, where the paper takes 100 that all victims have right"


def one_word(kind: str) -> str:
    """Return how an attack of paper 1 is set; 500 trials on 200 texts are the paper's 100,000."""
    return {"random": "random:trials=500", "list": "list"}.get(kind, f"{kind}:candidates={TRIED}")


LAST_LAYER = f"asmax-ec:layer=-1,candidates={TRIED}"


def _one_word(table: dict[str, tuple[float, ...]], data: str, split: str, where: str) -> Iterator[Row]:
    limited = f"{_OWN_TEXTS}; {TRIED:,} words tried"
    for column, model in enumerate(_MODELS[: len(table["list"])]):
        bare = Row(1, "", f"zoo:{model}@{data}", data, split=split)
        for kind, values in table.items():
            figure: Figure = "mean success over trials %" if kind == "random" else "success %"
            yield bare._replace(
                attack=one_word(kind),
                reported=(Reported(values[column], where, figure),),
                differs=_OWN_TEXTS if kind in ("random", "list") else limited,
            )
        whole = f"{_OWN_TEXTS}; the whole vocabulary tried"
        yield bare._replace(attack="gs-gr", reported=(Reported(table["gs-gr"][column], where),), differs=whole)
        if model != "LSTM-Attention":
            footnote = (Reported(10, "footnote 1", sign="<"),) if (data, model) == ("yelp_polarity", "BERT") else ()
            yield bare._replace(attack=LAST_LAYER, reported=footnote, differs=limited)


def _hsieh() -> Iterator[Row]:
    yield from _one_word(_YELP, "yelp_polarity", "test", "Table 1")
    yield from _one_word(_MNLI, "mnli", "validation_matched", "Table 5")


# Paper 2: Yuan et al., 2021. The only figures are averages over models; GA has none.
_AVERAGE = {"rotten_tomatoes": 90.8, "ag_news": 66.6}


def _yuan() -> Iterator[Row]:
    for data, average in _AVERAGE.items():
        for model in ("CNN-W-GloVe-1", "BiLSTM-W-GloVe-1", "BERT"):
            reported = (Reported(average, "section 4.2, on average"),)
            differs = "one model beside an average of many"
            yield Row(2, "pwws", f"zoo:{model}@{data}", data, n=500, reported=reported, differs=differs)
            yield Row(2, "ga", f"zoo:{model}@{data}", data, differs="the paper gives no success rate")


# Paper 3: the CS229 report. Accuracies are in the text; Figure 8's bars have no numbers.
_CS229 = {"strongest-swap:n=3": 68.17, "strongest-swap:n=5": 59.36, "jsma": 39.86}


_JSMA = (
    "the report attacked 291 reviews, wrongly classified ones among them, on an LSTM that also reads padding; its "
    "weaker result is not a matter of how it may be read: of 300 reviews cosine projection leaves 0.3 %, a "
    "gradient taken once for all words 12.3 %"
)


def _cs229() -> Iterator[Row]:
    for model in ("NB", "SVM-Linear", "CS229-LSTM"):
        attacks = ["tack-on", *(f"strongest-swap:n={n}" for n in (1, 3, 5))]
        for attack in [*attacks, "jsma"] if model == "CS229-LSTM" else attacks:
            value = _CS229.get(attack) if model == "CS229-LSTM" else None
            yield Row(
                3,
                attack,
                f"zoo:{model}@imdb",
                "imdb",
                n=1000,
                reported=(Reported(value, "section VI.B", "accuracy under attack %"),) if value else (),
                differs=_JSMA
                if attack == "jsma"
                else ""
                if value
                else "the report has bars of Figure 8 without numbers",
            )


# Paper 4: FireBERT attacks BERT with TextFooler; the other victims are TextFooler's own.
def _firebert() -> Iterator[Row]:
    yield Row(
        4,
        "textfooler:variant=released",
        "zoo:BERT@mnli",
        "attack_sets/mnli_matched",
        n=1000,
        editable="hypothesis",
        reported=(Reported(12.7, "Table 3", "accuracy under attack %"),),
        differs="universal tags, where FireBERT compared fine ones",
    )
    yield Row(4, "textfooler", "zoo:BERT@mnli", "attack_sets/mnli_matched", n=1000, editable="hypothesis")
    for data in ("rotten_tomatoes", "imdb"):
        for model in ("WordCNN", "WordLSTM", "BERT"):
            yield Row(
                4, "textfooler", f"zoo:{model}@{data}", data, differs="FireBERT has no active attack on this data"
            )


# Paper 5: Ebrahimi et al., 2018. Figure 1's curves have no numbers but in the text.
CONFIDENCES = (0.5, 0.6, 0.7, 0.8, 0.9)
SEARCHES = {"beam": "hotflip", "greedy": "hotflip:width=1", "any character": "key-star", "keyboard": "key"}
_HOTFLIP_REPORTED = {
    ("hotflip", 0.5): Reported(4.18, "section 4", "characters changed %"),
    ("hotflip", 0.9): Reported(90, "section 4", sign=">"),
}
COST = ("hotflip:width=1,operations=flips", "hotflip-exact:width=1,operations=flips")


def _hotflip() -> Iterator[Row]:
    victim, data = "zoo:CharCNN-LSTM@ag_news", "ag_news"
    yield Row(
        5,
        "hotflip:operations=flips",
        victim,
        data,
        reported=(Reported(98.16, "Table 2, baseline"),),
        differs="200 texts, where the paper takes the whole test set",
    )
    for confidence in CONFIDENCES:
        for attack in SEARCHES.values():
            found = _HOTFLIP_REPORTED.get((attack, confidence))
            yield Row(
                5,
                attack,
                victim,
                data,
                confidence=confidence,
                reported=(found,) if found else (),
                differs="200 texts, where the paper takes 760" + ("" if found else "; its Figure 1 has no numbers"),
            )
    for attack in COST:
        yield Row(
            5,
            attack,
            victim,
            data,
            n=20,
            differs="20 texts, greedy, flips alone: asking about every change takes thousands of queries a step",
        )
    yield Row(
        5,
        "hotflip-word",
        "zoo:KimCNN@sst2",
        "sst2",
        n=1821,
        split="test",
        reported=(Reported(2, "section 5: 41 texts"),),
        differs="vectors begin with GloVe, not word2vec; all places looked at, not the steepest alone",
    )


ROWS: tuple[Row, ...] = (*_hsieh(), *_yuan(), *_cs229(), *_firebert(), *_hotflip())


def chosen(pattern: str) -> list[Row]:
    """Return the rows whose names a pattern fits, or occurs in."""
    return [row for row in ROWS if fnmatchcase(row.name, pattern) or pattern in row.name]
