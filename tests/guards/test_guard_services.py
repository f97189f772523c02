"""Guards that are services, against servers on loopback that answer in their documented forms."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import pytest

pytest.importorskip("httpx")

from unfool.errors import UserError
from unfool.guards import find_profile
from unfool.victims import open_victim

TEXTS = [("an attack",), ("a fine day",)]


class Refused(NamedTuple):
    """What a server says that does not serve."""

    status: int
    headers: dict[str, str]


Serve = Callable[[Callable[[str, Any, Any], Any]], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    servers = []

    def start(answer: Callable[[str, Any, Any], Any]) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                said = answer(self.path, asked, self.headers)
                refused = said if isinstance(said, Refused) else None
                body = json.dumps({} if refused else said).encode()
                self.send_response(refused.status if refused else 200)
                for name, value in refused.headers.items() if refused else ():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return f"http://127.0.0.1:{server.server_address[1]}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def blocked(profile: str) -> list[float]:
    guard = find_profile(profile)
    victim = open_victim(guard.victim)
    answers = victim.check(TEXTS).result()
    assert not answers.errors
    return [float(row[victim.labels.index(guard.blocks)]) for row in answers.values]


def test_openais_moderation_decides_by_its_flag(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(path: str, asked: Any, headers: Any) -> Any:
        assert path == "/v1/moderations"
        assert headers["Authorization"] == "Bearer key"
        bad = ["attack" in text for text in asked["input"]]
        results = [{"flagged": each, "category_scores": {"hate": 0.1, "violence": 0.4}} for each in bad]
        return {"model": asked["model"], "results": results}

    monkeypatch.setenv("OPENAI_BASE_URL", serve(answer) + "/v1")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UserError, match="set the environment variable OPENAI_API_KEY"):
        blocked("openai-moderation")
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    assert blocked("openai-moderation") == pytest.approx([0.7, 0.1996], abs=1e-4)


def test_azures_shields_say_yes_or_no(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(path: str, asked: Any, headers: Any) -> Any:
        assert path.startswith("/contentsafety/text:shieldPrompt?api-version=")
        assert headers["Ocp-Apim-Subscription-Key"] == "key"
        found = {"attackDetected": "attack" in asked["userPrompt"]}
        return {"userPromptAnalysis": found, "documentsAnalysis": []}

    monkeypatch.setenv("AZURE_CONTENT_SAFETY_ENDPOINT", serve(answer) + "/")
    monkeypatch.setenv("AZURE_CONTENT_SAFETY_KEY", "key")
    assert blocked("azure-prompt-shields") == [1.0, 0.0]


def test_the_microservice_of_nemo_decides_by_its_verdict(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(path: str, asked: Any, headers: Any) -> Any:
        assert path == "/v1/classify"
        bad = "attack" in asked["input"]
        return {"jailbreak": bad, "score": 0.8 if bad else -0.6}

    monkeypatch.setenv("NEMOGUARD_URL", serve(answer))
    assert blocked("nemoguard-jailbreak") == pytest.approx([0.95, 0.0998], abs=1e-4)


def test_an_answer_of_another_form_is_no_verdict(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEMOGUARD_URL", serve(lambda *_: {"ok": True}))
    found = open_victim("py:unfool.guards.services:nemoguard").check(TEXTS).result()
    assert "JailbreakDetect answered {'ok': True}, which is not of its form" in str(found.errors[0])


def test_nobody_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEMOGUARD_URL", "http://127.0.0.1:1")
    with pytest.raises(UserError, match=r"nobody answers at http://127\.0\.0\.1:1/v1/classify"):
        open_victim("py:unfool.guards.services:nemoguard").check(TEXTS).result()


def test_a_service_that_asks_for_rest_is_asked_again_after_it(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []

    def answer(path: str, body: Any, headers: Any) -> Any:
        asked.append(time.monotonic())
        if len(asked) == 1:
            return Refused(429, {"Retry-After": "1"})
        return {"jailbreak": True, "score": 0.8}

    monkeypatch.setenv("NEMOGUARD_URL", serve(answer))
    found = open_victim("py:unfool.guards.services:nemoguard").check(TEXTS[:1]).result()
    assert not found.errors
    assert asked[1] - asked[0] >= 0.9
