"""A victim whose labels were put in the data's order tells everything in that order, and the same as before."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.toy_models import save_bert

from unfool.engine import Service
from unfool.errors import UserError
from unfool.labels import data_numbers
from unfool.text import Text, as_variants
from unfool.victims import (
    NEEDS,
    GradientRequest,
    Input,
    MeanOfDraws,
    TextVictim,
    Thresholded,
    Transformer,
    WrappedVictim,
    Zeroed,
    as_victim,
    in_label_order,
    own_labels,
    require,
)

FILM = ("negative", "neutral", "positive")
ORDER = [2, 0, 1]
TEXTS = [Text.of(text) for text in ("a dull film", "a lovely plot , and the film is lovely", "the plot")]


def both(ours: Service, theirs: Service, requests: Sequence[Any]) -> Any:
    return zip(ours.launch(requests).result(), theirs.launch(requests).result(), strict=True)


class Toy(TextVictim):
    labels: tuple[str, ...] = FILM

    def probabilities(self, inputs: Sequence[Input]) -> Any:
        long = np.array([len(text) / 100 for (text,) in inputs])
        return np.stack([long, 0.75 - long, np.full(len(long), 0.25)], axis=1)

    def __repr__(self) -> str:
        return "toy"


class Drawn(Toy):
    fingerprint = "made of dice"

    def __init__(self, number: int = 0) -> None:
        self.number = number

    def probabilities(self, inputs: Sequence[Input]) -> Any:
        return np.tile([0.1 * self.number, 0.5 - 0.1 * self.number, 0.5], (len(inputs), 1))

    def draw(self, number: int) -> Drawn:
        return Drawn(number)


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Transformer:
    folder = save_bert(tmp_path_factory.mktemp("bert"), labels=3)
    return Transformer(str(folder), device="cpu")


@pytest.fixture(scope="module")
def turned(net: Transformer) -> Any:
    return in_label_order(net, ["Label 2", "label 0"])


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        (("positive", "negative"), ("positive", "negative", "neutral")),
        (("0", "2"), ("negative", "positive", "neutral")),
        (("Negative", "neutral"), FILM),
        (("bad", "so-so", "good"), FILM),
        (("a", "b", "c", "d"), FILM),  # refused elsewhere, with a cure
        ((), FILM),
    ],
)
def test_labels_are_put_in_the_order_of_the_data(labels: tuple[str, ...], found: tuple[str, ...]) -> None:
    toy = Toy()
    victim = as_victim(toy, labels=labels)
    assert (victim.labels, own_labels(victim)) == (found, FILM)
    assert (victim is toy) == (found == FILM)
    assert in_label_order(victim, FILM) is toy
    assert as_victim(victim) is victim
    assert own_labels(in_label_order(victim, ("neutral", "positive"))) == FILM


def test_two_labels_that_are_one_of_the_victims_are_refused() -> None:
    with pytest.raises(UserError, match=r"are the same of the victim's.*: --labels Negative takes these for one"):
        as_victim(Toy(), labels=("Negative", "negative"))


def test_the_order_of_a_function_by_name_is_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text("labels = ['no', 'yes']\ndef f(texts): return [[0.25, 0.75]] * len(texts)")
    monkeypatch.chdir(tmp_path)
    victim = as_victim("py:mine.py:f", labels=["yes", "no"])
    assert repr(victim) == "py:mine.py:f"
    np.testing.assert_allclose(victim.check([("x",)]).result().values, [[0.75, 0.25]])


def test_answers_have_their_columns_in_the_order(net: Transformer, turned: Any) -> None:
    assert (turned.labels, repr(turned)) == (("label 2", "label 0", "label 1"), repr(net))
    assert (turned.decimals, turned.unknown, turned.vocabulary) == (net.decimals, net.unknown, net.vocabulary)
    assert (turned.fingerprint, turned.device) == (net.fingerprint, net.device)
    inputs = [text.strings for text in TEXTS]
    rows, everything = net.rows([as_variants(TEXTS)]), np.arange(3)
    assert (turned.rows([as_variants(TEXTS)]).keys == rows.keys).all()
    for ours, theirs in (
        (turned.launch(rows, everything).result(), net.launch(rows, everything).result()),
        (turned.check(inputs).result(), net.check(inputs).result()),
        (turned.confirm(inputs), net.confirm(inputs)),
        (turned.launch_logits(rows, everything).result(), net.launch_logits(rows, everything).result()),
        (turned.confirm_logits(inputs), net.confirm_logits(inputs)),
    ):
        np.testing.assert_array_equal(ours.values, theirs.values[:, ORDER])


def test_an_error_stays_with_its_text() -> None:
    answers = as_victim(Toy(), labels=["positive"]).check([("x",), ("x" * 80,)]).result()
    assert list(answers.errors) == [1]
    np.testing.assert_allclose(answers.values[0], [0.25, 0.01, 0.74])


@pytest.mark.parametrize("of", ["loss", "logit"])
def test_gradients_are_asked_by_the_number_in_the_order(net: Transformer, turned: Any, of: Any) -> None:
    ours = turned.gradients.launch([GradientRequest(text, 0, of) for text in TEXTS]).result()
    theirs = net.gradients.launch([GradientRequest(text, ORDER[0], of) for text in TEXTS]).result()
    other = net.gradients.launch([GradientRequest(text, 0, of) for text in TEXTS]).result()
    for one, same, different in zip(ours, theirs, other, strict=True):
        np.testing.assert_array_equal(one.gradient, same.gradient)
        assert one.loss == same.loss != different.loss


def test_an_answer_that_came_with_gradients_is_in_the_order(net: Transformer, turned: Any) -> None:
    rows = turned.rows([as_variants(TEXTS[:1])])
    expected = net.launch(rows, np.arange(1)).result().values[:, ORDER]
    turned.gradients.launch([GradientRequest(TEXTS[0], 1)]).result()
    np.testing.assert_allclose(turned.launch(rows, np.arange(1)).result().values, expected, atol=1e-6)


def test_what_the_net_tells_else_is_the_same_or_in_the_order(net: Transformer, turned: Any) -> None:
    require(turned, tuple(need for need in NEEDS if need != "characters"), "any")
    with pytest.raises(UserError, match="does not offer"):
        require(turned, ("characters",), "hotflip")
    with pytest.raises(UserError, match="does not offer"):
        require(as_victim(Toy(), labels=["positive"]), ("gradients",), "jsma")
    for ours, theirs in both(turned.attention, net.attention, TEXTS):
        np.testing.assert_array_equal(ours.weights, theirs.weights)
    for ours, theirs in both(turned.hidden, net.hidden, TEXTS):
        np.testing.assert_array_equal(ours.states, theirs.states)
    for ours, theirs in both(turned.zeroed, net.zeroed, [Zeroed(text, range(len(text))) for text in TEXTS]):
        np.testing.assert_array_equal(ours, theirs[:, ORDER])
    for ours, theirs in both(turned.summaries, net.summaries, TEXTS):
        np.testing.assert_array_equal(ours.vectors, theirs.vectors)
        np.testing.assert_array_equal(ours.answers, theirs.answers[:, ORDER])
    assert turned.embeddings.words == net.embeddings.words
    assert turned.reads_last_token == net.reads_last_token


def test_other_wrappers_go_around_it_and_within() -> None:
    inputs = [("a",), ("b",)]
    within = MeanOfDraws(in_label_order(Drawn(), ["positive"]), 2)
    around = in_label_order(MeanOfDraws(Drawn(), 2), ["positive"])
    for victim in (within, around):
        assert (own_labels(victim), victim.labels[0]) == (FILM, "positive")
        assert getattr(victim, "fingerprint", None) == "made of dice"
        assert getattr(victim, "queries_a_text", None) == 2
        rows = victim.rows([as_variants([Text.of(text) for (text,) in inputs])])
        np.testing.assert_allclose(victim.launch(rows, np.arange(2)).result().values, [[0.5, 0.15, 0.35]] * 2)
        np.testing.assert_allclose(victim.check(inputs).result().values, [[0.5, 0.0, 0.5]] * 2)

    class Two(Toy):
        labels = ("no", "yes")

        def probabilities(self, inputs: Sequence[Input]) -> Any:
            return [[0.25, 0.75]] * len(inputs)

    sure = in_label_order(Thresholded(Two(), 0.8), ["yes", "no"])
    assert sure.check([("x",)]).result().values[0].argmax() == 1
    assert repr(sure) == "toy#threshold=0.8"


def test_a_wrapper_that_has_other_labels_has_its_own_order() -> None:
    class Joined(WrappedVictim):
        def __init__(self) -> None:
            super().__init__(Toy())
            self.labels = ("bad", "good")

    assert own_labels(Joined()) == ("bad", "good")
    assert own_labels(in_label_order(Joined(), ["good", "bad"])) == ("bad", "good")


def test_runs_of_both_kinds_are_read_by_name() -> None:
    labels = {"data_labels": ["positive", "negative"], "labels": list(FILM)}
    assert data_numbers(labels) == [1, -1, 0]  # numbered as the victim's
    now = {**labels, "labels": ["positive", "negative", "neutral"], "victim_labels": list(FILM)}
    assert data_numbers(now) == [0, 1, -1]
    by_number = {"data_labels": ["0", "2"], "labels": list(FILM)}
    assert data_numbers(by_number) == [0, -1, 1]
    by_number |= {"labels": ["negative", "positive", "neutral"], "victim_labels": list(FILM)}
    assert data_numbers(by_number) == [0, 1, -1]
    assert data_numbers({"data_labels": ["bad", "good"], "labels": ["0", "1"]}) == [0, 1]
