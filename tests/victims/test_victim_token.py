"""A token reaches the server and nothing else: no repr, no error, no traceback, no log."""

import logging
import traceback
from typing import Any

import pytest
from tests.victims.conftest import Reply, Serve

from unfool.errors import UserError
from unfool.victims import Endpoint

SECRET = "s3cr3t-t0k3n/with'quote"
LABELS = ["no", "yes"]


@pytest.fixture(autouse=True)
def _with_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNFOOL_TOKEN", SECRET)
    monkeypatch.setattr("unfool.victims.endpoint._insisting.FIRST_PAUSE_S", 0.01)


def everything_said(error: BaseException) -> str:
    """The error, its causes and contexts, and the local variables of every frame of ours it went through."""
    said = ""
    seen: list[BaseException] = []
    chain = [error]
    while chain:
        link = chain.pop()
        seen.append(link)
        said += repr(link) + str(link)
        frames = traceback.TracebackException.from_exception(link, capture_locals=True).stack
        said += str([frame.locals for frame in frames if frame.filename != __file__])
        chain += [other for other in (link.__cause__, link.__context__) if other and other not in seen]
    return said


def test_the_server_gets_the_token(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    got = []

    def answer(texts: list[Any], headers: dict[str, str]) -> Reply:
        got.append(headers["Authorization"])
        return Reply([[0.5, 0.5]] * len(texts))

    victim = Endpoint(serve(answer))
    assert got == [f"Bearer {SECRET}"]
    assert SECRET not in repr(victim)
    assert SECRET not in caplog.text
    assert SECRET not in repr(vars(victim)) + repr(vars(victim._client)) + repr(vars(victim._client._post))


def test_without_a_token_no_header_is_sent(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UNFOOL_TOKEN")
    got = []

    def answer(texts: list[Any], headers: dict[str, str]) -> Reply:
        got.append("Authorization" in headers)
        return Reply([[0.5, 0.5]] * len(texts))

    Endpoint(serve(answer))
    assert got == [False]


ECHOES = {
    "status": lambda token: Reply(f"bad token {token}", 500),
    "refusal": lambda token: Reply(f"bad token {token}", 422),
    "garbage": lambda token: Reply(f"<html>{token}</html>".encode()),
    "wrong shape": lambda token: Reply({"token": token}),
    "row of strings": lambda token: Reply([["x" * 60 + token, token]]),
    "object": lambda token: Reply([{"x" * 60 + token: token}]),
    "unknown label": lambda token: Reply(["x" * 60 + token]),
}


@pytest.mark.parametrize("echo", ECHOES.values(), ids=ECHOES)
def test_a_server_that_echoes_the_token_does_not_get_it_into_an_error(
    serve: Serve, echo: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    url = serve(lambda _, headers: echo(headers["Authorization"].removeprefix("Bearer ")))
    (error,) = Endpoint(url, LABELS, retries=1).confirm([("a",)]).errors.values()
    assert "***" in str(error)
    assert "s3cr3t" not in everything_said(error) + caplog.text
    with pytest.raises(UserError) as caught:
        Endpoint(url, retries=0)
    assert "s3cr3t" not in everything_said(caught.value)


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_token_ends_the_run_at_once_and_names_the_variable(serve: Serve, status: int) -> None:
    asked = []

    def refuse(texts: list[Any], headers: dict[str, str]) -> Reply:
        asked.append(texts)
        return Reply(headers["Authorization"], status)

    with pytest.raises(UserError, match=f"HTTP {status}: the token in the variable UNFOOL_TOKEN is not") as caught:
        Endpoint(serve(refuse), LABELS).confirm([("a",)])
    assert asked == [["a"]]
    assert "s3cr3t" not in everything_said(caught.value)


def test_a_missing_token_is_asked_for_by_name(serve: Serve) -> None:
    with pytest.raises(UserError, match="HTTP 401: set the variable MY_TOKEN to a token"):
        Endpoint(serve(lambda *_: Reply("", 401)), LABELS, token_env="MY_TOKEN").confirm([("a",)])


def test_errors_of_the_connection_do_not_show_it() -> None:
    (error,) = Endpoint("http://127.0.0.1:1/", LABELS, retries=0).confirm([("a",)]).errors.values()
    assert "s3cr3t" not in everything_said(error)


@pytest.mark.parametrize("token", ["s3cr3t\nX-Other: 1", "s3cr3té"])
def test_a_token_no_header_can_carry_is_refused_and_not_shown(monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    monkeypatch.setenv("UNFOOL_TOKEN", token)
    with pytest.raises(UserError, match="UNFOOL_TOKEN has characters") as caught:
        Endpoint("http://127.0.0.1:1/", LABELS)
    assert "s3cr3t" not in everything_said(caught.value)
