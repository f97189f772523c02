"""Hsieh et al., 2019: are self-attentive models harder to fool with one word?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import NamedTuple

from unfool_papers.defence_tables.part import defences_part
from unfool_papers.self_attention.adversarial_training import TABLES
from unfool_papers.self_attention.common_texts import Column, common_part
from unfool_papers.self_attention.inside_nets import inside_parts, theorem_part
from unfool_papers.self_attention.side_by_side import beside_part
from unfool_papers.self_attention.translation import FULL as FULL_TRANSLATION
from unfool_papers.self_attention.translation import SMOKE as SMOKE_TRANSLATION
from unfool_papers.self_attention.translation import Setup as TranslationSetup
from unfool_papers.self_attention.translation import translation_part
from unfool_papers.study.claim import Claim, Figures
from unfool_papers.study.plan import Part, Plan, Scale, Study
from unfool_papers.study.row import Reported, Row, RowFigure
from unfool_papers.study.smaller import plan_as_part

LSTM = "LSTM-Attention"
_MODELS = (LSTM, "BERT", "BERT-NOPT")
_ATTENTION = [f"as{end}-{how}" for end in ("min", "max") for how in ("gr", "ec")]
ONE_WORD = ("random", "list", *_ATTENTION, "gs-gr", "gs-ec")

# Tables 1 and 5, in percent, a column for each model.
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
_ABOUT_EQUAL = 5.0
"""Points by which GS-EC and GS-GR may differ and be *almost identical*. The paper says so of two points at most,
which a hundred texts cannot tell from none."""


class Task(NamedTuple):
    """A data set, its models, and what the paper reports about them."""

    data: str
    split: str
    models: tuple[str, ...]
    where: str
    reported: Mapping[str, tuple[float, ...]]
    n: int
    """How many texts are attacked."""


class Setup(NamedTuple):
    """What differs between the scales."""

    tasks: tuple[Task, ...]
    common: int
    """How many texts that all victims have right."""
    candidates: int
    """Words the one-word attacks try at their place. The vocabularies have 20,000 and more, and `*-ec` looks at
    every one: the whole would take hours. The paper does not tell its own limit, but must have had one."""
    trials: int
    """Of `random` on each text."""
    whole: bool = True
    """Whether greedy search also tries the whole vocabulary."""

    def one_word(self, kind: str) -> str:
        """Return how an attack is set."""
        set_otherwise = {"random": f"random:trials={self.trials}", "list": "list"}
        return set_otherwise.get(kind, f"{kind}:candidates={self.candidates}")

    @property
    def last_layer(self) -> str:
        """The attack by the attention of the last layer."""
        return f"asmax-ec:layer=-1,candidates={self.candidates}"


# 500 trials on 200 texts are the paper's 100,000.
FULL = Setup(
    (
        Task("yelp_polarity", "test", _MODELS, "Table 1", _YELP, 200),
        # Two nets that have two in three pairs right share about half of them.
        Task("mnli", "validation_matched", _MODELS[:2], "Table 5", _MNLI, 300),
    ),
    common=100,
    candidates=1000,
    trials=500,
)
FILMS = Setup(
    (Task("rotten_tomatoes[4000]", "test", _MODELS[:2], "Table 1, on Yelp", _YELP, 180),),
    common=100,
    candidates=50,
    trials=50,
    whole=False,
)
SMOKE = Setup(
    (Task("rotten_tomatoes[500]", "test", _MODELS[:2], "Table 1, on Yelp", _YELP, 30),),
    common=15,
    candidates=20,
    trials=20,
    whole=False,
)


def rows(setup: Setup) -> Iterator[Row]:
    """Return the runs."""
    limited = f"{_OWN_TEXTS}; {setup.candidates:,} words tried"
    for data, split, models, where, table, n in setup.tasks:
        for column, model in enumerate(models):
            bare = Row(1, "", f"zoo:{model}@{data}", data, n=n, split=split)
            for kind, values in table.items():
                figure: RowFigure = "mean success over trials %" if kind == "random" else "success %"
                yield bare._replace(
                    attack=setup.one_word(kind),
                    reported=(Reported(values[column], where, figure),),
                    differs=_OWN_TEXTS if kind in ("random", "list") else limited,
                )
            if setup.whole:
                whole = f"{_OWN_TEXTS}; the whole vocabulary tried"
                reported = (Reported(table["gs-gr"][column], where),)
                yield bare._replace(attack="gs-gr", reported=reported, differs=whole)
            if model != LSTM:
                footnote = (Reported(10, "footnote 1", sign="<"),) if (table, model) == (_YELP, "BERT") else ()
                yield bare._replace(attack=setup.last_layer, reported=footnote, differs=limited)


def claims(setup: Setup, figures: Figures) -> Iterator[Claim]:
    """Return what the paper claims."""
    for task in setup.tasks:
        for model in task.models:
            yield from _on_one_victim(setup, figures, f"{model}@{task.data}", task.data)
        for kind in ONE_WORD:
            figure = "mean success over trials %" if kind == "random" else "success %"
            by_model = {m: figures.of(setup.one_word(kind), f"{m}@{task.data}", task.data) for m in task.models}
            for model in task.models[1:]:
                terms = [figures.term(m, by_model[m], figure) for m in (LSTM, model)]
                yield Claim(1, f"the LSTM falls to {kind} more often than {model}", task.data, terms)
    if len(setup.tasks) > 1:
        yield from _by_task(setup, figures)


def _by_task(setup: Setup, figures: Figures) -> Iterator[Claim]:
    """Yield that pairs fall more often than single texts, "among all models and attacks"."""
    single, pairs = setup.tasks
    for model in pairs.models:
        for kind in ONE_WORD:
            figure = "mean success over trials %" if kind == "random" else "success %"
            found = [
                figures.of(setup.one_word(kind), f"{model}@{task.data}", task.data) for task in (pairs, single)
            ]
            # Other texts: nothing to compare one by one.
            terms = [
                figures.term(task.data, record, figure)._replace(row="")
                for task, record in zip((pairs, single), found, strict=True)
            ]
            yield Claim(1, f"entailment is harder than sentiment under {kind}", model, terms)


def _on_one_victim(setup: Setup, figures: Figures, victim: str, data: str) -> Iterator[Claim]:
    found = {kind: figures.of(setup.one_word(kind), victim, data) for kind in ONE_WORD}
    random = found["random"]
    union = figures.term("", random).value
    yield Claim(
        1,
        "greedy > attention > list > random",
        victim,
        [
            figures.best("greedy", [found["gs-gr"], found["gs-ec"]]),
            figures.best("attention", [found[kind] for kind in _ATTENTION]),
            figures.term("list", found["list"]),
            figures.term("random, mean over trials", random, "mean success over trials %"),
        ],
        {} if union is None else {"random, union over trials": union},
    )
    for how in ("gr", "ec"):
        ends = [
            figures.term(f"asmax-{how}", found[f"asmax-{how}"]),
            figures.term(f"asmin-{how}", found[f"asmin-{how}"]),
        ]
        yield Claim(1, f"asmax-{how} > asmin-{how}", victim, ends)
    greedy = [figures.term(kind, found[kind]) for kind in ("gs-ec", "gs-gr")]
    yield Claim(1, "gs-ec turns about as many as gs-gr", victim, greedy, within=_ABOUT_EQUAL)
    if not victim.startswith(LSTM):
        first, last = found["asmax-ec"], figures.of(setup.last_layer, victim, data)
        terms = [figures.term("first layer", first), figures.term("last layer", last)]
        yield Claim(1, "attention of the first layer > of the last", victim, terms)


def _parts(setup: Setup) -> tuple[Part, ...]:
    """Return the parts that look at the rows' texts and into their nets."""
    task = setup.tasks[0]
    columns = [
        Column(
            each.data,
            each.models,
            {kind: setup.one_word(kind) for kind in each.reported},
            {kind: values[: len(each.models)] for kind, values in each.reported.items()},
        )
        for each in setup.tasks
    ]
    every = [f"{model}@{each.data}" for each in setup.tasks for model in each.models]
    greedy, constrained = setup.one_word("gs-gr"), setup.one_word("gs-ec")
    by_attention = (setup.one_word("asmin-ec"), setup.one_word("asmax-ec"))
    return (
        common_part(columns, setup.common),
        beside_part(every, greedy, constrained),
        # As the paper does: BERT without pre-training has rows alone.
        *inside_parts([f"{model}@{task.data}" for model in task.models[:2]], constrained, by_attention),
    )


def _beside(scale: Scale, translators: TranslationSetup) -> tuple[Part, ...]:
    """Return the parts that need none of the rows."""
    return theorem_part(), defences_part("Adversarial training", TABLES[scale]), translation_part(translators)


_ON_FILMS = Plan(
    tuple(rows(FILMS)),
    partial(claims, FILMS),
    _parts(FILMS),
    "For two CPU cores: 4,000 sentences of film reviews for Yelp's reviews, 180 attacked, 50 words tried at a "
    "place, 50 random trials a text.",
)


STUDY = Study(
    "self-attention",
    1,
    "Hsieh et al., 2019: one word",
    "One word of a text is replaced, found at random, from a list, by attention or greedily, in an LSTM with "
    "attention and in BERT; and two translators, an LSTM and a Transformer, under a keyword attack and typos.",
    {
        "full": Plan(
            tuple(rows(FULL)),
            partial(claims, FULL),
            (
                *_parts(FULL),
                plan_as_part("Film reviews, in middle size", _ON_FILMS, "films"),
                *_beside("full", FULL_TRANSLATION),
            ),
        ),
        "smoke": Plan(
            tuple(rows(SMOKE)),
            partial(claims, SMOKE),
            (*_parts(SMOKE), *_beside("smoke", SMOKE_TRANSLATION)),
            differs="500 sentences of film reviews for Yelp's reviews, 30 attacked, 20 words tried at a place; "
            "no pairs of texts; adversarial training for one epoch.",
        ),
    },
)
