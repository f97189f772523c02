"""What the papers claim, as yes or no on our figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from studies.attacks.measure import Record
from studies.attacks.rows import CONFIDENCES, COST, LAST_LAYER, SEARCHES, one_word

from unfool.runs import Run, compare

_PAIRED = ("success %", "accuracy under attack %")


class Term(NamedTuple):
    """One figure of an ordering."""

    label: str
    value: float | None
    """None where it was not measured."""
    row: str = ""
    """The row it is from, where two such figures may be compared text by text."""


class Claim(NamedTuple):
    """Figures that fall from the first to the last, if the paper is right."""

    paper: int
    said: str
    about: str
    terms: Sequence[Term]
    beside: Mapping[str, float] = {}
    """Figures worth seeing that no claim is made about."""


class Figures:
    """The records, by what was attacked with what."""

    def __init__(self, records: Mapping[str, Record]) -> None:
        self._records = {(r["attack"], r["victim"], r["data"], r["confidence"]): r for r in records.values()}

    def of(self, attack: str, victim: str, data: str, confidence: float = 0.0) -> Record | None:
        """Return the record, if there is one."""
        return self._records.get((attack, f"zoo:{victim}", data, confidence))

    def term(self, label: str, record: Record | None, figure: str = "success %") -> Term:
        """Make one figure of a record a term."""
        if record is None:
            return Term(label, None)
        return Term(label, record.get(figure), record["row"] if figure in _PAIRED else "")

    def best(self, label: str, found: Sequence[Record | None]) -> Term:
        """Return the highest success rate; none where one of them was not measured."""
        whole = [record for record in found if record is not None]
        if len(whole) < len(found):
            return Term(label, None)
        return self.term(label, max(whole, key=lambda record: record["success %"] or 0))


def claims(records: Mapping[str, Record]) -> list[Claim]:
    """Return all claims, measured or not."""
    figures = Figures(records)
    return [*_hsieh(figures), *_yuan(figures), *_cs229(figures), *_ebrahimi(figures)]


def judged(claim: Claim, runs: Mapping[str, Run]) -> dict[str, Any] | None:
    """Say whether a claim holds, ``level`` where figures are the same; None where one is missing.

    ``p`` tells how likely neighbours in the ordering would differ as much by chance (McNemar's test over the texts
    both attacked), where that can be told and their runs are at hand.
    """
    values = [term.value for term in claim.terms if term.value is not None]
    if len(values) < len(claim.terms):
        return None
    return {
        "paper": claim.paper,
        "claim": claim.said,
        "on": claim.about,
        "figures": {term.label: term.value for term in claim.terms},
        "beside": dict(claim.beside),
        "p": [_p(first, second, runs) for first, second in pairwise(claim.terms)],
        "holds": _verdict(values),
    }


def _verdict(values: Sequence[float]) -> str:
    steps = [first - second for first, second in pairwise(values)]
    return "no" if min(steps) < 0 else "yes" if min(steps) > 0 else "level"


def _p(first: Term, second: Term, runs: Mapping[str, Run]) -> float | None:
    one, two = runs.get(first.row), runs.get(second.row)
    if one is None or two is None or one.config["fingerprint"] != two.config["fingerprint"]:
        return None
    return float(f"{compare(one, two).p_value:.2g}")


_ATTENTION = [f"as{end}-{how}" for end in ("min", "max") for how in ("gr", "ec")]
_ONE_WORD = ("random", "list", *_ATTENTION, "gs-gr", "gs-ec")


def _hsieh(figures: Figures) -> Iterator[Claim]:
    for data, models in (
        ("yelp_polarity", ("LSTM-Attention", "BERT", "BERT-NOPT")),
        ("mnli", ("LSTM-Attention", "BERT")),
    ):
        for model in models:
            victim = f"{model}@{data}"
            found = {kind: figures.of(one_word(kind), victim, data) for kind in _ONE_WORD}
            random = found["random"]
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
                {"random, union over trials": random["success %"]} if random else {},
            )
            if model != "LSTM-Attention":
                first, last = found["asmax-ec"], figures.of(LAST_LAYER, victim, data)
                terms = [figures.term("first layer", first), figures.term("last layer", last)]
                yield Claim(1, "attention of the first layer > of the last", victim, terms)
        for kind in _ONE_WORD:
            figure = "mean success over trials %" if kind == "random" else "success %"
            by_model = {m: figures.of(one_word(kind), f"{m}@{data}", data) for m in models}
            for model in models[1:]:
                terms = [figures.term(m, by_model[m], figure) for m in ("LSTM-Attention", model)]
                yield Claim(1, f"the LSTM falls to {kind} more often than {model}", data, terms)


def _yuan(figures: Figures) -> Iterator[Claim]:
    for model in ("CNN-W-GloVe-1", "BiLSTM-W-GloVe-1", "BERT"):
        terms = [
            figures.term(data, figures.of("pwws", f"{model}@{data}", data))
            for data in ("rotten_tomatoes", "ag_news")
        ]
        yield Claim(2, "pwws fools on MR more than on AG News", model, terms)


def _cs229(figures: Figures) -> Iterator[Claim]:
    after, swaps = "accuracy under attack %", [f"strongest-swap:n={n}" for n in (1, 3, 5)]
    models = ("CS229-LSTM", "SVM-Linear", "NB")

    def of(attack: str, model: str) -> Record | None:
        return figures.of(attack, f"{model}@imdb", "imdb")

    for model in models:
        falling = [figures.term(f"N = {swap[-1]}", of(swap, model), after) for swap in swaps]
        clean = figures.term("clean", of(swaps[0], model), "clean accuracy %")
        yield Claim(3, "accuracy falls with N", model, [clean, *falling])
    strong = of("jsma", "CS229-LSTM")
    weaker = [of(attack, "CS229-LSTM") for attack in ("tack-on", *swaps)]
    measured = [record for record in weaker if record is not None]
    least = min(measured, key=lambda record: record[after]) if len(measured) == len(weaker) else None
    terms = [figures.term("strongest other", least, after), figures.term("jsma", strong, after)]
    yield Claim(3, "jsma leaves the lowest accuracy", "CS229-LSTM", terms)
    for attack in ("tack-on", *swaps):
        lstm, *others = [figures.term(model, of(attack, model), after) for model in models]
        for other in others:
            # Accuracies of two models differ before the attack, too: no pairs.
            yield Claim(3, "the LSTM is the most robust", attack, [t._replace(row="") for t in (lstm, other)])


def _ebrahimi(figures: Figures) -> Iterator[Claim]:
    victim, data = "CharCNN-LSTM@ag_news", "ag_news"
    for confidence in CONFIDENCES:
        found = {label: figures.of(attack, victim, data, confidence) for label, attack in SEARCHES.items()}
        terms = [figures.term(label, record) for label, record in found.items()]
        yield Claim(5, "beam > greedy > black box", f"confidence {confidence:g}", terms)
    mixed = figures.of(SEARCHES["beam"], victim, data, CONFIDENCES[0])
    if mixed:
        counts, total = mixed["operations"], sum(mixed["operations"].values()) or 1
        terms = [Term(name, round(100 * counts[name] / total, 1)) for name in ("flips", "deletions", "insertions")]
        beside = {"reported flips": 80.0, "characters changed %": mixed["characters changed %"]}
        yield Claim(5, "flips > deletions > insertions", victim, terms, beside)
    cheap, dear = (figures.of(attack, victim, data) for attack in COST)
    both = [figures.term(label, record, "queries") for label, record in (("asked", dear), ("estimated", cheap))]
    yield Claim(5, "asking about every change takes more queries than estimating", "20 texts", both)
