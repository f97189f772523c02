"""Pictures of what Hsieh et al. (2019) look at inside the nets, and Re: attention, variation, Theorem 1."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal

from unfool.engine import Status
from unfool.errors import UserError
from unfool.victims import Options, open_victim
from unfool_papers.analysis.outcomes import outcomes_of
from unfool_papers.self_attention.stability import stability_part
from unfool_papers.study.claim import Claim, Term, judged
from unfool_papers.study.pictures import Draw, pictures, run_of
from unfool_papers.study.plan import Part, Section, Table, Work

if TYPE_CHECKING:
    from unfool.engine import Predictor
    from unfool.runs import Run
    from unfool_papers.analysis import Figure, RelativeVariation
    from unfool_papers.analysis.outcomes import Outcomes

_READINGS: dict[Literal["sentence", "words"], str] = {
    "sentence": "the vector a net decides by",
    "words": "the last layer's words",
}


def inside_parts(victims: Sequence[str], attack: str, by_attention: Sequence[str]) -> tuple[Part, ...]:
    """Return the parts: Re with its claim, what is said of attention and sparsity, and the figures.

    Args:
        victims: The LSTM and BERT, without ``zoo:``.
        attack: The rows whose successes are looked into.
        by_attention: The two attacks of Figure 1, that of the least attention first.
    """
    return (
        Part("Relative variation", partial(_variation, victims, attack)),
        stability_part(victims, attack),
        pictures("Inside the nets", partial(_inside, victims, attack, by_attention)),
    )


def theorem_part() -> Part:
    """Return the part that checks Theorem 1, for which no net is needed."""
    return pictures("Theorem 1", _theorem)


def _seen(work: Work, attack: str, victim: str) -> tuple[Predictor, Run]:
    return open_victim(f"zoo:{victim}", Options(work.device, "fp32")), run_of(work, attack, victim)


def _variation(victims: Sequence[str], attack: str, work: Work) -> Section:
    """The relative variation Re, which the paper has at 0.83 for the LSTM and 0.56 for BERT."""
    from unfool_papers.analysis import relative_variation, relative_variation_figure

    seen = [_seen(work, attack, victim) for victim in victims]
    found = {reading: [relative_variation(*each, reading) for each in seen] for reading in _READINGS}
    every = [each for some in found.values() for each in some]
    claims = [
        judged(
            Claim(
                1,
                "one word moves the LSTM's embedding more than BERT's",
                _READINGS[reading],
                [_term(victim, each) for victim, each in zip(victims, some, strict=True)],
            ),
            {},
        )
        for reading, some in found.items()
    ]
    return Section(
        tables=[
            Table(
                f"Re, the mean over the texts with which {attack} fooled, and its 95 % interval",
                ("victim", "embedding", "texts", "Re", "paper"),
                [_row(each.to_row()) for each in every],
            )
        ],
        claims=[each for each in claims if each],
        figures=[relative_variation_figure(every)],
        values={"Re": [each.to_row() for each in every]},
    )


def _term(victim: str, found: RelativeVariation) -> Term:
    _, value, low, high = found.mean
    sure = (low, high) if low is not None and high is not None else (0.0, math.inf)
    return Term(victim, round(value, 3), interval=sure)


def _row(row: Mapping[str, Any]) -> list[str]:
    interval = "" if row["low"] is None else f" [{row['low']}, {row['high']}]"
    reading = _READINGS[row["reading"]]
    return [row["victim"], reading, str(row["texts"]), f"{row['Re']}{interval}", f"{row['paper'] or '–'}"]


def _inside(
    victims: Sequence[str], attack: str, by_attention: Sequence[str], work: Work
) -> Iterator[tuple[str, Draw]]:
    """Figures 1, 2 and 4, of each net's first success."""
    from unfool_papers import analysis

    def attention() -> Figure:
        shifts = []
        for victim in victims:
            net, run = _seen(work, attack, victim)
            shifts.append(analysis.attention_shift(net, *analysis.fooling_pairs(run)[0]))
        return analysis.attention_figure(shifts)

    def variation() -> Figure:
        moved = []
        for victim in victims:
            net, run = _seen(work, attack, victim)
            moved += analysis.embedding_variations(net, analysis.fooling_pairs(run)[:1])
        return analysis.embedding_variation_figure(moved)

    def chosen(victim: str) -> Figure:
        net, _ = _seen(work, attack, victim)
        found = {each.partition(":")[0]: run_of(work, each, victim) for each in by_attention}
        return chosen_words(net, victim, found)

    for victim in victims:
        yield f"the words attention chooses on {victim}", partial(chosen, victim)
    yield "attention before and after", attention
    yield "how far the other words move", variation


def _theorem(work: Work) -> Iterator[tuple[str, Draw]]:
    from unfool_papers import analysis

    check = cache(analysis.check_theorem_1)
    yield "Theorem 1", lambda: analysis.theorem_figure(check())
    yield "Theorem 1, by word", lambda: analysis.word_change_figure(check())


def chosen_words(net: Predictor, victim: str, found: Mapping[str, Outcomes]) -> Figure:
    """Draw Figure 1: of the shortest text that all attacks turn, the words they chose by attention.

    Args:
        net: The victim, opened.
        victim: Its name, without ``zoo:``.
        found: A run of each attack, or its outcomes, by the attack's name.

    Raises:
        UserError: If no text is turned by all of them.
    """
    from unfool_papers import analysis

    turned = [
        {each.id: each for each in outcomes_of(run) if each.status is Status.SUCCESS} for run in found.values()
    ]
    by_all = set.intersection(*(set(each) for each in turned))
    if not by_all:
        raise UserError(f"no text of {victim} is turned by all of {', '.join(found)}")
    shortest = min(by_all, key=lambda number: (turned[0][number].words, number))
    shifts = [
        analysis.attention_shift(net, *analysis.pair_of(each[shortest]))._replace(victim=name)
        for name, each in zip(found, turned, strict=True)
    ]
    figure = analysis.attention_figure(shifts, f"attention-chosen-{victim.partition('@')[0]}")
    return figure._replace(
        title="The words that attention chooses (Figure 1)",
        caption=f"The shortest text of {victim} that all of the attacks turn. {figure.caption}",
    )
