"""An endpoint over real HTTP on the loopback: what it sends, what it accepts, and how it takes failures."""

import gc
import random
import threading
import time
import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tests.victims.conftest import Reply, Serve

from unfool.engine import Ask, Failure, Outcome, attack_samples
from unfool.errors import UserError, VictimError
from unfool.text import Sample, Text, as_variants
from unfool.victims import Endpoint

LABELS = ["consonant", "vowel"]


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unfool.victims.endpoint._insisting.FIRST_PAUSE_S", 0.01)
    monkeypatch.delenv("UNFOOL_TOKEN", raising=False)


def model(texts: Sequence[Any]) -> list[list[float]]:
    """The model behind the server: the share of vowels."""
    shares = [sum(letter in "aeiou" for letter in "".join(text)) / max(1, len("".join(text))) for text in texts]
    return [[1 - share, share] for share in shares]


def honest(texts: list[Any], _: dict[str, str]) -> Reply:
    return Reply({"probabilities": model(texts)})


def inputs(*texts: str) -> list[tuple[str, ...]]:
    return [(text,) for text in texts]


class Flaky:
    """Fails one request in five, keeps one in twenty waiting, and talks nonsense to one in a hundred."""

    def __init__(self, seed: int, patience: float) -> None:
        self._random, self._lock, self._patience = random.Random(seed), threading.Lock(), patience
        self.fates: Counter[str] = Counter()

    def __call__(self, texts: list[Any], _: dict[str, str]) -> Reply:
        with self._lock:
            draw = self._random.random()
            fate = "500" if draw < 0.2 else "late" if draw < 0.25 else "garbage" if draw < 0.26 else "good"
            self.fates[fate] += 1
        if fate == "500" or any("poison" in text for text in texts):
            return Reply("out of memory", status=500)
        if fate == "late":
            time.sleep(2 * self._patience)
        return Reply(b"<html>" if fate == "garbage" else {"probabilities": model(texts)})


def test_texts_and_pairs_come_back_in_order(serve: Serve) -> None:
    victim = Endpoint(serve(honest), batch=3)
    assert victim.labels == ("0", "1")
    texts = ["a" * number + "b" * (9 - number) for number in range(10)]
    values, errors = victim.confirm(inputs(*texts))
    assert not errors
    np.testing.assert_allclose(values, model(texts), rtol=1e-6)
    pair = Text.pair(("premise", "aab"), ("hypothesis", "bbb"))
    values, errors = victim.launch(victim.rows([as_variants(pair)]), np.arange(1)).result()
    assert not errors
    np.testing.assert_allclose(values, [[4 / 6, 2 / 6]], rtol=1e-6)


@pytest.mark.parametrize("texts", [[], ["\ud800 half a pair"], ["é 你好 \u0000"], [""]])
def test_any_text_can_be_sent(serve: Serve, texts: list[str]) -> None:
    values, errors = Endpoint(serve(honest), LABELS).confirm(inputs(*texts))
    assert not errors
    np.testing.assert_allclose(values, np.reshape(model(texts), (-1, 2)), rtol=1e-6)


@pytest.mark.parametrize(
    "body",
    [
        {"probabilities": [[1, 0], [0, 1]]},
        {"labels": [0, 1]},
        {"labels": ["consonant", "vowel"]},
        {"predictions": [[1, 0], [0, 1]]},
        {"predictions": ["consonant", "vowel"]},
        [[1.0, 0.0], [0.0, 1.0]],
        [0, 1],
        ["consonant", "vowel"],
    ],
)
def test_every_form_of_answer_is_understood(serve: Serve, body: Any) -> None:
    values, errors = Endpoint(serve(lambda *_: Reply(body)), LABELS).confirm(inputs("b", "a"))
    assert not errors
    np.testing.assert_array_equal(values, [[1, 0], [0, 1]])


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ([float("nan"), 1.0], "not a finite number"),
        ([0.2, 0.3, 0.5], "shape"),
        ([-1.0, 2.0], "no probabilities (-1 is negative)"),
        (["much", "little"], "expected 2 probabilities or a label"),
        ([True, False], "expected 2 probabilities or a label"),
        ([[0.5, 0.5]], "expected 2 probabilities or a label"),
        (None, "answered None"),
        ({"vowel": "much"}, "expected 2 probabilities or a label"),
        ({"vovel": 1.0}, "expected a score for each of the labels"),
        (2, "expected one of the labels"),
        (-1, "expected one of the labels"),
        (True, "expected 2 probabilities or a label"),
        ("vovel", "expected one of the labels"),
    ],
)
def test_a_wrong_row_is_asked_again_then_given_up_alone(serve: Serve, row: Any, said: str) -> None:
    asked: Counter[str] = Counter()

    def answer(texts: list[str], _: dict[str, str]) -> Reply:
        asked.update(texts)
        return Reply({"probabilities": [row if text == "odd" else [0.5, 0.5] for text in texts]})

    _, errors = Endpoint(serve(answer), LABELS, retries=2).confirm(inputs("one", "odd", "two"))
    assert list(errors) == [1]
    assert said in str(errors[1])
    assert asked == {"one": 1, "two": 1, "odd": 3}


@pytest.mark.parametrize("answered_before", [False, True])
def test_a_server_that_never_answered_well_is_not_insisted_on_for_every_text(
    serve: Serve, answered_before: bool
) -> None:
    asked: Counter[str] = Counter()

    def answer(texts: list[str], _: dict[str, str]) -> Reply:
        asked.update(texts)
        return Reply({"probabilities" if texts == ["good"] else "scores": [[0.5, 0.5] for _ in texts]})

    endpoint = Endpoint(serve(answer), LABELS, retries=2)
    if answered_before:
        assert not endpoint.confirm(inputs("good")).errors
    assert sorted(endpoint.confirm(inputs("a", "b", "c")).errors) == [0, 1, 2]
    others = 6 if answered_before else 4
    assert (asked["a"], asked["b"], asked["c"]) == (6, others, others)


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"\xff\xfe\x00", b"[" * 100_000, [], [[1, 0]], {}, {"probabilities": None}, None, 1, "ab"],
)
def test_a_wrong_whole_is_an_error_for_every_text(serve: Serve, body: Any) -> None:
    answers = Endpoint(serve(lambda *_: Reply(body)), LABELS, retries=1).confirm(inputs("a", "b"))
    good = body == [[1, 0]]  # too few for two texts, and just right for one
    assert sorted(answers.errors) == ([] if good else [0, 1])
    assert all(isinstance(error, VictimError) for error in answers.errors.values())


def test_a_flaky_server_loses_nothing_and_answers_do_not_depend_on_its_luck(serve: Serve) -> None:
    texts = [f"text number {number} {'a' * (number % 7)}" for number in range(400)]
    texts[50], texts[51], texts[333] = "poison", "more poison", "the last poison"
    given = []
    for seed in (0, 1):
        server = Flaky(seed, patience=0.5)
        victim = Endpoint(serve(server), LABELS, timeout=0.5, batch=4)
        values, errors = victim.confirm(inputs(*texts))
        assert sorted(errors) == [50, 51, 333]
        assert all('HTTP 500: "out of memory"' in str(error) for error in errors.values())
        assert min(server.fates["500"], server.fates["late"], server.fates["garbage"]) > 0
        given.append(np.delete(values, list(errors), axis=0))
    np.testing.assert_array_equal(given[0], given[1])
    np.testing.assert_allclose(given[0], np.delete(model(texts), [50, 51, 333], axis=0), rtol=1e-6)


def test_an_attack_over_a_flaky_server_gives_one_result_a_sample(serve: Serve) -> None:
    async def vowelize(sample: Sample, ask: Ask) -> Text:
        text = sample.text
        for position in text.editable:
            text = text.replace(position, "aeiou")
            if await ask.fooled(text):
                break
        return text

    samples = [Sample(n, Text.of(f"rhythm {n} myths" if n % 10 else f"poison {n}"), 0) for n in range(40)]
    victim = Endpoint(serve(Flaky(3, patience=0.5)), LABELS, timeout=0.5)
    found: list[Outcome | Failure] = [
        result for results in attack_samples(victim, samples, vowelize, width=16) for result in results
    ]
    assert sorted(result.id for result in found) == list(range(40))
    failed = {result.id: result for result in found if isinstance(result, Failure)}
    assert set(failed) == set(range(0, 40, 10))
    assert all("HTTP 500" in failure.error for failure in failed.values())
    flawless = [
        result
        for results in attack_samples(Endpoint(serve(honest), LABELS), samples, vowelize)
        for result in results
        if result.id not in failed
    ]
    by_id = {result.id: result for result in found}
    assert [by_id[result.id] for result in flawless] == flawless


def test_launch_returns_at_once(serve: Serve) -> None:
    released = threading.Event()

    def waiting(texts: list[str], headers: dict[str, str]) -> Reply:
        released.wait(60)
        return honest(texts, headers)

    victim = Endpoint(serve(waiting), LABELS, batch=1, concurrency=4)
    texts = ["a", "b", "c", "d"]
    started = time.monotonic()
    pending = victim.launch(victim.rows([as_variants([Text.of(text) for text in texts])]), np.arange(4))
    assert time.monotonic() - started < 30
    released.set()
    np.testing.assert_allclose(pending.result().values, model(texts), rtol=1e-6)


def test_requests_run_at_once_but_no_more_than_allowed(serve: Serve) -> None:
    lock, running, most = threading.Lock(), 0, 0

    def slow(texts: list[str], headers: dict[str, str]) -> Reply:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.05)
        with lock:
            running -= 1
        return honest(texts, headers)

    Endpoint(serve(slow), LABELS, batch=1, concurrency=3).confirm(inputs(*map(str, range(12))))
    assert most == 3


def test_the_rate_holds_for_all_threads_together(serve: Serve) -> None:
    times = []

    def timed(texts: list[str], headers: dict[str, str]) -> Reply:
        times.append(time.monotonic())
        return honest(texts, headers)

    Endpoint(serve(timed), LABELS, rate=40, batch=1, concurrency=8).confirm(inputs(*map(str, range(21))))
    assert len(times) == 21
    assert max(times) - min(times) >= 20 / 40 * 0.9


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503])
def test_what_may_pass_is_tried_again(serve: Serve, status: int) -> None:
    replies = iter([Reply("busy", status), Reply("busy", status)])
    victim = Endpoint(serve(lambda texts, headers: next(replies, honest(texts, headers))), LABELS)
    assert not victim.confirm(inputs("a")).errors


@pytest.mark.parametrize("status", [302, 400, 404, 422])
def test_what_cannot_pass_is_not_tried_again_with_the_same_texts(serve: Serve, status: int) -> None:
    asked = []

    def answer(texts: list[str], headers: dict[str, str]) -> Reply:
        asked.append(texts)
        return Reply("no bad texts here", status) if "bad" in texts else honest(texts, headers)

    _, errors = Endpoint(serve(answer), LABELS).confirm(inputs("a", "bad", "c"))
    assert list(errors) == [1]
    assert f'HTTP {status}: "no bad texts here"' in str(errors[1])
    assert sorted(asked) == [["a"], ["a", "bad", "c"], ["bad"], ["c"]]


def test_all_threads_rest_when_the_server_asks_for_it(serve: Serve) -> None:
    times: list[float] = []

    def answer(texts: list[str], headers: dict[str, str]) -> Reply:
        times.append(time.monotonic())
        return Reply("", 429, {"Retry-After": "0.5"}) if len(times) == 1 else honest(texts, headers)

    victim = Endpoint(serve(answer), LABELS, batch=1, concurrency=1)
    assert not victim.confirm(inputs("a", "b")).errors
    assert len(times) == 3
    assert times[1] - times[0] >= 0.45


@pytest.mark.parametrize(
    ("header", "least", "most"),
    [("3", 3, 3), ("1e9", 60, 60), ("-1", 0, 0), ("soon", 0, 0), ("", 0, 0), ("in the future", 5, 20)],
)
def test_how_long_a_server_may_ask_to_wait(header: str, least: float, most: float) -> None:
    from email.utils import formatdate

    from unfool.victims.endpoint import retry_after_seconds

    given = formatdate(time.time() + 15, usegmt=True) if header == "in the future" else header
    assert least <= retry_after_seconds(given) <= most


def test_a_server_that_is_gone_is_an_error_for_every_text(serve: Serve) -> None:
    victim = Endpoint("http://127.0.0.1:1/", LABELS, retries=1, batch=2)
    _, errors = victim.confirm(inputs("a", "b", "c"))
    assert sorted(errors) == [0, 1, 2]
    assert "http://127.0.0.1:1/ did not answer (ConnectError" in str(errors[0])


def test_classes_are_learned_from_one_answer_despite_failures(serve: Serve) -> None:
    replies = iter([Reply("", 500), Reply(b"<html>"), Reply([[0.2, 0.3, 0.5]])])
    assert Endpoint(serve(lambda *_: next(replies))).labels == ("0", "1", "2")


def test_classes_of_an_endpoint_for_pairs_are_learned_from_a_pair(serve: Serve) -> None:
    def pairs_only(texts: list[Any], headers: dict[str, str]) -> Reply:
        return honest(texts, headers) if isinstance(texts[0], list) else Reply("pairs only", 422)

    assert Endpoint(serve(pairs_only)).labels == ("0", "1")


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (
            Reply({"labels": ["vowel"]}),
            "answers with one label a text, not with all; say with --labels which it has",
        ),
        (Reply([[1.0]]), "expected probabilities, one a class; give the endpoint's labels"),
        (Reply("", 500), "HTTP 500.*give the endpoint's labels"),
    ],
)
def test_classes_that_cannot_be_learned_must_be_given(serve: Serve, reply: Reply, said: str) -> None:
    with pytest.raises(UserError, match=said):
        Endpoint(serve(lambda *_: reply), retries=1)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("ftp://host/x", "'ftp://host/x' is no address of an endpoint"),
        ("file:///etc/passwd", "is no address of an endpoint"),
        ("host/x", "is no address of an endpoint"),
        ("http://", "is no address of an endpoint"),
        ("http://host:port/", "is no address"),
    ],
)
def test_only_web_addresses_are_taken(url: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        Endpoint(url, LABELS)


@pytest.mark.parametrize("url", ["http://me:hunter2@host/", "ftp://hunter2@host", "http://me:hunter2@host:port/"])
def test_a_password_in_the_address_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(UserError, match="put a token in the environment") as caught:
        Endpoint(url, LABELS)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("option", ["timeout", "rate", "batch", "concurrency"])
def test_limits_must_be_positive(option: str) -> None:
    with pytest.raises(UserError, match=f"{option} is 0; it must be more than zero"):
        Endpoint("http://host/", LABELS, **{option: 0})  # type: ignore[arg-type]


def test_the_repr_makes_the_endpoint_anew(serve: Serve) -> None:
    url = serve(honest)
    assert repr(Endpoint(url)) == f"Endpoint({url!r})"
    named = Endpoint(url, LABELS, rate=5.0, token_env="MY_TOKEN")
    assert repr(eval(repr(named))) == repr(named)
    assert "MY_TOKEN" in repr(named)


def test_an_interrupted_wait_gives_up_requests_and_the_endpoint_still_works(serve: Serve) -> None:
    asked = Counter[str]()

    def answer(texts: list[str], headers: dict[str, str]) -> Reply:
        asked.update(texts)
        return Reply("", 403) if texts == ["forbidden"] else honest(texts, headers)

    victim = Endpoint(serve(answer), LABELS, batch=1, concurrency=1, rate=20)
    many = [str(number) for number in range(200)]
    with pytest.raises(UserError, match="HTTP 403"):
        victim.confirm(inputs("forbidden", *many))
    time.sleep(0.2)
    assert len(asked) < 20
    assert not victim.confirm(inputs("a")).errors


def test_connections_end_with_the_endpoint(serve: Serve) -> None:
    victim = Endpoint(serve(honest), LABELS)
    victim.confirm(inputs("a", "b"))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        del victim
        gc.collect()
    assert not [str(warning.message) for warning in said if "unclosed" in str(warning.message)]
