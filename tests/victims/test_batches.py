"""No call gets more texts than the batch allows; a batch that fails is halved, and what works is remembered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from unfool.errors import UserError
from unfool.victims import FunctionVictim, Pipeline, callable_victim, open_victim

ASKED = [(f"text {number}",) for number in range(300)]


class Model:
    """Answers by the number in a text, and notes how many texts each call has."""

    def __init__(self, *, bears: int = 10**9, chokes_on: str = "nothing", error: type[BaseException] = MemoryError):
        self.calls: list[int] = []
        self._bears, self._chokes_on, self._error = bears, chokes_on, error

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        self.calls.append(len(texts))
        if len(texts) > self._bears or self._chokes_on in texts:
            raise self._error("too much")
        shares = [int(text.rpartition(" ")[2]) / 1000 for text in texts]
        return [[1 - share, share] for share in shares]


def victim_of(model: Model, batch: int = 64) -> FunctionVictim:
    return callable_victim(model, ["a", "b"], batch=batch)


def test_a_function_is_never_asked_about_more_texts_at_once() -> None:
    model = Model()
    values, errors = victim_of(model).confirm(ASKED)
    assert not errors
    assert model.calls == [64, 64, 64, 64, 44]
    np.testing.assert_allclose(values[:, 1], np.arange(300) / 1000, atol=1e-6)


def test_a_pipeline_is_never_asked_about_more_texts_at_once() -> None:
    pytest.importorskip("sklearn")
    from tests.victims.test_victim_sklearn import fitted, logistic

    calls = list[int]()
    model = fitted(logistic())
    ask = model.predict_proba

    def counted(texts: Sequence[str]) -> Any:
        calls.append(len(texts))
        return ask(texts)

    model.predict_proba = counted
    victim = Pipeline(model, "it", batch=100)
    calls.clear()  # on opening it is asked about a few texts
    victim.confirm(ASKED)
    assert calls == [100, 100, 100]


@pytest.mark.parametrize("error", [MemoryError, RuntimeError, SystemExit])
def test_a_size_that_works_is_found_and_kept(error: type[BaseException]) -> None:
    model = Model(bears=20, error=error)
    victim = victim_of(model)
    values, errors = victim.confirm(ASKED)
    assert not errors
    np.testing.assert_allclose(values[:, 1], np.arange(300) / 1000, atol=1e-6)
    model.calls.clear()
    assert not victim.confirm(ASKED).errors
    assert set(model.calls) == {16, 300 % 16}


def test_a_bad_text_is_found_by_halving_and_shrinks_no_batch() -> None:
    model = Model(chokes_on="text 70", error=ValueError)
    victim = victim_of(model)
    for _ in range(3):
        model.calls.clear()
        _, errors = victim.confirm(ASKED)
        assert list(errors) == [70]
        assert " raised ValueError: too much at test_batches.py:" in str(errors[70])
        assert model.calls[0] == 64
        assert len(model.calls) == 5 + 2 * 6


def test_one_batch_that_fails_by_chance_shrinks_none_after_it() -> None:
    model = Model()
    failures = iter([True, False])

    def sometimes(texts: Sequence[str]) -> list[list[float]]:
        if len(texts) == 64 and next(failures, False):
            raise MemoryError
        return model(texts)

    victim = callable_victim(sometimes, ["a", "b"])
    assert not victim.confirm(ASKED).errors
    assert not victim.confirm(ASKED).errors
    assert model.calls == [32, 32, 64, 64, 64, 44, 64, 64, 64, 64, 44]


def test_another_number_of_answers_than_texts_costs_only_the_text_to_blame() -> None:
    def drops(texts: Sequence[str]) -> list[list[float]]:
        return [[0.5, 0.5] for text in texts if text != "text 3"]

    _, errors = callable_victim(drops, ["a", "b"]).confirm(ASKED)
    assert list(errors) == [3]
    assert "gave 0 answers for 1 texts" in str(errors[3])


def test_an_exit_is_an_error_of_the_text_that_causes_it() -> None:
    def leaves(texts: Sequence[str]) -> list[list[float]]:
        if "text 3" in texts:
            raise SystemExit(3)
        return [[0.5, 0.5] for _ in texts]

    _, errors = callable_victim(leaves, ["a", "b"]).confirm(ASKED)
    assert list(errors) == [3]
    assert str(errors[3]).endswith("called sys.exit(3)")


def test_the_batch_stands_behind_the_name() -> None:
    victim = open_victim("py:unfool.victims.vader:probabilities#batch=7")
    assert repr(victim) == "py:unfool.victims.vader:probabilities"  # it changes no answer
    with pytest.raises(UserError, match="cannot take batch=many; it takes a whole number"):
        open_victim("py:unfool.victims.vader:probabilities#batch=many")
    with pytest.raises(UserError, match="cannot take batch=0; give 1 or more"):
        open_victim("py:unfool.victims.vader:probabilities#batch=0")
    with pytest.raises(UserError, match="has no setting 'bach'; did you mean 'batch'"):
        open_victim("py:unfool.victims.vader:probabilities#bach=7")
