"""Accuracies before any attack, on the two halves of the test reviews: one for choosing, one for judging."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from random import Random
from typing import NamedTuple

from unfool import data as data_room
from unfool import zoo
from unfool.defences.evaluate import Answers, evaluate, paired
from unfool.errors import UserError
from unfool.stats import Rate
from unfool.victims import Options, open_victim
from unfool_papers.study.claim import Claim, Term, judged
from unfool_papers.study.plan import LATER, Part, Section, Table, Work

_SEED = 0
_REPORTED = {"CS229-LSTM": (82.21, 82.24)}
"""In percent on the report's dev and test half. It has no number for any other model."""
_DIFFERS = (
    "The report takes the first 12,500 test reviews for choosing and the last for judging, and does not say in "
    "which order they lie; in the files' order all positive ones come first. Ours are shuffled by a fixed seed.",
    "Our models were chosen by a tenth of the training reviews held out, so neither half has chosen any; the "
    "report chose by its dev half. The attacks draw their reviews from both halves.",
    "The polynomial kernel is a sketch of 4,096 numbers that stands for the squares of 400,000 word counts. The "
    "report's features of 50 and 12,500 numbers are as it says. All four machines learn by the same steps at one "
    "setting (scikit-learn's SGD on the hinge loss, alpha 0.0001, the mean over all steps); the report searched "
    "its rate.",
)
_TRAINED = (
    "The nets asked here were opened on {device}; trained on another machine, a net of the same name comes out a "
    "little otherwise, as those of the attacks may have."
)


class Halves(NamedTuple):
    """The test reviews that were right, by their numbers, on either half."""

    dev: Mapping[int, bool]
    test: Mapping[int, bool]

    @classmethod
    def of(cls, right: Sequence[bool]) -> Halves:
        """Shuffle by the seed, the same way for every model, and halve."""
        order = Random(_SEED).sample(range(len(right)), len(right))
        first, second = order[: len(order) // 2], order[len(order) // 2 :]
        return cls({number: right[number] for number in first}, {number: right[number] for number in second})


def halves_part(models: Sequence[str], data: str) -> Part:
    """Return the part that asks each model about every test review.

    Args:
        models: Names of the zoo without their data; where time is short the last are left for another call.
        data: What they learnt from; its test split is halved.
    """
    return Part("Both halves of the test reviews", partial(_halves, models, data))


def _halves(models: Sequence[str], data: str, work: Work) -> Section:
    found: dict[str, Halves] = {}
    problems: dict[str, str] = {}
    for model in models:
        what = f"{model} on both halves"
        if work.time_is_up:
            problems[what] = LATER
            continue
        try:
            found[model] = Halves.of(_right(model, data, work))
        except UserError as error:  # the other models are worth having all the same
            problems[what] = str(error)
    claims = [judged(claim, {}, [chance]) for claim, chance in _claims(found)]
    one = next(iter(found.values()), Halves({}, {}))
    return Section(
        tables=[
            Table(
                f"Right of {len(one.dev):,} and {len(one.test):,} reviews of {data}",
                ("model", "dev half", "test half", "report, dev and test"),
                list(_rows(found)),
            )
        ],
        claims=[claim for claim in claims if claim],
        notes=(*_DIFFERS, _TRAINED.format(device=work.device)),
        values={
            "halves": {
                model: {"dev": _rate(half.dev).to_dict(), "test": _rate(half.test).to_dict()}
                for model, half in found.items()
            }
        },
        problems=problems,
    )


def _right(model: str, data: str, work: Work) -> list[bool]:
    """Ask about all test reviews; what was asked before is read."""
    work.say(f"{model} on the test reviews of {data}")
    named = zoo.parse(f"{model}@{data}")
    zoo.ensure(named, device=work.device, progress=work.progress)
    folder = work.out / "halves" / named.folder.name
    evaluate(
        open_victim(f"zoo:{named}", Options(work.device)),
        data_room.load(data, split="test"),
        out=folder,
        resume=(folder / "evaluation.json").is_file(),
        progress=work.progress,
    )
    return Answers.from_json(json.loads((folder / "clean-victim.json").read_bytes())).right


def _rows(found: Mapping[str, Halves]) -> Iterator[list[str]]:
    for model, halves in found.items():
        said = " and ".join(f"{each:g}" for each in _REPORTED.get(model, ())) or "–"
        yield [model, str(_rate(halves.dev)), str(_rate(halves.test)), said]


def _rate(right: Mapping[int, bool]) -> Rate:
    return Rate(sum(right.values()), len(right))


def _claims(found: Mapping[str, Halves]) -> Iterator[tuple[Claim, float]]:
    """Yield what the report says of accuracies before an attack, with McNemar's p over the half it is about."""
    said: list[tuple[str, str, str, str]] = [
        ("the linear machine is the best kernel", "dev", "SVM-Linear", "SVM-Poly"),
        ("bags of words beat mean vectors", "dev", "SVM-Linear", "SVM-Mean"),
        ("bags of words beat vectors side by side", "dev", "SVM-Linear", "SVM-Concat"),
        ("the support vector machine is ahead of the LSTM", "test", "SVM-Linear", "CS229-LSTM"),
        ("the support vector machine is ahead of Naive Bayes", "test", "SVM-Linear", "NB"),
        (
            "the mean of the states reads better than the last (future work)",
            "test",
            "CS229-LSTM:read=mean",
            "CS229-LSTM",
        ),
    ]
    for told, half, one, other in said:
        if {one, other} <= found.keys():
            first, second = (getattr(found[model], half) for model in (one, other))
            terms = [_term(one, first), _term(other, second)]
            yield Claim(3, told, f"{half} half, {len(first):,} reviews", terms), paired(first, second).p_value


def _term(model: str, right: Mapping[int, bool]) -> Term:
    rate = _rate(right)
    return Term.share(model, rate.count, rate.of)
