"""What the votes say: accuracy, readability, meaning, agreement, and who does not count."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np

from unfool.errors import UserError
from unfool.rating._careless import Excluded
from unfool.rating._draw import Turn
from unfool.rating._figures import Accuracy, Comment, Readability, Results, Scale
from unfool.rating._items import ORIGINAL, Item
from unfool.rating._records import Vote
from unfool.rating._stand_in import stand_in_name
from unfool.rating._statistics import Counts, agreement, resampled
from unfool.rating._strengths import no_scale, strengths
from unfool.rating._study import Study
from unfool.rating._tasks import KEEPS_MEANING, Task
from unfool.runs import Run, Valid, Votes, enter_votes, is_run, valid_success
from unfool.stats import Rate

PEOPLE, MODEL = "people", "model"


@dataclass(frozen=True)
class _Counted:
    """The votes that count, and those of each item."""

    votes: list[Vote]
    by_item: dict[int, list[str]]
    on_gold: list[Vote]

    def gold(self, items: Sequence[Item]) -> Rate:
        """Return how many gold items were answered rightly."""
        return Rate(sum(vote.answer in items[vote.item].right for vote in self.on_gold), len(self.on_gold))

    def most(self, item: Item) -> str | None:
        """Return the answer most raters give, or None if none leads."""
        return majority(self.by_item[item.id])


def results(study: Study, raters: str = PEOPLE) -> Results:
    """Work out what a study found so far.

    Args:
        study: The study.
        raters: ``people``, or ``model`` for the stand-in.
    """
    if raters not in (PEOPLE, MODEL):
        raise UserError(f"unknown raters {raters!r}; they are {PEOPLE} or {MODEL}")
    every = study.store.votes() if raters == PEOPLE else study.stand_in_votes()
    # The rule is about people who do not read; a stand-in that is wrong about gold items is told as it is.
    excluded = study.careless(every) if raters == PEOPLE else []
    counted = _counted(every, excluded)
    asked = [item for item in study.items if item.id in counted.by_item]
    wanted = (study.per_item - len(counted.by_item.get(item.id, ())) for item in study.items if not item.gold)
    told: dict[Task, Callable[[], dict[str, object]]] = {
        Task.LABEL: lambda: {
            "accuracies": _accuracies(asked, counted),
            "valid": _valid(study, counted) if raters == PEOPLE else {},
        },
        Task.READABILITY: lambda: _readabilities(asked, counted, study.seed) if asked else {},
        Task.MEANING: lambda: {"scales": _scales(asked, counted, study.seed)},
        Task.GRAMMAR: lambda: {"scales": _scales(asked, counted, study.seed)},
    }
    found: dict[str, object] = told[study.task]()
    return Results(
        task=study.task.value,
        raters=raters,
        stand_in=", ".join(sorted({stand_in_name(vote.rater) for vote in every})) if raters == MODEL else "",
        counted=len({vote.rater for vote in counted.votes}),
        votes=len(counted.votes),
        missing=sum(max(0, votes) for votes in wanted) if raters == PEOPLE else 0,
        gold=counted.gold(study.items),
        excluded=tuple(excluded),
        comments=tuple(_comments(every, study.items)),
        agreement=agreement(_table(asked, counted, study.answers), ordered=study.task.is_scale),
        **found,  # type: ignore[arg-type]
    )


def enter(study: Study) -> list[str]:
    """Put people's votes into the folders of the runs whose texts they judged; return the runs' names.

    Raises:
        UserError: The study's task judges no single run's texts.
    """
    if study.task not in (Task.LABEL, Task.MEANING):
        raise UserError(
            f"votes on {study.task.value} say nothing of single successes; enter those on label or meaning"
        )
    entered = []
    for folder, votes in zip(study.run_folders, _votes_of_runs(study, _people(study)), strict=True):
        if votes:
            run = Run.open(folder)
            enter_votes(run.folder, study.name, votes)
            entered.append(run.name)
    return entered


def majority(answers: Sequence[str]) -> str | None:
    """Return the answer given most often, or None if two are."""
    ranked = Counter(answers).most_common(2)
    return None if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]) else ranked[0][0]


def _people(study: Study) -> _Counted:
    every = study.store.votes()
    return _counted(every, study.careless(every))


def _counted(votes: Sequence[Vote], excluded: Sequence[Excluded]) -> _Counted:
    out = {each.rater for each in excluded}
    kept = [vote for vote in votes if vote.rater not in out]
    of_items = [vote for vote in kept if vote.turn == Turn.ITEM.value]
    by_item: dict[int, list[str]] = defaultdict(list)
    for vote in of_items:
        by_item[vote.item].append(vote.answer)
    return _Counted(of_items, dict(by_item), [vote for vote in kept if vote.turn == Turn.GOLD.value])


def _comments(votes: Sequence[Vote], items: Sequence[Item]) -> Iterator[Comment]:
    for vote in votes:
        if vote.comment:
            yield Comment(vote.rater, vote.item, items[vote.item].versions, vote.answer, vote.comment)


def _votes_of_runs(study: Study, counted: _Counted) -> list[list[Votes]]:
    found: list[list[Votes]] = [[] for _ in study.run_folders]
    for item in study.items:
        if item.run >= 0 and (answers := counted.by_item.get(item.id)):
            agree = _keeps_meaning(answers) if study.task is Task.MEANING else _is_right(item, counted)
            told = dict(sorted(Counter(answers).items()))
            found[item.run].append(Votes(item.sample, study.name, study.task.value, told, agree))
    return found


def _is_right(item: Item, counted: _Counted) -> bool | None:
    most = counted.most(item)
    return None if most is None else most in item.right


def _keeps_meaning(answers: Sequence[str]) -> bool:
    return median(map(int, answers)) >= KEEPS_MEANING


def _valid(study: Study, counted: _Counted) -> dict[str, Valid]:
    found: dict[str, Valid] = {}
    for folder, votes in zip(study.run_folders, _votes_of_runs(study, counted), strict=True):
        if is_run(folder):  # a study may have been sent without its runs
            run = Run.open(folder)
            valid = valid_success(votes, run.summary.attacked, run.summary.successes)
            found |= {run.name: valid} if valid else {}
    return found


def _table(asked: Sequence[Item], counted: _Counted, answers: Sequence[str]) -> Counts:
    rows = [[counted.by_item[item.id].count(answer) for answer in answers] for item in asked]
    return np.array(rows, np.float64).reshape(len(asked), len(answers))


def _by_version(asked: Sequence[Item]) -> dict[str, list[Item]]:
    found: dict[str, list[Item]] = {}
    for item in asked:
        found.setdefault(item.versions[-1], []).append(item)
    return dict(sorted(found.items(), key=lambda pair: pair[0] != ORIGINAL))


def _accuracies(asked: Sequence[Item], counted: _Counted) -> tuple[Accuracy, ...]:
    return tuple(_accuracy(version, items, counted) for version, items in _by_version(asked).items())


def _accuracy(version: str, items: Sequence[Item], counted: _Counted) -> Accuracy:
    right = {item.id: item.right for item in items}
    by_rater: dict[str, list[bool]] = defaultdict(list)
    for vote in counted.votes:
        if vote.item in right:
            by_rater[vote.rater].append(vote.answer in right[vote.item])
    hits = [hit for given in by_rater.values() for hit in given]
    most = [_is_right(item, counted) for item in items]
    return Accuracy(
        version,
        Rate(sum(hits), len(hits)),
        Rate(most.count(True), len(most)),
        most.count(None),
        median(map(fmean, by_rater.values())) if by_rater else None,
    )


def _readabilities(asked: Sequence[Item], counted: _Counted, seed: int) -> dict[str, object]:
    methods = sorted({method for item in asked for method in item.versions})
    place = {method: number for number, method in enumerate(methods)}
    won = np.zeros((len(asked), len(methods), len(methods)))
    for number, item in enumerate(asked):
        for answer in counted.by_item[item.id]:
            winner, loser = int(answer), 1 - int(answer)
            won[number, place[item.versions[winner]], place[item.versions[loser]]] += 1
    totals = won.sum(axis=0)
    several, why = len(methods) > 2, no_scale(totals, methods)
    connected = not no_scale(totals + totals.T, methods)  # as if each comparison had gone either way
    nothing = [(None, None, None)] * len(methods)

    def with_ends(figure: Callable[[Counts], Counts]) -> list[tuple[float, float, float]]:
        low, high = resampled(lambda often: figure(np.tensordot(often, won, 1)), len(asked), seed)
        return list(zip(figure(totals).tolist(), low, high, strict=True))

    shares = with_ends(_relative) if connected else nothing
    strong = with_ends(strengths) if several and not why else nothing
    rates = (
        Rate(int(row.sum()), int(row.sum() + column.sum())) for row, column in zip(totals, totals.T, strict=True)
    )
    told = zip(methods, rates, shares, strong, strict=True)
    return {
        "readabilities": tuple(
            Readability(method, rate, *share, *strength) for method, rate, share, strength in told
        ),
        "no_scale": why if several else "",
    }


def _relative(won: Counts) -> Counts:
    """Return each method's share of the votes in which it took part, beside the best one's."""
    wins = won.sum(axis=-1)
    met = wins + won.sum(axis=-2)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = wins * (met.max(axis=-1, keepdims=True) / met)
    return np.asarray(share / np.nanmax(share, axis=-1, keepdims=True))


def _scales(asked: Sequence[Item], counted: _Counted, seed: int) -> tuple[Scale, ...]:
    return tuple(_scale(version, items, counted, seed) for version, items in _by_version(asked).items())


def _scale(version: str, items: Sequence[Item], counted: _Counted, seed: int) -> Scale:
    answers = [[int(answer) for answer in counted.by_item[item.id]] for item in items]
    means = np.array([fmean(each) for each in answers])
    (low,), (high,) = resampled(lambda often: often @ means[:, None] / len(items), len(items), seed)
    every = [answer for each in answers for answer in each]
    good = sum(answer >= KEEPS_MEANING for answer in every)
    return Scale(version, float(means.mean()), low, high, len(every), Rate(good, len(every)))
