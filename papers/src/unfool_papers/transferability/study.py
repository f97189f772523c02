"""Yuan et al., 2021: do texts that fool one model fool others, and can rules do it without any model?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from unfool_papers.study.claim import Claim, Figures
from unfool_papers.study.plan import Plan, Study
from unfool_papers.study.row import Reported, Row
from unfool_papers.transferability.candidates import Candidates, candidates_part
from unfool_papers.transferability.matrix import Matrices
from unfool_papers.transferability.parts import matrices_part, rules_part
from unfool_papers.transferability.rules import Rules
from unfool_papers.transferability.spread import Spread, spread_part

# The only figures are averages over models; GA has none.
_AVERAGE = {"rotten_tomatoes": 90.8, "ag_news": 66.6}


class Setup(NamedTuple):
    """What differs between the scales."""

    data: dict[str, str]
    """The data that stands for each of the paper's."""
    models: tuple[str, ...]
    attacks: tuple[str, ...]
    n: dict[str, int]


FULL = Setup(
    {name: name for name in _AVERAGE},
    ("CNN-W-GloVe-1", "BiLSTM-W-GloVe-1", "BERT"),
    ("pwws", "ga"),
    {"pwws": 500, "ga": 200},
)
SMOKE = Setup(
    {"rotten_tomatoes": "rotten_tomatoes[1000]", "ag_news": "ag_news[1000]"},
    ("CNN-W-GloVe-1",),
    ("pwws",),
    {"pwws": 40},
)


def rows(setup: Setup) -> Iterator[Row]:
    """Return the runs."""
    for paper_data, data in setup.data.items():
        for model in setup.models:
            victim = f"zoo:{model}@{data}"
            for attack in setup.attacks:
                row = Row(2, attack, victim, data, n=setup.n[attack], differs="the paper gives no success rate")
                if attack == "pwws":
                    row = row._replace(
                        reported=(Reported(_AVERAGE[paper_data], "section 4.2, on average"),),
                        differs="one model beside an average of many",
                    )
                yield row


def claims(setup: Setup, figures: Figures) -> Iterator[Claim]:
    """Return what the paper claims of single models."""
    for model in setup.models:
        terms = [figures.term(data, figures.of("pwws", f"{model}@{data}", data)) for data in setup.data.values()]
        yield Claim(2, "pwws fools on MR more than on AG News", model, terms)


_FIVE_MODELS = ("LSTM-W-GloVe-1", "CNN-W-GloVe-1", "CNN-W-GloVe-2", "CNN-W-Random-1", "CNN-C-Random-1")
_26_NETS = (
    *(f"{net}-W-*-{layers}" for net in ("CNN", "LSTM", "BiLSTM") for layers in (1, 2)),
    "CNN-C-Random-1",
    "CNN-C-Random-2",
)
"""What two CPU cores can train in half an hour."""
_THREE_THAT_MINE = ("LSTM-W-Random-1", "CNN-C-Random-1", "CNN-W-Random-1")
_THREE_AT_HAND = ("LSTM-W-GloVe-1", "CNN-W-Random-1", "CNN-W-GloVe-1")
_OF_ONE_LAYER = ("BERT", "LSTM-W-GloVe-1", "CNN-W-GloVe-1", "CNN-C-Random-1")
_IN_SMALL = "rotten_tomatoes[1000]"

STUDY = Study(
    "transferability",
    2,
    "Yuan et al., 2021: synonyms",
    "Texts made on each of many models are tried on all others, on ensembles as well; then rules are mined that "
    "fool models nobody asked.",
    {
        "full": Plan(
            tuple(rows(FULL)),
            partial(claims, FULL),
            (
                matrices_part("rotten_tomatoes", Matrices(data="rotten_tomatoes"), genetic_attack=True),
                matrices_part("ag_news", Matrices(data="ag_news"), genetic_attack=True),
                matrices_part(
                    "rotten_tomatoes, 26 nets",
                    Matrices(_26_NETS, "rotten_tomatoes"),
                    genetic_attack=True,
                    kept="26-nets-{attack}",
                ),
                rules_part("rotten_tomatoes", Rules("rotten_tomatoes")),
                rules_part("ag_news", Rules("ag_news")),
                rules_part(
                    "ag_news, nine nets",
                    Rules("ag_news", _THREE_THAT_MINE, ("CNN-W-*-1", "LSTM-W-*-1", "CNN-C-Random-1"), n=8000),
                    kept="rules-{data}-nine-nets",
                ),
                rules_part(
                    "rotten_tomatoes, three nets",
                    Rules("rotten_tomatoes", _THREE_AT_HAND, _THREE_AT_HAND),
                    kept="rules-{data}-three-nets",
                ),
                candidates_part(Candidates("rotten_tomatoes"), Candidates("ag_news")),
                spread_part(Spread(_OF_ONE_LAYER, "ag_news")),
                spread_part(Spread(_OF_ONE_LAYER, _IN_SMALL, 40)),
            ),
        ),
        "smoke": Plan(
            tuple(rows(SMOKE)),
            partial(claims, SMOKE),
            (
                matrices_part(_IN_SMALL, Matrices(_FIVE_MODELS, _IN_SMALL, n=40, keep=40, sizes=(2,))),
                rules_part(
                    _IN_SMALL, Rules(_IN_SMALL, ("LSTM-W-GloVe-1", "CNN-W-Random-1"), _FIVE_MODELS, 300, 100)
                ),
                candidates_part(Candidates("rotten_tomatoes", 100)),
            ),
            differs="Five models for 63, trained on 1,000 texts, 40 attacked on each; rules mined from 300 texts.",
        ),
    },
)
