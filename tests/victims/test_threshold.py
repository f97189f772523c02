"""A threshold moves the decision to where a deployed model has it, and keeps the order of texts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.end_to_end.command import fetch_or_skip

import unfool
from unfool.data import from_texts
from unfool.errors import UserError
from unfool.victims import Thresholded, callable_victim, open_victim

VADER = "py:unfool.victims.vader:probabilities"


def confident(shares: list[float], threshold: float, positive: str | None = None) -> np.ndarray:
    inner = callable_victim(lambda texts: [[1 - float(text), float(text)] for text in texts], ["no", "yes"])
    victim = Thresholded(inner, threshold, positive)
    answers = victim.check([(repr(share),) for share in shares]).result()
    assert not answers.errors
    return answers.values


@given(
    st.lists(st.integers(0, 1000).map(lambda n: n / 1000), min_size=2, max_size=20),
    st.integers(1, 1000).map(lambda n: n / 1000),
)
def test_the_positive_label_is_answered_from_the_threshold_on_and_the_order_stays(
    shares: list[float], threshold: float
) -> None:
    values = confident(sorted(shares), threshold)
    for share, (no, yes) in zip(sorted(shares), values.tolist(), strict=True):
        assert (yes > no) == (share >= threshold)
        assert round(yes, 3) != round(no, 3)  # rounding makes no tie of it
    assert (np.diff(values[:, 1]) >= 0).all()
    np.testing.assert_allclose(values.sum(axis=1), 1, atol=1e-6)


def test_the_positive_label_may_be_the_first() -> None:
    values = confident([0.05, 0.2], 0.9, "no")
    np.testing.assert_array_equal(values.argmax(axis=1), [0, 1])


def test_the_name_says_it_and_opens_the_same_again() -> None:
    victim = open_victim(f"{VADER}#threshold=0.9,positive=negative,batch=8")
    assert repr(victim) == f"{VADER}#threshold=0.9,positive=negative"
    assert repr(open_victim(repr(victim))) == repr(victim)
    assert repr(open_victim(f"{VADER}#threshold=0.9,positive=positive")) == f"{VADER}#threshold=0.9"


@pytest.mark.parametrize(
    ("behind", "said"),
    [
        ("threshold=0", "cannot take threshold=0; give a number above 0 and up to 1"),
        ("threshold=90", "cannot take threshold=90"),
        ("threshold=high", "cannot take threshold=high; it takes a number"),
        ("threshold=0.5,positive=positiv", "has no label 'positiv'; did you mean 'positive'"),
        ("positive=positive", "give threshold=0.9, too"),
    ],
)
def test_what_is_no_threshold_is_told(behind: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        open_victim(f"{VADER}#{behind}")


def test_three_labels_have_no_threshold() -> None:
    with pytest.raises(UserError, match=r"a threshold needs two labels, and .* has 3"):
        Thresholded(callable_victim(lambda texts: [[0.2, 0.3, 0.5]] * len(texts)), 0.9)


def test_an_attack_reaches_the_other_side_of_the_threshold(tmp_path: Path) -> None:
    fetch_or_skip("wordnet")
    texts = from_texts(["A great, wonderful, lovely film.", "A good and nice film."], ["positive", "positive"])
    named = f"{VADER}#threshold=0.9"
    run = unfool.attack(named, texts, "greedy-synonym", out=tmp_path / "run", progress=False)
    inner = open_victim(VADER)
    assert run.summary.samples == 2
    assert run.config["labels"] == ["positive", "negative"]  # in the order of the data
    for outcome in run.outcomes():
        (p,) = inner.check([outcome.perturbed]).result().values[:, 1].tolist()
        assert (outcome.after.label == 0) == (p >= 0.9)


def test_a_net_takes_a_threshold(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from tests.toy_models import save_bert

    folder = save_bert(tmp_path / "bert")
    plain, moved = open_victim(f"hf:{folder}"), open_victim(f"hf:{folder}#threshold=0.999")
    texts = [("a good film",), ("a bad film",)]
    p = plain.check(texts).result().values[:, 1]
    np.testing.assert_array_equal(moved.check(texts).result().values.argmax(axis=1), p >= 0.999)
    assert repr(moved) == f"hf:{folder}#threshold=0.999"
