"""Which few models to craft on, so that the texts fool the many others (Yuan et al., 2021, section 4.1)."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.errors import UserError
from unfool.transfer._factors import traits
from unfool.transfer._matrix import Floats, Matrix
from unfool.zoo import CATALOGUE, ClassicalRecipe

MOST_EXHAUSTIVE = 4
POPULATION, GENERATIONS, MUTATION = 100, 300, 0.2

Sets = NDArray[np.intp]
"""A row a set of models, each by its number."""


class Ensemble(NamedTuple):
    """The members of an ensemble, and how fit it is."""

    members: tuple[str, ...]
    fitness: float


class _Choice(NamedTuple):
    """The sources that texts were made on, and their rates at the targets that were asked."""

    sources: tuple[str, ...]
    rates: Floats

    def ensemble(self, members: NDArray[np.intp]) -> Ensemble:
        names = tuple(self.sources[member] for member in sorted(members.tolist()))
        return Ensemble(names, float(fitness(self.rates, members[None])[0]))


def ensemble_name(members: tuple[str, ...]) -> str:
    """Return the name of the victim that answers with the members' mean: of logits if all of them are nets."""
    if len(members) == 1:
        return members[0]
    kind = "ensemble-logits" if all(map(_is_net, members)) else "ensemble"
    return f"{kind}:{'+'.join(members)}"


def _is_net(name: str) -> bool:
    """Tell by its name whether a victim gives logits; naive Bayes and support vectors of the zoo do not."""
    entry = CATALOGUE.get(name.removeprefix("zoo:").partition("@")[0])
    classical = entry is not None and isinstance(entry.recipe, ClassicalRecipe)
    return name.startswith("hf:") or (name.startswith("zoo:") and not classical)


def fitness(rates: Floats, sets: Sets) -> Floats:
    """Return the mean over targets of the best rate any member reaches, one number a set (equation 1)."""
    found: Floats = rates[sets].max(axis=1).mean(axis=1)
    return found


def missing_rates(matrix: Matrix) -> int:
    """Return how many rates are not there between the models that ensembles are chosen from and by."""
    missing = np.isnan(matrix.rates)
    chosen = np.ix_(~missing.all(axis=1), ~missing.all(axis=0))
    return int((missing & ~matrix.same)[chosen].sum())


def genetic(
    matrix: Matrix,
    size: int,
    *,
    seed: int = 0,
    population: int = POPULATION,
    generations: int = GENERATIONS,
    mutation: float = MUTATION,
) -> Ensemble:
    """Breed ensembles as the paper does, and return the fittest ever seen.

    Two parents, drawn the likelier the fitter, put their members together; each of two children draws its own
    from these. A mutation replaces one member by any other model. What the paper leaves open is ours: chances in
    proportion to how much fitter than the least fit of the generation a set is, and the fittest set stays.

    Args:
        matrix: The rates.
        size: How many members.
        seed: Decides every random choice.
        population: How many sets a generation has.
        generations: How many there are.
        mutation: How likely a child is changed.
    """
    choice = _choice(matrix, size)
    rates, models = choice.rates, len(choice.sources)
    if size == models:
        return choice.ensemble(np.arange(models))
    draw = np.random.default_rng(seed)
    sets = draw.random((population, models)).argpartition(size - 1, axis=1)[:, :size]
    best, most = sets[0], -1.0
    for _ in range(generations):
        fit = fitness(rates, sets)
        if fit.max() > most:
            best, most = sets[fit.argmax()], float(fit.max())
        chances = fit - fit.min() + 1e-9
        parents = draw.choice(population, size=((population + 1) // 2, 2), p=chances / chances.sum())
        sets = _children(draw, sets[parents].reshape(len(parents), -1), size, models)[:population]
        _mutate(draw, sets, models, mutation)
        sets[0] = best
    return choice.ensemble(sets[fitness(rates, sets).argmax()])


def _children(draw: np.random.Generator, united: Sets, size: int, models: int) -> Sets:
    """Return two children a pair of parents, each drawn from the parents' members put together."""
    held = np.zeros((len(united), models), dtype=bool)
    np.put_along_axis(held, united, True, axis=1)
    held = held.repeat(2, axis=0)
    order = np.where(held, draw.random(held.shape), 2.0)
    children: Sets = order.argpartition(size - 1, axis=1)[:, :size]
    return children


def _mutate(draw: np.random.Generator, sets: Sets, models: int, chance: float) -> None:
    """Replace one member of some sets by a model that is not in them."""
    chosen = np.flatnonzero(draw.random(len(sets)) < chance)
    keys = draw.random((len(chosen), models))
    np.put_along_axis(keys, sets[chosen], -1.0, axis=1)
    sets[chosen, draw.integers(sets.shape[1], size=len(chosen))] = keys.argmax(axis=1)


def exhaustive(matrix: Matrix, size: int) -> Ensemble:
    """Try every set and return the fittest; of equals, the first.

    Raises:
        UserError: If the sets have so many members that trying all would take hours.
    """
    choice = _choice(matrix, size)
    rates, models = choice.rates, len(choice.sources)
    if size > MOST_EXHAUSTIVE:
        raise UserError(
            f"cannot try all ensembles of {size}; give at most {MOST_EXHAUSTIVE}, or search genetically"
        )
    if size == 1:
        return choice.ensemble(np.array([rates.mean(axis=1).argmax()]))
    pairs = np.array(list(combinations(range(models), 2)))
    joint = np.maximum(rates[pairs[:, 0]], rates[pairs[:, 1]])
    best, most = np.arange(size), -1.0
    for first in combinations(range(models), size - 2):
        # The pairs are in order: those behind the last member of the first part follow each other.
        start = int(np.searchsorted(pairs[:, 0], first[-1] + 1)) if first else 0
        if start == len(pairs):
            continue
        floor = rates[list(first)].max(axis=0) if first else np.zeros(rates.shape[1])
        fit = np.maximum(joint[start:], floor).mean(axis=1)
        if fit.max() > most + 1e-12:
            best, most = np.array([*first, *pairs[start + fit.argmax()]]), float(fit.max())
    return choice.ensemble(best)


def expert(matrix: Matrix, size: int) -> Ensemble:
    """Choose as the paper's human expert says to have chosen, without looking at what the members do together.

    The first is the model whose texts transfer best. Each next one differs most from all members so far in input
    form, architecture and embedding; of those, the one whose texts transfer best.
    """
    choice = _choice(matrix, size)
    alone = choice.rates.mean(axis=1)
    members = [int(alone.argmax())]
    while len(members) < size:
        others = [number for number in range(len(alone)) if number not in members]
        members.append(max(others, key=lambda other: (_novelty(choice.sources, members, other), alone[other])))
    return choice.ensemble(np.array(members))


def _novelty(sources: tuple[str, ...], members: list[int], other: int) -> tuple[int, int]:
    """Return how many traits of a model no member has, and in how many it differs from the members one by one."""
    own, theirs = traits(sources[other]), [traits(sources[member]) for member in members]
    known = [found[:3] for found in theirs if found]
    if not own or not known:
        return 0, 0
    new = sum(trait not in column for trait, column in zip(own[:3], zip(*known, strict=True), strict=True))
    return new, sum(trait != other for found in known for trait, other in zip(own[:3], found, strict=True))


def _choice(matrix: Matrix, size: int) -> _Choice:
    """Return what there is to choose from and by, if the size makes sense.

    A rate nobody took counts as zero. Unless all models have twins, the rate of each with itself is one: all of its
    texts fool it. So no member is worth more or less for having none, and what the ensemble does to the others
    decides.
    """
    there = ~np.isnan(matrix.rates)
    asked, made = there.any(axis=0), there.any(axis=1)
    if not asked.any():
        raise UserError("the study has no rates yet to choose by; resume it first")
    sources = tuple(matrix.sources[number] for number in np.flatnonzero(made))
    if not 1 <= size <= len(sources):
        raise UserError(f"no ensemble of {size} among {len(sources)} models; give a size from 1 to that")
    rates, same = (each[np.ix_(made, asked)] for each in (matrix.rates, matrix.same))
    if np.isnan(rates[same]).any():
        rates = np.where(same, 1.0, rates)
    return _Choice(sources, np.nan_to_num(rates))
