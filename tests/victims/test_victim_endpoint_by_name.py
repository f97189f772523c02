"""An endpoint by name: what stands behind the # is kept to, and never sent."""

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.command import REVIEWS, attack, fetch_or_skip, results, unfool
from tests.victims.conftest import Reply, Serve

from unfool.errors import UserError
from unfool.rules import mine_rules
from unfool.transfer import short_name
from unfool.victims import Endpoint, Options, open_victim

NOWHERE = "http://127.0.0.1:1/predict"
SECRET = "s3cr3t-t0k3n"


@pytest.fixture(autouse=True)
def _no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unfool.victims.endpoint._insisting.FIRST_PAUSE_S", 0.01)
    monkeypatch.delenv("UNFOOL_TOKEN", raising=False)


class Server:
    """Finds every text with an "a" good, after a while, and notes how it was asked."""

    def __init__(self, patience: float = 0.0) -> None:
        self._patience, self._lock, self._running = patience, threading.Lock(), 0
        self.times: list[float] = []
        self.sizes: list[int] = []
        self.tokens: set[str | None] = set()
        self.most_at_once = 0

    def __call__(self, texts: list[Any], headers: dict[str, str]) -> Reply:
        with self._lock:
            self.times.append(time.monotonic())
            self.sizes.append(len(texts))
            self.tokens.add(headers.get("Authorization"))
            self._running += 1
            self.most_at_once = max(self.most_at_once, self._running)
        time.sleep(self._patience)
        with self._lock:
            self._running -= 1
        return Reply({"probabilities": [[0.3, 0.7] if "a" in text else [0.8, 0.2] for text in texts]})

    def require_rate(self, rate: float) -> None:
        assert len(self.times) > 4
        assert max(self.times) - min(self.times) >= (len(self.times) - 1) / rate * 0.9


def ask(victim: Any, number: int = 12) -> Any:
    return victim.confirm([(f"text {n}",) for n in range(number)])


def test_rate_and_batch_hold_from_the_first_request_on(serve: Serve) -> None:
    server = Server()
    victim = open_victim(f"{serve(server)}#rate=20,batch=2")
    assert not ask(victim).errors
    assert server.sizes == [1, *[2] * 6]  # the first one asks how many classes there are
    server.require_rate(20)


def test_concurrency_holds(serve: Serve) -> None:
    server = Server(patience=0.05)
    ask(open_victim(f"{serve(server)}#concurrency=3,batch=1"))
    assert server.most_at_once == 3


def test_timeout_and_retries_hold(serve: Serve) -> None:
    server = Server(patience=0.4)
    victim = open_victim(f"{serve(server)}#timeout=0.1,retries=1,labels=bad|good")
    (error,) = ask(victim, 1).errors.values()
    assert "did not answer within 0.1 s" in str(error)
    assert len(server.times) == 2


def test_labels_of_the_name_come_before_those_of_the_command() -> None:
    options = Options(labels=["no", "yes"])
    assert open_victim(NOWHERE, options).labels == ("no", "yes")
    assert open_victim(f"{NOWHERE}#labels= bad | good ,rate=none", options).labels == ("bad", "good")
    assert open_victim(f"{NOWHERE}#labels=so%2Cso|A%2B|a%7Cb").labels == ("so,so", "A+", "a|b")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("rat=5", "an endpoint has no setting 'rat'; did you mean 'rate'?"),
        ("label=a|b", "did you mean 'labels'?"),
        (
            "colour=red",
            "there is batch, concurrency, labels, positive, rate, retries, threshold, timeout, token_env",
        ),
        ("url=http://other/", "an endpoint has no setting 'url'"),
        ("rate=fast", "an endpoint cannot take rate=fast; it takes a number"),
        ("batch=2.5", "an endpoint cannot take batch=2.5; it takes a whole number"),
        ("rate=0", "an endpoint's rate is 0.0; it must be more than zero, and finite"),
        ("rate=nan", "an endpoint's rate is nan; it must be more than zero, and finite"),
        ("timeout=inf", "an endpoint's timeout is inf; it must be more than zero, and finite"),
        ("retries=-1", "an endpoint's retries are -1; give zero or more"),
        ("slowly", "cannot read 'slowly' in '#slowly'; settings are written key=value, with commas between"),
        ("labels=bad,good", "labels have bars between: labels=neg|pos"),
        ("labels=bad", "labels ['bad'] for http://127.0.0.1:1/predict: give at least two different names"),
    ],
)
def test_what_it_does_not_take_is_told(settings: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        open_victim(f"{NOWHERE}#{settings}")
    assert said in str(caught.value)


@pytest.mark.parametrize("settings", ["rate=5", "rate=fast", "slowly", "colour=red", "labels=bad"])
def test_a_password_in_the_address_is_not_shown(settings: str) -> None:
    with pytest.raises(UserError) as caught:
        open_victim(f"http://me:hunter2@127.0.0.1:1/#{settings}")
    assert "hunter2" not in str(caught.value)


def test_a_token_is_named_by_its_variable_alone(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", SECRET)
    server = Server()
    victim = open_victim(f"{serve(server)}#token_env=MY_TOKEN")
    assert server.tokens == {f"Bearer {SECRET}"}
    assert "MY_TOKEN" in repr(victim)
    assert SECRET not in repr(victim)
    with pytest.raises(UserError, match="give the name of one, never a token") as caught:
        open_victim(f"{NOWHERE}#token_env={SECRET}")
    assert SECRET not in str(caught.value)


def test_members_of_an_ensemble_have_their_own(serve: Serve) -> None:
    one, other = Server(), Server()
    name = f"ensemble:{serve(one)}#batch=2,labels=bad|A%2B+{serve(other)}#batch=3,labels=bad|A%2B"
    victim = open_victim(name)
    assert victim.labels == ("bad", "A+")
    assert not ask(victim).errors
    assert (set(one.sizes), set(other.sizes)) == ({2}, {3})


def test_limits_are_no_part_of_what_an_endpoint_is_called() -> None:
    limited = open_victim(f"{NOWHERE}#labels=bad|good,timeout=1,retries=1,rate=5,batch=4,concurrency=2")
    assert repr(limited) == f"Endpoint({NOWHERE!r}, labels=['bad', 'good'])"
    assert short_name("https://host/predict#rate=5,batch=4") == "https://host/predict"
    assert short_name("ensemble:zoo:LSTM@mr+http://host/#rate=5") == "LSTM+http://host/"


def test_an_address_that_would_not_be_read_to_its_end_is_refused() -> None:
    with pytest.raises(UserError, match="open it by name with open_victim"):
        Endpoint(f"{NOWHERE}#rate=5", ["bad", "good"])


def test_limits_that_several_processes_would_break_are_refused() -> None:
    with pytest.raises(UserError, match=r"each of 3 workers would keep the endpoint's rate=5\.0 by itself"):
        open_victim(f"{NOWHERE}#rate=5,batch=4", Options(processes=3))
    unlimited = open_victim(f"{NOWHERE}#batch=4,rate=none,labels=bad|good", Options(processes=3))
    assert unlimited.labels == ("bad", "good")


def test_mining_in_several_processes_is_refused_before_it_begins(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="each of 2 workers would keep the endpoint's concurrency=2"):
        mine_rules([f"{NOWHERE}#concurrency=2"], str(REVIEWS), tmp_path / "rules.json", split=None, workers=2)
    assert not any(tmp_path.iterdir())


def test_a_run_keeps_to_its_limits_and_goes_on_with_others(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch_or_skip("counter-fitted")
    monkeypatch.setenv("MY_TOKEN", SECRET)
    server = Server()
    url = serve(server)
    always = "labels=bad|good,token_env=MY_TOKEN"

    def run(settings: str, *more: object) -> Any:
        return unfool(*attack(f"{url}#{settings}", "random", "run", "--n", 20, *more), cwd=tmp_path)

    assert run(f"{always},rate=20,batch=4,concurrency=2").code == 0
    assert max(server.sizes) == 4
    assert server.most_at_once <= 2
    server.require_rate(20)

    config = json.loads((tmp_path / "run" / "config.json").read_bytes())
    assert config["victim"] == f"Endpoint({url!r}, labels=['bad', 'good'], token_env='MY_TOKEN')"
    assert not any(SECRET in path.read_text() for path in (tmp_path / "run").iterdir())

    # As if it had been stopped before the last ten were done.
    before = results(tmp_path / "run")
    outcomes = tmp_path / "run" / "outcomes.jsonl"
    outcomes.write_bytes(b"".join(outcomes.read_bytes().splitlines(keepends=True)[:10]))
    (tmp_path / "run" / "summary.json").unlink()
    assert run(f"{always},rate=200,timeout=20,retries=2", "--resume").code == 0
    assert results(tmp_path / "run") == before

    other_labels = run("labels=good|bad,token_env=MY_TOKEN", "--resume")
    assert other_labels.code == 2
    assert "run was begun with other settings (the labels were " in other_labels.err
    too_many = run(f"{always},concurrency=2", "--workers", 2)
    assert (too_many.code, "give --workers 1" in too_many.err) == (2, True)
