"""What the studies declare makes sense: names that exist, claims about rows that there are."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from unfool import zoo
from unfool.attacks import find_attack
from unfool.data import drawn
from unfool.defences.harden import find_method
from unfool.transfer import Matrix, factor_impacts
from unfool.zoo.victim_names import spell_out
from unfool_papers import firebert, hotflip, self_attention
from unfool_papers.catalogue import STUDIES
from unfool_papers.defence_tables.faults import FAULTS
from unfool_papers.defence_tables.table import (
    CLEAN,
    ERROR,
    PREMADE,
    DefenceTable,
    before,
    f1,
    fooled,
    left,
    left_anew,
    queries,
    words,
)
from unfool_papers.study.claim import Figures, judged
from unfool_papers.study.plan import Plan, Scale, Study
from unfool_papers.study.tables import PARTS, differences
from unfool_papers.transferability.matrix import Matrices
from unfool_papers.transferability.rules import Rules

PLANS = [
    pytest.param(study, scale, plan, id=f"{study.name}-{scale}")
    for study in STUDIES.values()
    for scale, plan in study.plans.items()
]
TABLES = [
    pytest.param(table, id=f"{module.STUDY.name}-{scale}-{table.name}")
    for module in (self_attention, firebert, hotflip)
    for scale, tables in module.TABLES.items()
    for table in tables
]


def declared(plan: Plan, kind: type[Any]) -> Iterator[Any]:
    """Yield what a plan's parts are given of one kind."""
    for part in plan.parts:
        assert isinstance(part.do, partial)
        yield from (given for given in part.do.args if isinstance(given, kind))


def test_there_are_five_studies_at_two_scales() -> None:
    assert list(STUDIES) == ["self-attention", "transferability", "cs229", "firebert", "hotflip"]
    assert all(set(study.plans) == {"smoke", "full"} for study in STUDIES.values())
    assert [study.paper for study in STUDIES.values()] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(("study", "scale", "plan"), PLANS)
def test_rows_name_attacks_and_victims_that_there_are(study: Study, scale: Scale, plan: Plan) -> None:
    assert plan.rows
    for row in plan.rows:
        assert find_attack(row.attack).name == row.kind
        named = zoo.parse(row.victim)
        # A victim is judged on texts it was not trained on, of the same kind.
        assert drawn(named.data).name in ("mnli", drawn(row.data).name)
        assert row.paper == study.paper
    assert len({row.name for row in plan.rows}) == len(plan.rows)
    assert bool(plan.differs) == (scale == "smoke")


@pytest.mark.parametrize(("study", "scale", "plan"), PLANS)
def test_claims_are_about_rows_that_there_are(study: Study, scale: Scale, plan: Plan) -> None:
    figures = {"success %": 50.0, "accuracy under attack %": 40.0, "clean accuracy %": 80.0, "queries": 7.0}
    more = {"mean success over trials %": 1.0, "characters changed %": 4.0}
    records: dict[str, Any] = {
        row.name: {
            "row": row.name,
            "attack": row.attack,
            "victim": row.victim,
            "data": row.data,
            "confidence": row.confidence,
            "n": row.n,
            "attacked": row.n,
            "operations": {"flips": 8, "deletions": 2, "insertions": 1},
            **figures,
            **more,
        }
        for row in plan.rows
    }
    found = [judged(claim, {}) for claim in plan.claims(Figures(records))]
    assert found
    assert all(found)
    assert not [judged(claim, {}) for claim in plan.claims(Figures({})) if judged(claim, {})]


@pytest.mark.parametrize("table", [*TABLES, *firebert.BESIDE, *hotflip.BESIDE])
def test_defences_and_their_order_are_known(table: DefenceTable) -> None:
    zoo.parse(table.base)
    trained = {arm.name for arm in table.arms if arm.method}
    for arm in table.arms:
        assert arm.around <= {"base", *trained}
        assert arm.fault in ("", *FAULTS)
        if arm.method:
            find_method(arm.method)
    attack = find_attack(table.attack).name
    figures = {
        CLEAN,
        ERROR,
        before(attack),
        left(attack),
        left_anew(attack),
        fooled(attack),
        *([PREMADE] if table.made else []),
    }
    assert {said.figure for arm in table.arms for said in arm.said} <= figures | {f1(CLEAN), f1(PREMADE)}
    names = {arm.name for arm in table.arms}
    assert len({arm.file for arm in table.arms}) == len(names)
    for figure, arms in table.orders:
        assert figure in figures
        assert names.issuperset(arms)
    for floor in table.floors:
        assert floor.figure in figures
        assert {floor.arm, floor.of} <= names | {""}
    means = {words(attack), queries(attack)}
    for change in table.changes:
        assert change.figure in figures | means
        assert {change.arm, change.than} <= names
    assert table.points or not table.looked_into
    assert table.looked_into in ("", *trained)
    assert bool(table.labels) == bool(table.looked_into)


def test_the_studies_make_the_tables_that_the_script_makes() -> None:
    for module in (firebert, hotflip):
        for scale, plan in module.STUDY.plans.items():
            (given,) = declared(plan, tuple)
            assert given == module.TABLES[scale]


@pytest.mark.parametrize(("study", "scale", "plan"), PLANS)
def test_models_of_matrices_and_rules_are_in_the_zoo(study: Study, scale: Scale, plan: Plan) -> None:
    for matrices in declared(plan, Matrices):
        assert len(matrices.named) in ((63, 26) if scale == "full" else (5,))
    for rules in declared(plan, Rules):
        assert spell_out(f"zoo:{name}@{rules.data}" for name in (*rules.members, *rules.targets))


def test_the_small_matrix_has_a_pair_for_every_factor() -> None:
    (matrices,) = declared(STUDIES["transferability"].plans["smoke"], Matrices)
    models = tuple(named.model for named in matrices.named)
    rates = np.ones((len(models), len(models)))
    found = factor_impacts(Matrix(models, models, rates, rates.astype(np.int64)))
    assert all(impact.pairs for impact in found.values())


def test_the_number_of_texts_is_that_of_the_record_and_not_the_declared_one() -> None:
    row = next(row for row in hotflip.rows(hotflip.FULL) if row.attack == hotflip.COST[1])
    assert row.n == 200
    assert "{n} texts" in row.differs
    told = {"attack": "", "victim": "zoo:CharCNN-LSTM-Adam@ag_news", "data": "ag_news", "confidence": 0.0}
    records: dict[str, Any] = {
        attack: {**told, "row": attack, "attack": attack, "n": 20, "attacked": 18, "queries": 9.0}
        for attack in hotflip.COST
    }
    (claim,) = (
        claim for claim in hotflip.claims(hotflip.FULL, Figures(records)) if "CharCNN-LSTM-Adam, " in claim.about
    )
    assert claim.about == "CharCNN-LSTM-Adam, 20 texts"


def test_the_net_trained_as_written_is_attacked_claimed_about_and_trained_on() -> None:
    attacked = {row.victim for row in hotflip.rows(hotflip.FULL)}
    assert {"zoo:CharCNN-LSTM@ag_news", "zoo:CharCNN-LSTM-Adam@ag_news"} <= attacked
    told = [claim.about for claim in hotflip.claims(hotflip.FULL, Figures({}))]
    assert {"confidence 0.5", "CharCNN-LSTM, confidence 0.5", "CharCNN-LSTM, confidence 0.9"} <= set(told)
    assert len(told) == len(set(told))
    table = next(table for table in hotflip.BESIDE if table.base == "zoo:CharCNN-LSTM@ag_news")
    assert [arm.name for arm in table.arms][2] == "black-box training"
    assert "goes on with Adam" in table.differs


def test_what_fireberts_figures_are_compared_with_is_what_the_paper_says() -> None:
    imdb, mnli = firebert.TABLES["full"]
    assert [change.percent for change in mnli.changes] == [-79, -62, -48, 30, 30]
    assert [change.percent for change in imdb.changes] == [-87, -62]
    assert {table.points for table in (imdb, mnli)} == {5000}
    assert imdb.attacked is not None
    assert imdb.n * (imdb.attacked.share or 0) >= 200
    mismatched = firebert.BESIDE[0]
    assert (mismatched.clean.data, mismatched.trained_in) == ("attack_sets/mnli_mismatched", "mnli")
    assert "the 1,000 pairs" in mismatched.differs


def test_fireberts_deviations_are_named() -> None:
    imdb, mnli = firebert.TABLES["full"]
    for table, said in ((imdb, "for 2 epochs"), (mnli, "for 3 epochs"), (mnli, "dev_mismatched")):
        assert said in table.differs
        assert f"at {table.lr:.0e}".replace("e-05", "e-5") in table.differs
        assert "tuned for BERT-base" in table.differs
    assert "dev_mismatched" not in imdb.differs


def test_what_a_hundredth_of_a_data_set_stands_for_is_named() -> None:
    record = {"attack": "list", "differs": "", "victim": "zoo:BERT@yelp_polarity"}
    assert differences([record]) == [
        "every victim @yelp_polarity has learnt from 7,002 of 560,000 training texts (1/80)"
    ]
    assert PARTS["mnli"].told == "29,340 of 392,702 training texts (1/13)"
