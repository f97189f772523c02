"""The paper's own texts: those that all victims have right, so that every victim is attacked on the same ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from random import Random
from statistics import fmean
from typing import NamedTuple

from unfool.engine import Outcome, Status
from unfool.stats import Rate, mcnemar
from unfool_papers.analysis.outcomes import Outcomes, outcomes_of
from unfool_papers.study.claim import Claim, Term, judged
from unfool_papers.study.pictures import run_of
from unfool_papers.study.plan import Part, Section, Table, Work

TITLE = "Texts that all victims have right"
_TRIALS = "mean success over trials"
_SEED = 0


class Column(NamedTuple):
    """A data set whose victims share texts."""

    data: str
    victims: tuple[str, ...]
    """Without ``zoo:`` and data, the recurrent one first."""
    attacks: Mapping[str, str]
    """How each attack is set, by the name in the paper's table."""
    reported: Mapping[str, Sequence[float]]
    """The paper's figures by that name, one a victim."""


class Shared(NamedTuple):
    """What the attacks came to on the texts that all victims have right."""

    texts: tuple[int, ...]
    """The texts drawn, by their numbers in the data set."""
    of: int
    """How many all victims have right."""
    outcomes: Mapping[tuple[str, str], Mapping[int, Outcome]]
    """By attack and victim."""

    def success(self, attack: str, victim: str) -> Rate:
        """Return how many of the texts an attack turns."""
        return Rate(sum(self._fooled(attack, victim)), len(self.texts))

    def a_trial(self, attack: str, victim: str) -> float:
        """Return the share of random trials that turn a text, the mean over the texts."""
        found = self.outcomes[attack, victim]
        return fmean(found[number].notes[_TRIALS] for number in self.texts)

    def chance(self, attack: str, one: str, other: str) -> float:
        """Return McNemar's p of an attack that turns one victim on other texts than another."""
        both = list(zip(self._fooled(attack, one), self._fooled(attack, other), strict=True))
        return mcnemar(both.count((True, False)), both.count((False, True)))

    def _fooled(self, attack: str, victim: str) -> list[bool]:
        return [self.outcomes[attack, victim][number].status is Status.SUCCESS for number in self.texts]


def shared(runs: Mapping[tuple[str, str], Outcomes], most: int) -> Shared:
    """Draw texts among those that no run skipped, by a fixed seed.

    Args:
        runs: Runs, or their outcomes, over the same texts, by attack and victim.
        most: How many are drawn, if there are as many.
    """
    attacked = {
        name: {outcome.id: outcome for outcome in outcomes_of(run) if outcome.status is not Status.SKIPPED}
        for name, run in runs.items()
    }
    common = sorted(set.intersection(*(set(found) for found in attacked.values())))
    drawn = Random(_SEED).sample(common, min(most, len(common)))
    return Shared(tuple(sorted(drawn)), len(common), attacked)


def common_part(columns: Sequence[Column], most: int) -> Part:
    """Return the part that counts the rows' successes again, on texts that all victims have right.

    Args:
        columns: The data sets and their victims.
        most: How many texts; the paper has 100.
    """
    return Part(TITLE, partial(_common, columns, most))


def _common(columns: Sequence[Column], most: int, work: Work) -> Section:
    found = {}
    for column in columns:
        runs = {
            (attack, victim): run_of(work, attack, f"{victim}@{column.data}")
            for attack in column.attacks.values()
            for victim in column.victims
        }
        found[column.data] = shared(runs, most)
    claims = [
        judged(claim, {}, [chance]) for column in columns for claim, chance in _claims(column, found[column.data])
    ]
    return Section(
        tables=[_table(column, found[column.data]) for column in columns],
        claims=[claim for claim in claims if claim],
        notes=[
            f"{data}: {each.of} of the texts attacked are right with all victims; {len(each.texts)} of them are "
            "drawn by a fixed seed, where the paper has 100."
            for data, each in found.items()
        ],
        values={
            column.data: {
                "texts": list(found[column.data].texts),
                "right with all": found[column.data].of,
                "success": _values(column, found[column.data]),
            }
            for column in columns
        },
    )


def _claims(column: Column, found: Shared) -> Iterator[tuple[Claim, float]]:
    recurrent, *others = column.victims
    for name, attack in column.attacks.items():
        if name == "random":  # its figure is a mean over trials, which no test pairs
            continue
        for other in others:
            rates = [found.success(attack, victim) for victim in (recurrent, other)]
            terms = [
                Term.share(victim, rate.count, rate.of)
                for victim, rate in zip((recurrent, other), rates, strict=True)
            ]
            about = f"{column.data}, {len(found.texts)} texts that all have right"
            said = f"the LSTM falls to {name} more often than {other}"
            yield Claim(1, said, about, terms), found.chance(attack, recurrent, other)


def _table(column: Column, found: Shared) -> Table:
    rows = []
    for name, attack in column.attacks.items():
        cells = [f"`{attack}`"]
        for victim, said in zip(column.victims, column.reported[name], strict=True):
            ours = (
                f"{found.a_trial(attack, victim):.1%} a trial"
                if name == "random"
                else str(found.success(attack, victim))
            )
            cells.append(f"{ours} ({said:g})")
        rows.append(cells)
    title = (
        f"{column.data}: fooled of {len(found.texts)} texts that all victims have right, the paper's in parentheses"
    )
    return Table(title, ("attack", *column.victims), rows)


def _values(column: Column, found: Shared) -> dict[str, dict[str, object]]:
    return {
        name: {
            victim: {"a trial": found.a_trial(attack, victim)}
            if name == "random"
            else found.success(attack, victim).to_dict()
            for victim in column.victims
        }
        for name, attack in column.attacks.items()
    }
