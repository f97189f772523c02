"""A server that generates, over real HTTP on the loopback: three forms, failures, and a token nobody sees."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from unfool.errors import UserError, VictimError
from unfool.generation import Output, open_generator

Answer = Callable[[dict[str, Any], dict[str, str]], tuple[int, Any]]
SECRET = "open-sesame-1234"


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unfool.victims.endpoint._insisting.FIRST_PAUSE_S", 0.01)
    monkeypatch.delenv("UNFOOL_TOKEN", raising=False)


@pytest.fixture
def serve() -> Iterator[Callable[[Answer], str]]:
    servers = []

    def start(answer: Answer) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status, said = answer(asked, dict(self.headers))
                body = said if isinstance(said, bytes) else json.dumps(said).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}/translate"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def ours(asked: dict[str, Any]) -> Any:
    return {"outputs": [[text.upper(), -1.0] for text in asked["texts"]]}


def libretranslate(asked: dict[str, Any]) -> Any:
    assert (asked["source"], asked["target"], asked["format"]) == ("auto", "de", "text")
    return {"translatedText": [text.upper() for text in asked["q"]]}


def huggingface(asked: dict[str, Any]) -> Any:
    assert asked["parameters"] == {"src_lang": "en_XX", "tgt_lang": "de_DE"}
    return [{"translation_text": text.upper()} for text in asked["inputs"]]


@pytest.mark.parametrize(
    ("settings", "form", "chance"),
    [
        ("", ours, -1.0),
        ("#form=libretranslate,target=de,batch=2", libretranslate, None),
        ("#form=huggingface,source=en_XX,target=de_DE", huggingface, None),
    ],
)
def test_servers_speak_three_forms(
    serve: Callable[[Answer], str], settings: str, form: Callable[[Any], Any], chance: float | None
) -> None:
    model = open_generator(serve(lambda asked, _: (200, form(asked))) + settings)
    wanted = [Output(text, chance) for text in "ABCDE"]
    assert model.generate(list("abcde")) == wanted
    assert model.generate_exactly(list("abcde")) == wanted
    assert repr(open_generator(repr(model))) == repr(model)


def test_languages_are_sent_along_if_they_are_given(serve: Callable[[Answer], str]) -> None:
    seen: list[dict[str, Any]] = []

    def answer(asked: dict[str, Any], _: dict[str, str]) -> tuple[int, Any]:
        seen.append(asked)
        return 200, ours(asked)

    open_generator(serve(answer) + "#source=en,target=de").generate(["a"])
    assert seen == [{"texts": ["a"], "source": "en", "target": "de"}]


def test_a_poisonous_text_costs_itself_alone(serve: Callable[[Answer], str]) -> None:
    def answer(asked: dict[str, Any], _: dict[str, str]) -> tuple[int, Any]:
        return (500, "out of memory") if "poison" in asked["texts"] else (200, ours(asked))

    found = open_generator(serve(answer) + "#retries=1").generate(["a", "poison", "b"])
    assert [isinstance(each, VictimError) for each in found] == [False, True, False]
    assert "HTTP 500" in str(found[1])


@pytest.mark.parametrize("said", [b"<html>", {"outputs": ["one too many", "x"]}, {"outputs": [7]}, {}, [], None])
def test_nonsense_is_an_error_of_the_text(serve: Callable[[Answer], str], said: Any) -> None:
    (found,) = open_generator(serve(lambda *_: (200, said)) + "#retries=0").generate(["a"])
    assert isinstance(found, VictimError)
    assert "expected" in str(found) or "not JSON" in str(found)


def test_an_answer_may_pass(serve: Callable[[Answer], str]) -> None:
    statuses = iter([503, 429, 200])
    model = open_generator(serve(lambda asked, _: (next(statuses), ours(asked))))
    assert model.generate(["a"]) == [Output("A", -1.0)]


def test_the_token_is_sent_and_never_shown(
    serve: Callable[[Answer], str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("UNFOOL_TOKEN", SECRET)
    caplog.set_level(logging.DEBUG)

    def answer(asked: dict[str, Any], headers: dict[str, str]) -> tuple[int, Any]:
        assert asked["api_key"] == SECRET
        return 200, {"translatedText": [f"{SECRET}" if text == "echo" else 1 for text in asked["q"]]}

    model = open_generator(serve(answer) + "#form=libretranslate,target=de,retries=0")
    (found,) = model.generate(["a"])
    assert isinstance(found, VictimError)
    assert SECRET not in repr(model) + repr(found) + str(found) + caplog.text


def test_a_refused_token_ends_the_run(serve: Callable[[Answer], str]) -> None:
    with pytest.raises(UserError, match="set the variable UNFOOL_TOKEN"):
        open_generator(serve(lambda *_: (403, {}))).generate(["a"])
