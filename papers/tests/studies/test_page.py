"""What a study's page draws and says."""

from __future__ import annotations

from typing import Any

import pytest

from unfool_papers.defence_tables.part import bars_of
from unfool_papers.defence_tables.table import left_anew
from unfool_papers.study.page import _bar, sentence

TRIALS = "mean success over trials %"


def record(**figures: Any) -> dict[str, Any]:
    found = {"victim": "zoo:NB@imdb", "attack": "random:trials=500", "confidence": 0.0}
    return {**found, "success %": 40.0, "success % interval": [30.0, 50.0], "reported": [], **figures}


def test_a_bar_is_the_share_of_texts_with_its_interval() -> None:
    said = [{"value": 35.0, "figure": "success %"}, {"value": 2.0, "figure": "characters changed %"}]
    bar = _bar(record(reported=said, confidence=0.9))
    assert (bar.panel, bar.name) == ("NB@imdb", "random:trials=500 at 0.9")
    assert (bar.ours, bar.low, bar.high, bar.paper) == (40.0, 30.0, 50.0, 35.0)


def test_of_trials_it_is_what_one_does() -> None:
    bar = _bar(record(**{TRIALS: 0.8}, reported=[{"value": 1.1, "figure": TRIALS}]))
    assert (bar.ours, bar.low, bar.high, bar.paper) == (0.8, 0.8, 0.8, 1.1)


def arm(said: float | None, *figures: str) -> dict[str, Any]:
    rates = {figure: {"value": 0.5, "low": 0.4, "high": 0.6} for figure in figures}
    return {"rates": rates, "said": {} if said is None else {"clean": said}, "under attack": {"pwws": {}}}


@pytest.mark.parametrize(
    ("said", "figures", "caption"),
    [
        (
            84.0,
            ("clean",),
            "A bar for each defence, in percent; from the top, the texts as they are that it gets right. A black "
            "line is the 95 % interval. A red mark is the paper's figure.",
        ),
        (
            None,
            ("clean", left_anew("pwws")),
            "A bar for each defence, in percent; from the top, the texts as they are that it gets right; the texts "
            "it still gets right under attack by pwws, asked anew (at most). A black line is the 95 % interval.",
        ),
    ],
)
def test_the_caption_of_defences_tells_of_what_is_drawn(
    said: float | None, figures: tuple[str, ...], caption: str
) -> None:
    assert bars_of("t", {"base": "zoo:NB@imdb", "arms": {"bare": arm(said, *figures)}}).caption == caption


def test_a_claim_without_figures_ends_in_its_full_stop() -> None:
    claim = {"claim": "it rains", "on": "films", "verdict": "cannot be told", "figures": {}, "beside": {}, "p": []}
    assert sentence(claim) == "**cannot be told**: it rains (films)."
