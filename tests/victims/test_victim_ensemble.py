"""An ensemble is the average of its members, computed by hand here."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from unfool.engine import Answers, Failure, Outcome, Status, attack_samples
from unfool.errors import UserError
from unfool.text import Sample, Text, as_variants
from unfool.victims import Ensemble, Input, TextVictim, callable_victim

ASKED = [("abc",), ("Abc Def",), ("",)]


def long(texts: Sequence[str]) -> list[list[float]]:
    return [[1 / (1 + len(text)), len(text) / (1 + len(text))] for text in texts]


def loud(texts: Sequence[str]) -> list[list[float]]:
    return [[0.1, 0.9] if any(map(str.isupper, text)) else [0.7, 0.3] for text in texts]


def always(row: list[float]) -> Callable[[Sequence[str]], list[list[float]]]:
    return lambda texts: [row] * len(texts)


def variants(*texts: str) -> Any:
    return [as_variants([Text.of(text) for text in texts])]


def test_two_functions_average_as_by_hand() -> None:
    ensemble = Ensemble([callable_victim(long), callable_victim(loud)])
    expected = []
    for first, second in zip(long([t for (t,) in ASKED]), loud([t for (t,) in ASKED]), strict=True):
        # The softmax of mean logarithms is the normalised geometric mean.
        means = [max(a, 1e-12) ** 0.5 * b**0.5 for a, b in zip(first, second, strict=True)]
        expected.append([mean / sum(means) for mean in means])
    values, errors = ensemble.confirm(ASKED)
    assert not errors
    np.testing.assert_allclose(values, expected, rtol=1e-5)
    rows = ensemble.rows(variants(*(text for (text,) in ASKED)))
    launched, _ = ensemble.launch(rows, np.array([2, 0])).result()
    np.testing.assert_array_equal(launched, values[[2, 0]])


def test_certainty_does_not_break_the_average() -> None:
    sure = [callable_victim(always(row)) for row in ([1.0, 0.0], [0.0, 1.0])]
    np.testing.assert_allclose(Ensemble(sure).confirm([("x",)]).values, [[0.5, 0.5]], rtol=1e-5)


def test_keys_differ_where_any_member_sees_a_difference() -> None:
    lower = callable_victim(long)
    lower.rows = lambda asked: StrippedRows(asked)  # type: ignore[method-assign, assignment, return-value]
    ensemble = Ensemble([lower, callable_victim(loud)])
    keys = ensemble.rows(variants("one", "ONE", "one", "two")).keys
    assert keys[0] == keys[2]
    assert len(set(keys.tolist())) == 3


class StrippedRows:
    """A member that is blind to case, as an uncased model is."""

    def __init__(self, asked: Any) -> None:
        texts = [str(text).lower() for variants in asked for text in variants]
        self.keys = np.array([hash(text) for text in texts], dtype=np.int64).view(np.uint64)


def test_equal_members_do_not_cancel_each_other_in_the_keys() -> None:
    ensemble = Ensemble([callable_victim(long), callable_victim(long)])
    keys = ensemble.rows(variants(*map(str, range(1000)))).keys
    assert len(set(keys.tolist())) == 1000


def test_an_error_of_any_member_is_an_error() -> None:
    def picky(texts: Sequence[str]) -> list[list[float]]:
        return [[float("nan"), 1.0] if text == "Abc Def" else [0.5, 0.5] for text in texts]

    values, errors = Ensemble([callable_victim(long), callable_victim(picky)]).confirm(ASKED)
    assert list(errors) == [1]
    assert "picky" in str(errors[1])
    assert np.isfinite(values).all()


def test_labels_match_by_name_in_any_order() -> None:
    one, other = callable_victim(long, labels=["no", "yes"]), callable_victim(loud, labels=["Yes", "No"])

    def turned(texts: Sequence[str]) -> list[list[float]]:
        return [row[::-1] for row in loud(texts)]

    joined = Ensemble([one, other])
    assert joined.labels == ("no", "yes")
    plain = Ensemble([one, callable_victim(turned, labels=["no", "yes"])])
    np.testing.assert_array_equal(joined.confirm(ASKED).values, plain.confirm(ASKED).values)
    rows = joined.rows(variants(*(text for (text,) in ASKED)))
    np.testing.assert_array_equal(joined.launch(rows, np.arange(3)).result().values, plain.confirm(ASKED).values)


def test_other_labels_are_refused_with_a_way_out() -> None:
    one, other = (
        callable_victim(long, labels=["neg", "pos"]),
        callable_victim(loud, labels=["NEGATIVE", "POSITIVE"]),
    )
    with pytest.raises(UserError, match=r"\['neg', 'pos'\].*\['NEGATIVE', 'POSITIVE'\].*name them alike"):
        Ensemble([one, other])


def test_wrong_ensembles_are_refused() -> None:
    with pytest.raises(UserError, match="at least one"):
        Ensemble([])
    with pytest.raises(UserError, match="unknown average 'mean'"):
        Ensemble([callable_victim(long)], average="mean")  # type: ignore[arg-type]
    with pytest.raises(UserError, match=r"gives no logits .*: ensemble:A\+B"):
        Ensemble([callable_victim(long)], average="logits")


class Linear(TextVictim):
    """A victim whose logits are its text's length, times a weight."""

    labels = ("0", "1")

    def __init__(self, weight: float, decimals: int, approximate: bool) -> None:
        self.weight, self.decimals, self.approximate = weight, decimals, approximate

    def probabilities(self, _: Sequence[Input]) -> Any:
        raise AssertionError("asked for probabilities")

    def launch_logits(self, rows: Any, chosen: NDArray[np.intp]) -> Any:
        return _Ready(self.confirm_logits([rows.inputs[number] for number in chosen]))

    def confirm_logits(self, inputs: Sequence[Input]) -> Answers:
        values = [[5.0, 5.0 + self.weight * len(text)] for (text,) in inputs]
        return Answers(np.array(values, dtype=np.float32), {})


class _Ready:
    def __init__(self, answers: Answers) -> None:
        self.result = lambda: answers


def test_mean_logits_of_members_that_give_them() -> None:
    members = [Linear(0.5, 5, False), Linear(-0.1, 3, True)]
    ensemble = Ensemble(members, average="logits")
    assert (ensemble.decimals, ensemble.approximate) == (3, True)
    values, _ = ensemble.confirm(ASKED)
    np.testing.assert_allclose(values[:, 1], [1 / (1 + np.exp(-0.2 * len(text))) for (text,) in ASKED], rtol=1e-5)
    rows = ensemble.rows(variants(*(text for (text,) in ASKED)))
    np.testing.assert_array_equal(ensemble.launch(rows, np.arange(3)).result().values, values)


def test_mean_logits_are_told_where_they_are_averaged() -> None:
    members = [Linear(0.5, 5, False), Linear(-0.1, 3, True)]
    ensemble = Ensemble(members, average="logits")
    wanted = [[5.0, 5.0 + 0.2 * len(text)] for (text,) in ASKED]
    np.testing.assert_allclose(ensemble.confirm_logits(ASKED).values, wanted, rtol=1e-6)
    rows = ensemble.rows(variants(*(text for (text,) in ASKED)))
    np.testing.assert_allclose(
        ensemble.launch_logits(rows, np.array([2, 0])).result().values, [wanted[2], wanted[0]]
    )
    nested = Ensemble([ensemble, members[0]], average="logits")
    assert nested.confirm_logits(ASKED).values[0, 1] == pytest.approx(5 + 3 * 0.35)
    assert not hasattr(Ensemble(members), "launch_logits")


def test_an_ensemble_is_known_again_by_its_members_and_works_where_they_do() -> None:
    members = [Linear(0.5, 5, False), Linear(-0.1, 3, True)]
    assert Ensemble(members).fingerprint is None
    assert Ensemble(members).device is None
    members[1].fingerprint, members[1].device = "trained once", "cuda"
    before = Ensemble(members)
    assert before.device == "cuda"
    assert Ensemble(members).fingerprint == before.fingerprint
    members[1].fingerprint = "trained again"
    assert Ensemble(members).fingerprint != before.fingerprint


def test_the_engine_attacks_an_ensemble() -> None:
    async def shout(sample: Sample, ask: Any) -> Text:
        trial = sample.text.replace(0, sample.text.words[0].upper())
        return trial if await ask.fooled(trial) else sample.text

    even = callable_victim(always([0.5, 0.5]))
    found: list[Outcome | Failure] = []
    for done in attack_samples(Ensemble([even, callable_victim(loud)]), [Sample(0, Text.of("x"), 0)], shout):
        found += done
    (outcome,) = found
    assert isinstance(outcome, Outcome)
    assert outcome.status is Status.SUCCESS
    assert outcome.perturbed == ("X",)
