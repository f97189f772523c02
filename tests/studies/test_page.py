"""What a study's page draws of a row."""

from __future__ import annotations

from typing import Any

from unfool.studies._page import _bar

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
