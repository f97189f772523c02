"""GS-GR beside GS-EC on the same texts (Tables 2 and 6): whom they fool, what they put in, how far nets move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Outcome, Predictor, Status
from unfool.runs import Comparison, Run, compare
from unfool.stats import mcnemar
from unfool.text import Text
from unfool.victims import Options, open_victim
from unfool_papers.analysis import Mean, Pair, pair_of
from unfool_papers.analysis.look import look
from unfool_papers.analysis.pairs import places
from unfool_papers.study.claim import Claim, Term, judged
from unfool_papers.study.pictures import run_of
from unfool_papers.study.plan import Part, Section, Table, Work

_EXAMPLES = 2
_AROUND = 5
"""Words shown on either side of the one that was replaced."""
_AT_ONCE = 64


class Both(NamedTuple):
    """Two attacks on one victim, over the same texts."""

    victim: str
    counted: Comparison
    pairs: tuple[tuple[Pair, Pair], ...]
    """Of each text that both fooled, what the first made of it and what the second."""

    @classmethod
    def of(cls, victim: str, first: Run, second: Run) -> Both:
        """Set two runs side by side."""
        fooled = [_successes(run) for run in (first, second)]
        return cls(
            victim,
            compare(first, second),
            tuple((pair_of(fooled[0][n]), pair_of(fooled[1][n])) for n in sorted(fooled[0].keys() & fooled[1])),
        )


class Moved(NamedTuple):
    """How far two attacks move the vector a net decides by, text by text: the sum of absolute differences."""

    first: Mean
    second: Mean
    p: float
    """Of the sign test: how likely one is further on so many texts by chance."""


def beside_part(victims: Sequence[str], greedy: str, constrained: str) -> Part:
    """Return the part that sets both attacks side by side.

    Args:
        victims: Without ``zoo:``.
        greedy: How GS-GR is set.
        constrained: How GS-EC is set.
    """
    return Part("GS-GR beside GS-EC on the same texts", partial(_beside, victims, greedy, constrained))


def _beside(victims: Sequence[str], greedy: str, constrained: str, work: Work) -> Section:
    counted, examples, claims, moves = [], [], [], {}
    for victim in victims:
        work.say(f"{greedy} beside {constrained} on {victim}")
        both = Both.of(victim, *(run_of(work, attack, victim) for attack in (greedy, constrained)))
        c = both.counted
        counted.append([victim, *(str(n) for n in (c.attacked, c.both, c.only_a, c.only_b, c.neither))])
        examples += [[victim, *cells] for cells in islice(_examples(both.pairs), _EXAMPLES)]
        if both.pairs:
            moved = how_far(open_victim(f"zoo:{victim}", Options(work.device)), both.pairs)
            moves[victim] = {"gs-gr": moved.first._asdict(), "gs-ec": moved.second._asdict(), "p": moved.p}
            claims.append(judged(_claim(victim, moved), {}, [moved.p]))
    return Section(
        tables=[
            Table(
                "How many texts they fool",
                ("victim", "attacked", "both", "GS-GR alone", "GS-EC alone", "neither"),
                counted,
            ),
            Table(
                "The first texts that both fool (Tables 2 and 6)",
                ("victim", "text", "word", "GS-GR's", "GS-EC's"),
                examples,
            ),
        ],
        claims=[claim for claim in claims if claim],
        notes=[
            "Both try the same words, drawn by one seed, at the same place: they can only differ in which of those "
            "that fool they take, and where rounding in half precision decides. The paper's gaps of up to two "
            "points must come from another limit, which it does not tell.",
        ],
        values={"counts": counted, "moved": moves},
    )


def how_far(victim: Predictor, pairs: Sequence[tuple[Pair, Pair]]) -> Moved:
    """Return how far each of two attacks moves a victim's vector, over texts that both fooled."""
    one, other = (_distances(victim, [each[side] for each in pairs]) for side in (0, 1))
    further, nearer = int((one > other).sum()), int((one < other).sum())
    return Moved(Mean.of(one), Mean.of(other), mcnemar(further, nearer))


def _distances(victim: Predictor, pairs: Sequence[Pair]) -> NDArray[np.float64]:
    found: list[float] = []
    for start in range(0, len(pairs), _AT_ONCE):
        texts = [text for pair in pairs[start : start + _AT_ONCE] for text in pair]
        seen = look(victim, "summaries", texts, "how far an attack moves a text's vector")
        vectors = np.array([each.vectors[0] for each in seen], dtype=np.float64)
        found += np.abs(vectors[1::2] - vectors[0::2]).sum(axis=1).tolist()
    return np.array(found)


def _claim(victim: str, moved: Moved) -> Claim:
    terms = [
        Term("GS-GR", round(moved.first.value, 2)),
        Term("GS-EC", round(moved.second.value, 2)),
    ]
    said = "GS-EC moves the vector a net decides by less than GS-GR (L1, texts that both fool)"
    return Claim(1, said, f"{victim}, {moved.first.n} texts", terms)


def _successes(run: Run) -> dict[int, Outcome]:
    return {outcome.id: outcome for outcome in run.outcomes() if outcome.status is Status.SUCCESS}


def _examples(pairs: Sequence[tuple[Pair, Pair]]) -> Iterator[list[str]]:
    """Yield the words around the one that was replaced, that word, and what either attack put there."""
    for both in pairs:
        original = both[0].original
        at = next((place.before for place in places(*both[0]) if place.changed), None)
        put = [_put(pair) for pair in both]
        if at is not None and all(put):
            yield [_cell(told) for told in (_around(original, at), original.words[at], *put)]


def _put(pair: Pair) -> str:
    """Return what stands where a word was replaced."""
    return " ".join(pair.adversarial.words[p.after] for p in places(*pair) if p.changed and p.after is not None)


def _around(text: Text, at: int) -> str:
    shown = text.words[max(0, at - _AROUND) : at + _AROUND + 1]
    return f"{'… ' * (at > _AROUND)}{' '.join(shown)}{' …' * (at + _AROUND + 1 < len(text))}"


def _cell(told: str) -> str:
    return told.replace("|", "\\|")
