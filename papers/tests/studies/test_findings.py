"""The six findings of Yuan et al., on the paper's own tables and on matrices made up for it."""

from __future__ import annotations

import numpy as np
import pytest

from unfool.transfer import ARCHITECTURES, FACTORS, INPUTS, Analysis, ClassTable, Impact, Matrix, analyse
from unfool.zoo import CATALOGUE
from unfool_papers.study.claim import CANNOT_BE_TOLD, DOES_NOT_HOLD, HOLDS
from unfool_papers.transferability import published as paper
from unfool_papers.transferability.findings import Asymmetry, Finding, asymmetry, findings
from unfool_papers.transferability.overfitting import gaps, without_intervals

TABLE_4_SENDS = [0.346, 0.385, 0.360, 0.373, 0.268, 0.392, 0.357]
THE_63 = tuple(entry.name for entry in CATALOGUE.values() if entry.number)


SYMMETRY = Asymmetry(63, 1953, 0.1, 0.5)


def found_in(matrix: Matrix) -> list[Finding]:
    return findings(analyse(matrix), asymmetry(matrix))


def made_up(names: tuple[str, ...]) -> Matrix:
    rates = np.random.default_rng(0).uniform(size=(len(names), len(names)))
    return Matrix(names, names, rates, np.full(rates.shape, 500))


def of_the_paper() -> Analysis:
    return Analysis(
        {factor: Impact(mean, 1) for factor, mean in zip(FACTORS, paper.TABLE_2["AGNEWS", "pwws"], strict=True)},
        ClassTable(ARCHITECTURES, np.array(list(paper.TABLE_3.values()))),
        ClassTable(INPUTS, np.array(list(paper.TABLE_4.values()))),
    )


def test_the_averages_of_table_4() -> None:
    np.testing.assert_allclose(list(of_the_paper().by_input.sends.values()), TABLE_4_SENDS, atol=0.001)


def test_five_of_the_six_findings_follow_from_the_papers_tables() -> None:
    ga = {factor: Impact(mean, 1) for factor, mean in zip(FACTORS, paper.TABLE_2["AGNEWS", "ga"], strict=True)}
    found = findings(of_the_paper(), SYMMETRY, without_intervals(of_the_paper().impacts, ga))
    # The fifth says that characters are hit less than sub-words; the paper's own table 4 has .263 and .210.
    assert [finding.verdict for finding in found] == [HOLDS, HOLDS, HOLDS, HOLDS, DOES_NOT_HOLD, HOLDS]
    assert found[4].parts == {
        "receive less than words": HOLDS,
        "receive less than sub-words": DOES_NOT_HOLD,
        "send least": HOLDS,
    }
    assert found[4].figures["to characters"] == pytest.approx(0.263, abs=0.0005)


def test_every_class_must_stand_out_not_their_mean() -> None:
    paper = of_the_paper()
    third = findings(paper, SYMMETRY)[2]
    # BiLSTMs stand out least: .420 inside, .394 from LSTMs.
    assert third.figures["inside above all others of a class, at least"] == pytest.approx(0.026)
    paper.by_architecture.rates[0, 1] = 0.421
    third = findings(paper, SYMMETRY)[2]
    assert third.parts == {
        "not symmetric": HOLDS,
        "higher inside a class on average": HOLDS,
        "higher inside every class": DOES_NOT_HOLD,
    }
    assert third.figures["inside above all others of a class, at least"] == pytest.approx(-0.001)


def test_one_matrix_alone_is_not_taken_for_that_of_an_attack() -> None:
    alone = findings(of_the_paper(), SYMMETRY)[3]
    assert (alone.verdict, alone.figures) == (CANNOT_BE_TOLD, {})


def test_a_symmetric_matrix_is_called_one() -> None:
    matrix = made_up(THE_63)
    even = Matrix(THE_63, THE_63, (matrix.rates + matrix.rates.T) / 2, matrix.texts)
    assert asymmetry(even) == (63, 63 * 62 // 2, 0.0, 0.0)
    assert asymmetry(matrix).significant > 0.5


@pytest.mark.parametrize("models", [19, 20])
def test_findings_about_classes_need_many_models(models: int) -> None:
    fourth, *others = sorted(found_in(made_up(THE_63[:models])), key=lambda found: "PWWS" not in found.claim)
    assert fourth.verdict == CANNOT_BE_TOLD
    assert any(found.verdict != CANNOT_BE_TOLD for found in others) == (models == 20)
    assert all(found.figures for found in others)


def test_sampling_noise_is_not_taken_for_asymmetry() -> None:
    draw, said = np.random.default_rng(0), list[str]()
    for _ in range(40):
        counts = draw.binomial(500, 0.4, size=(63, 63))
        matrix = Matrix(THE_63, THE_63, counts / 500, np.full((63, 63), 500))
        assert asymmetry(matrix).significant < 0.08
        said.append(found_in(matrix)[2].parts["not symmetric"])
    assert said.count(HOLDS) <= 3


def test_a_source_whose_texts_happen_to_be_easy_is_not_taken_for_asymmetry() -> None:
    draw, said = np.random.default_rng(0), list[str]()
    for _ in range(40):
        # Texts fool all targets alike or none; which of them a source keeps is chance, and shows in its whole row.
        easy = draw.normal(scale=4.0, size=(63, 1, 500)) > draw.logistic(loc=0.4, size=(63, 63, 500))
        matrix = Matrix(THE_63, THE_63, easy.mean(axis=2), np.full((63, 63), 500))
        said.append(found_in(matrix)[2].parts["not symmetric"])
    assert said.count(HOLDS) <= 3


def test_a_lead_that_may_be_chance_decides_nothing() -> None:
    """Inside .406, from another class .411: of 494 texts each, that is told from nothing."""
    analysis = of_the_paper()
    analysis.by_architecture.rates[:2, :2] = [[0.406, 0.396], [0.411, 0.407]]
    assert findings(analysis, SYMMETRY)[2].parts["higher inside every class"] == DOES_NOT_HOLD
    third = findings(analysis, SYMMETRY, texts=494)[2]
    assert third.parts["higher inside every class"] == CANNOT_BE_TOLD
    assert third.verdict == CANNOT_BE_TOLD
    many = findings(analysis, SYMMETRY, texts=100_000)[2]
    assert many.parts["higher inside every class"] == DOES_NOT_HOLD


def test_two_attacks_are_compared_pair_by_pair() -> None:
    """A small step in every pair shows; the same on average but scattered over the models does not."""
    draw, pwws = np.random.default_rng(0), made_up(THE_63)
    away = np.where(pwws.rates > pwws.base, -1.0, 1.0)
    nearer = pwws.rates + 0.02 * away * ~pwws.same
    steady = gaps(pwws, Matrix(THE_63, THE_63, nearer, pwws.texts))
    assert steady["embedding"].low > 0
    scattered = gaps(pwws, Matrix(THE_63, THE_63, draw.permuted(pwws.rates), pwws.texts))
    assert scattered["embedding"].low < 0 < scattered["embedding"].high


def test_the_interval_holds_what_it_should_where_models_differ() -> None:
    draw, held = np.random.default_rng(1), 0
    for _ in range(60):
        own = draw.normal(scale=0.1, size=(2, 63, 1))  # a source's texts go with it to all its targets
        both = [np.clip(0.5 + each + draw.normal(scale=0.02, size=(63, 63)), 0, 1) for each in own]
        gap = gaps(*(Matrix(THE_63, THE_63, rates, np.full((63, 63), 500)) for rates in both))["capacity"]
        held += gap.low < 0 < gap.high
    assert held >= 52


def test_models_that_no_pair_holds_leave_nothing_to_judge() -> None:
    alone = made_up(THE_63[:1])
    gap = gaps(alone, alone)["capacity"]
    assert np.isnan(gap.low)
    assert findings(analyse(alone), asymmetry(alone), gaps(alone, alone))[3].verdict == CANNOT_BE_TOLD
