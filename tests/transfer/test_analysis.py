"""Factors, classes and ensembles against plain loops on matrices made up for it."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from unfool.errors import UserError
from unfool.transfer import (
    FACTORS,
    Matrix,
    Traits,
    analyse,
    ensemble_name,
    exhaustive,
    expert,
    factor_impacts,
    genetic,
    missing_rates,
    traits,
)
from unfool.zoo import CATALOGUE

THE_63 = tuple(entry.name for entry in CATALOGUE.values() if entry.number)


def made_up(names: tuple[str, ...], seed: int = 0, texts: int = 500) -> Matrix:
    rates = np.random.default_rng(seed).uniform(size=(len(names), len(names)))
    return Matrix(names, names, rates, np.full(rates.shape, texts))


def test_traits_are_read_from_names() -> None:
    assert traits("zoo:BiLSTM-W-W2vec-4@ag_news#1") == Traits("word", "BiLSTM", "word2vec", 4)
    assert traits("CNN-WC-ELMo-6") == Traits("word and character", "CNN", "ELMo", 6)
    assert traits("zoo:ALBERT@imdb") == Traits("sub-word", "BERT", "BERT", 0)
    found = traits("LSTM-C-Random-1")
    assert found
    assert found.reads == "Character"
    assert traits("hf:./LSTM-W-GloVe-1") is None
    assert sum(traits(name) is not None for name in THE_63) == 63


def test_impacts_are_those_of_a_plain_loop() -> None:
    matrix = made_up(THE_63)
    apart: dict[str, list[float]] = {factor: [] for factor in FACTORS}
    for column, target in enumerate(THE_63):
        for row, source in enumerate(THE_63):
            pairs = list(zip(FACTORS, traits(source) or (), traits(target) or (), strict=True))
            differing = [factor for factor, one, other in pairs if one != other]
            if len(differing) == 1:
                apart[differing[0]].append(abs(matrix.rates[row, column] - matrix.rates[column, column]))
    found = factor_impacts(matrix)
    # 10 nets of words or characters each way; 18 trios of architectures, …
    assert {factor: impact.pairs for factor, impact in found.items()} == {f: len(apart[f]) for f in FACTORS}
    assert [impact.pairs for impact in found.values()] == [20, 108, 120, 144]
    for factor, distances in apart.items():
        assert found[factor].mean == pytest.approx(np.mean(distances))


def test_without_twins_nothing_is_said_about_factors() -> None:
    matrix = made_up(THE_63)
    np.fill_diagonal(matrix.rates, np.nan)
    assert all(np.isnan(impact.mean) and impact.pairs == 0 for impact in factor_impacts(matrix).values())
    assert not np.isnan(analyse(matrix).by_architecture.rates).any()


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_trying_all_is_that_of_a_plain_loop(size: int) -> None:
    matrix = made_up(THE_63[:9], seed=size)
    best = max(
        combinations(range(9), size), key=lambda members: float(matrix.rates[list(members)].max(axis=0).mean())
    )
    found = exhaustive(matrix, size)
    assert found.members == tuple(THE_63[member] for member in best)
    assert found.fitness == pytest.approx(matrix.rates[list(best)].max(axis=0).mean())


def test_the_same_seed_breeds_the_same() -> None:
    matrix = made_up(THE_63)
    assert genetic(matrix, 6, seed=3) == genetic(matrix, 6, seed=3)
    assert len(set(genetic(matrix, 6, seed=3).members)) == 6
    assert set(genetic(matrix, 63).members) == set(THE_63)


@pytest.mark.parametrize("population", [1, 2, 7])
def test_a_population_may_have_any_size(population: int) -> None:
    assert len(set(genetic(made_up(THE_63[:9]), 3, population=population, generations=5).members)) == 3


@pytest.mark.parametrize("size", [2, 3])
def test_without_twins_the_others_decide(size: int) -> None:
    matrix = made_up(THE_63[:9])
    np.fill_diagonal(matrix.rates, np.nan)

    def fooled_outside(members: tuple[int, ...]) -> float:
        outside = [number for number in range(9) if number not in members]
        return float(matrix.rates[np.ix_(members, outside)].max(axis=0).sum())

    best = max(combinations(range(9), size), key=fooled_outside)
    assert exhaustive(matrix, size).members == tuple(THE_63[member] for member in best)
    assert genetic(matrix, size).members == tuple(THE_63[member] for member in best)


def test_with_twins_of_some_the_others_decide_as_without_any() -> None:
    matrix = made_up(THE_63[:9])
    np.fill_diagonal(matrix.rates, np.nan)
    none = exhaustive(matrix, 2)
    matrix.rates[3, 3] = 0.1
    assert exhaustive(matrix, 2) == none


def test_rates_that_are_not_there_are_counted() -> None:
    matrix = made_up(THE_63[:9])
    np.fill_diagonal(matrix.rates, np.nan)
    assert missing_rates(matrix) == 0
    matrix.rates[4] = np.nan
    assert missing_rates(matrix) == 0  # no texts were made on it, and it is not chosen from
    matrix.rates[1, 2] = matrix.rates[2, 1] = np.nan
    assert missing_rates(matrix) == 2


def test_a_source_without_texts_is_no_member() -> None:
    matrix = made_up(THE_63[:9])
    rates = matrix.rates.copy()
    rates[[0, 4]] = np.nan
    there = [number for number in range(9) if number not in (0, 4)]
    partial = replace(matrix, rates=rates)
    whole = Matrix(tuple(THE_63[n] for n in there), matrix.targets, matrix.rates[there], matrix.texts[there])
    assert exhaustive(partial, 3) == exhaustive(whole, 3)
    assert genetic(partial, 3) == genetic(whole, 3)
    assert expert(partial, 3) == expert(whole, 3)
    with pytest.raises(UserError, match="among 7 models"):
        genetic(partial, 8)


def test_sizes_that_make_no_sense_are_refused() -> None:
    matrix = made_up(THE_63[:9])
    with pytest.raises(UserError, match="at most 4"):
        exhaustive(matrix, 5)
    for size in (0, 10):
        with pytest.raises(UserError, match="among 9 models"):
            genetic(matrix, size)


def test_an_ensembles_name_opens_it() -> None:
    assert ensemble_name(("zoo:A@d", "zoo:B@d")) == "ensemble-logits:zoo:A@d+zoo:B@d"
    assert ensemble_name(("zoo:A@d",)) == "zoo:A@d"
    assert ensemble_name(("zoo:A@d", "py:module:function")) == "ensemble:zoo:A@d+py:module:function"
    # Those of the zoo that are no nets give no logits.
    assert ensemble_name(("zoo:BERT@d", "zoo:NB@d#1")) == "ensemble:zoo:BERT@d+zoo:NB@d#1"
    assert ensemble_name(("zoo:SVM-Linear@d", "zoo:BERT@d")) == "ensemble:zoo:SVM-Linear@d+zoo:BERT@d"


def test_a_target_nobody_could_try_does_not_count() -> None:
    matrix = made_up(THE_63[:9])
    whole = exhaustive(Matrix(THE_63[:9], THE_63[:8], matrix.rates[:, :8], matrix.texts[:, :8]), 2)
    matrix.rates[:, 8] = np.nan
    assert exhaustive(matrix, 2) == whole
    assert genetic(matrix, 2) == whole
    matrix.rates[:] = np.nan
    with pytest.raises(UserError, match="no rates"):
        genetic(matrix, 2)
