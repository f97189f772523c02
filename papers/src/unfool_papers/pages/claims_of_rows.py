"""What the page of analyses says of claims that follow from kept rows alone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from unfool_papers.pages.page import kept


def phrases() -> Iterator[str]:
    """Yield what the page says of these claims."""
    yield from _one_word()
    yield from _almost_nothing()
    yield from _support_vector_machines()
    yield from _by_the_mean()


def _claims(study: str, said: str) -> list[dict[str, Any]]:
    return [claim for claim in kept(f"study-{study}")["claims"] if said in claim["claim"]]


def _one_word() -> Iterator[str]:
    more, harder = (_claims("self-attention", said) for said in (" > asmin-", "entailment is harder"))
    assert (len(more), len(harder)) == (10, 16)
    assert {claim["verdict"] for claim in (*more, *harder)} == {"holds"}
    equal = _claims("self-attention", "gs-ec turns about")
    assert {claim["verdict"] for claim in equal} == {"cannot be told"}
    apart = sorted(abs(first - second) for first, second in (claim["figures"].values() for claim in equal))
    assert apart[:4] == [0, 0, 0, 0]
    rows = kept("study-self-attention")["rows"]
    attacked = {
        row["attacked"] for row in rows if row["attack"] in ("gs-gr:candidates=1000", "gs-ec:candidates=1000")
    }
    yield f"within a margin of {equal[0]['within']:g} points"
    yield f"two shares of {min(attacked)} to {max(attacked)} texts"
    yield f"differ by {apart[4]:.1f} points on BERT@mnli"
    right = {row["victim"].removeprefix("zoo:"): row["clean accuracy %"] for row in rows}
    pairs, reviews = (
        [right[f"{net}@{data}"] for net in ("LSTM-Attention", "BERT")] for data in ("mnli", "yelp_polarity")
    )
    yield f"({pairs[0]} and {pairs[1]} % of those drawn, of Yelp's {reviews[0]} and {reviews[1]})"


def _almost_nothing() -> Iterator[str]:
    tack_on, swap = _claims("cs229", "costs almost nothing")
    assert {tack_on["verdict"], swap["verdict"]} == {"does not hold"}
    assert all(claim["beside"]["lost at least"] < 5 < claim["beside"]["at most"] for claim in (tack_on, swap))
    yield f"With a margin of {tack_on['figures']['margin']:g} points of all reviews that **does not hold**"
    yield f"`tack-on` takes {_lost(tack_on)}, one swapped word {_lost(swap)}"


def _lost(claim: dict[str, Any]) -> str:
    least, most = claim["beside"].values()
    return f"{claim['figures']['lost']} points [{least:g}, {most:g}]"


def _support_vector_machines() -> Iterator[str]:
    measured = {each["model"]: each for each in kept("zoo")}
    kinds = [measured[f"zoo:SVM-{kind}@imdb"] for kind in ("Linear", "Poly", "Mean", "Concat")]
    assert all(one["interval"][0] - other["interval"][1] > 2 for one, other in pairwise(kinds))
    linear, polynomial, mean, concatenated = (f"{each['test %']:.1f}" for each in kinds)
    yield f"On {kinds[0]['n']:,} test reviews"
    yield f"linear {linear} %, polynomial {polynomial}, mean vectors {mean}, side by side {concatenated}"


def _by_the_mean() -> Iterator[str]:
    halves = kept("study-cs229")["parts"]["Both halves of the test reviews"]["halves"]
    mean, last = (100 * halves[model]["test"]["value"] for model in ("CS229-LSTM:read=mean", "CS229-LSTM"))
    (better,) = _claims("cs229", "reads better than the last")
    assert better["verdict"] == "holds"
    yield f"right on {mean:.1f} % of the test half, read by the last state on {last:.1f}"
    judged = {
        claim["on"]: claim["verdict"] for claim in _claims("cs229", "by the mean of its states the LSTM is more")
    }
    assert {attack for attack, verdict in judged.items() if verdict == "holds"} == {"tack-on", "jsma"}
    assert set(judged.values()) == {"holds", "cannot be told"}
    by_mean, by_last = (
        row
        for model in ("CS229-LSTM:read=mean", "CS229-LSTM")
        for row in kept("study-cs229")["rows"]
        if (row["attack"], row["victim"]) == ("jsma", f"zoo:{model}@imdb")
    )
    low, high = by_mean["accuracy under attack % interval"]
    left, instead = (row["accuracy under attack %"] for row in (by_mean, by_last))
    yield f"leaves {left:.1f} % [{low:.1f}, {high:.1f}] instead of {instead}"
