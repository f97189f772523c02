"""What is claimed of matrices and rules, on made-up figures."""

from __future__ import annotations

from typing import Any

import pytest

from unfool_papers.study.claim import CANNOT_BE_TOLD, HOLDS, Verdict
from unfool_papers.transferability.findings import Finding
from unfool_papers.transferability.parts import _by_size, _ensemble_claims, _findings, _judged, _rule_claims

NAMES = ("LSTM-W-GloVe-1", "CNN-W-GloVe-1", "CNN-W-Random-1", "CNN-C-Random-1")


def matrix(models: int, fooled: int) -> dict[str, Any]:
    """Rates of 0.3 between models, and an ensemble of the first two whose texts fool the others so often."""
    names = [*NAMES, *(f"CNN-W-W2vec-{number}" for number in range(models - len(NAMES)))]
    return {
        "data": "films",
        "models": [{"name": f"zoo:{name}@films"} for name in names],
        "rates": [[0.5 if one == other else 0.3 for one in names] for other in names],
        "texts": [100] * models,
        "ensembles": [
            {"how": "genetic", "size": 2, "members": NAMES[:2], "fooled": fooled, "texts": 100 * (models - 2)},
            {"how": "expert", "size": 2, "members": NAMES[:2], "fooled": 0, "texts": 1},
        ],
    }


@pytest.mark.parametrize(("verdict", "order"), [(CANNOT_BE_TOLD, "–"), (HOLDS, "yes")])
def test_findings_are_claims(verdict: Verdict, order: str) -> None:
    finding = Finding("words matter", {"all": verdict}, {"words": 0.25, "letters": float("nan")})
    (found,) = _findings([finding], "films")
    assert (found["verdict"], found["holds"], found["figures"]) == (verdict, order, {"words": 25.0})


@pytest.mark.parametrize(("fooled", "verdict"), [(150, "holds"), (65, "cannot be told"), (20, "does not hold")])
def test_an_ensemble_is_set_beside_its_members(fooled: int, verdict: str) -> None:
    (found,) = _judged(_ensemble_claims(matrix(4, fooled)))
    assert found["figures"] == {"the ensemble": fooled / 2, "its members, each alone": 30.0}
    assert found["verdict"] == verdict


def test_a_missing_cell_is_left_out() -> None:
    found = matrix(4, 150)
    found["rates"][0][2] = None
    (judged,) = _judged(_ensemble_claims(found))
    assert judged["figures"]["its members, each alone"] == 30.0


def test_ensembles_are_drawn_beside_single_models() -> None:
    found = matrix(4, 150) | {"attack": "ga:x=1", "mean base rate": 0.5, "mean rate between models": 0.3}
    for each, rate in zip(found["ensembles"], (0.75, None), strict=True):
        each["rate"] = rate
    figure = _by_size(found)
    assert figure.name == "ensembles-films-4-models-ga"
    assert {(row["chosen by"], row["rate"]) for row in figure.rows} == {
        ("genetic", 0.75),
        ("base rate", 0.5),
        ("mean between models", 0.3),
    }


@pytest.mark.parametrize(("judges", "verdict"), [(1, "holds"), (40, "cannot be told")])
def test_more_judges_make_no_rule_surer(judges: int, verdict: str) -> None:
    outside = {"uawr-2": [500, 1000], "uawr-6": [600, 1000], "pmi": [400, 1000]}
    found = {"data": "films", "judges outside": judges, "outside": outside}
    counts, sizes = _judged(_rule_claims(found))
    assert (counts["figures"], counts["verdict"]) == ({"uawr-6": 60.0, "pmi": 40.0}, verdict)
    assert (sizes["figures"], sizes["verdict"]) == ({"uawr-6": 60.0, "uawr-2": 50.0}, verdict)
