"""What Hsieh et al. (2019) say of two pictures, judged over all successes: attention stays, change is sparse."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Predictor
from unfool.stats import mcnemar
from unfool.victims import Options, open_victim
from unfool_papers.analysis import Mean, attention_shift, embedding_variations, fooling_pairs
from unfool_papers.analysis.outcomes import Outcomes
from unfool_papers.study.claim import Claim, Term, judged
from unfool_papers.study.pictures import run_of
from unfool_papers.study.plan import Part, Section, Table, Work

_NOTES = (
    "Attention that moved is half the sum of the words' differences: of the LSTM its one attention, of BERT the "
    "first token's, the mean over the heads of a layer. The paper shows one text a net and gives no number.",
    "Words that moved are told by the effective share (Σv)²/nΣv² of the norms of their changes, 1 where all moved "
    "as far: our reading of *sparse* and *dense*, of which the paper has pictures. Layers of one net are compared "
    "on the same texts by the sign test, two nets by intervals, each on the texts that turned it.",
)


class Looked(NamedTuple):
    """What one word's change did inside a net, over all texts with which it was fooled."""

    victim: str
    attention: dict[str, Mean]
    """How much attention moved, by layer, in percent."""
    shares: NDArray[np.float64]
    """The effective share of the words that moved, [texts, layers] without the input, in percent."""

    def share(self, layer: int) -> Mean:
        """Return the share in one layer, the mean over the texts."""
        return Mean.of(self.shares[:, layer])


def stability_part(victims: Sequence[str], attack: str) -> Part:
    """Return the part that judges what is said of attention and of sparsity.

    Args:
        victims: The LSTM and BERT, without ``zoo:``.
        attack: The rows whose successes are looked into.
    """
    return Part("Attention and sparsity", partial(_stability, victims, attack))


def looked_into(victim: Predictor, name: str, source: Outcomes) -> Looked:
    """Look at attention and states before and after each success of a run, or of outcomes."""
    pairs = fooling_pairs(source)
    layers = {"first layer": 0, "last layer": -1}
    moved = {
        layer: Mean.of([100 * attention_shift(victim, *pair, layer=number).moved for pair in pairs])
        for layer, number in layers.items()
    }
    shares = np.array([each.spread[1:] for each in embedding_variations(victim, pairs)])
    return Looked(name, moved, 100 * shares[~np.isnan(shares).any(axis=1)])


def _stability(victims: Sequence[str], attack: str, work: Work) -> Section:
    found = [
        looked_into(open_victim(f"zoo:{name}", Options(work.device)), name, run_of(work, attack, name))
        for name in victims
    ]
    recurrent, attentive = found
    claims = [judged(_attention_stays(recurrent, attentive, layer), {}) for layer in attentive.attention]
    claims += [judged(_spreads(attentive), {}, [_sign_test(attentive)]), judged(_denser(recurrent, attentive), {})]
    return Section(
        tables=[_table(found)],
        claims=[claim for claim in claims if claim],
        notes=_NOTES,
        values={
            each.victim: {
                "attention moved": {layer: mean._asdict() for layer, mean in each.attention.items()},
                "words moved": [each.share(layer)._asdict() for layer in range(each.shares.shape[1])],
            }
            for each in found
        },
    )


def _table(found: Sequence[Looked]) -> Table:
    rows = []
    for each in found:
        shares = [each.share(layer) for layer in range(each.shares.shape[1])]
        rows.append(
            [
                each.victim,
                str(shares[0].n),
                str(each.attention["first layer"]),
                str(each.attention["last layer"]),
                "; ".join(map(str, shares)),
            ]
        )
    columns = (
        "victim",
        "texts",
        "attention moved, first layer, %",
        "last layer, %",
        "words moved, layer by layer, %",
    )
    return Table("What one changed word moves, with 95 % intervals over the texts", columns, rows)


def _attention_stays(recurrent: Looked, attentive: Looked, layer: str) -> Claim:
    terms = [
        _term(recurrent.victim, recurrent.attention["first layer"]),
        _term(attentive.victim, attentive.attention[layer]),
    ]
    return Claim(1, "one word moves the LSTM's attention more than BERT's", f"BERT's {layer}", terms)


def _spreads(attentive: Looked) -> Claim:
    layers = (("last layer", -1), ("first layer", 0))
    terms = [_term(f"{attentive.victim}, {told}", attentive.share(at)) for told, at in layers]
    return Claim(
        1, "a word's change is sparse after BERT's first layer and spreads to the last", "words moved, %", terms
    )


def _denser(recurrent: Looked, attentive: Looked) -> Claim:
    terms = [
        _term(recurrent.victim, recurrent.share(-1)),
        _term(f"{attentive.victim}, first layer", attentive.share(0)),
    ]
    return Claim(1, "the LSTM's change is denser than that of BERT's first layer", "words moved, %", terms)


def _sign_test(found: Looked) -> float:
    first, last = found.shares[:, 0], found.shares[:, -1]
    return mcnemar(int((last > first).sum()), int((first > last).sum()))


def _term(label: str, mean: Mean) -> Term:
    sure = None if mean.low is None or mean.high is None else (mean.low, mean.high)
    return Term(label, round(mean.value, 1), interval=sure or (0.0, 100.0))
