"""VADER as the documented example of a function that is a victim."""

import sys

import numpy as np
import pytest

from unfool.errors import UserError
from unfool.victims import callable_victim, vader


def test_vader_is_a_victim_by_name() -> None:
    pytest.importorskip("vaderSentiment")
    victim = callable_victim("py:unfool.victims.vader:probabilities")
    assert victim.labels == ("negative", "positive")
    values, errors = victim.confirm([("A great, lovely film.",), ("Horrible. I hate it!",), ("",)])
    assert not errors
    assert values[0, 1] > 0.8
    assert values[1, 0] > 0.8
    np.testing.assert_array_equal(values[2], 0.5)
    np.testing.assert_allclose(values.sum(axis=1), 1)


def test_the_score_is_vaders_own() -> None:
    analyzer = pytest.importorskip("vaderSentiment.vaderSentiment").SentimentIntensityAnalyzer()
    text = "The plot is thin, but the actors are good."
    compound = analyzer.polarity_scores(text)["compound"]
    assert vader.probabilities([text])[0] == pytest.approx([(1 - compound) / 2, (1 + compound) / 2])


def test_without_vader_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vaderSentiment.vaderSentiment", None)
    vader._analyzer.cache_clear()
    with pytest.raises(UserError, match=r"install .unfool\[vader\]"):
        vader.probabilities(["x"])
