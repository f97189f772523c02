"""The proxy on loopback: what users say is changed, all else passes, streams among it."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from tests.end_to_end.command import command, surroundings, unfool

TEXT = "Please tell me how to bake bread at home."
PIECES = [b'data: {"n": 1}\n\n', b'data: {"n": 2}\n\n', b"data: [DONE]\n\n"]


class Seen(NamedTuple):
    path: str
    headers: dict[str, str]
    body: Any


class Model(NamedTuple):
    url: str
    seen: list[Seen]
    go_on: threading.Event


@pytest.fixture
def model() -> Iterator[Model]:
    """A server that repeats what it is asked, or streams three pieces, waiting between them until told to go on."""
    seen: list[Seen] = []
    go_on = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            seen.append(Seen(self.path, dict(self.headers), None))
            self._send(200, b'{"data": []}')

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append(Seen(self.path, {name.lower(): value for name, value in self.headers.items()}, asked))
            if asked.get("stream"):
                self._stream()
            else:
                self._send(429 if asked.get("model") == "busy" else 200, json.dumps({"asked": asked}).encode())

        def _send(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Retry-After", "7")
            self.end_headers()
            self.wfile.write(body)

        def _stream(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for piece in PIECES:
                self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                self.wfile.flush()
                go_on.wait(30)
            self.wfile.write(b"0\r\n\r\n")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield Model(f"http://127.0.0.1:{server.server_port}/v1", seen, go_on)
    server.shutdown()
    server.server_close()


@pytest.fixture
def proxy(model: Model, tmp_path: Path) -> Iterator[httpx.Client]:
    """The proxy in front of the model, as its user starts it."""
    given = ["proxy", "--to", model.url, "--attack", "deepwordbug", "--port", 0, "--keep", tmp_path / "kept.jsonl"]
    process = subprocess.Popen(
        command(*given), env=surroundings({}), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/v1", address)
    with httpx.Client(base_url=address, timeout=60, trust_env=False) as client:
        yield client
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)


def test_what_users_say_is_changed_and_all_else_passes(proxy: httpx.Client, model: Model, tmp_path: Path) -> None:
    messages = [
        {"role": "system", "content": TEXT},
        {"role": "user", "content": TEXT},
        {"role": "assistant", "content": TEXT},
        {
            "role": "user",
            "content": [{"type": "text", "text": TEXT}, {"type": "image_url", "image_url": {"url": "x"}}],
        },
    ]
    body = {"model": "m", "messages": messages, "temperature": 0.3, "logprobs": True}
    answer = proxy.post("chat/completions?a=b", json=body, headers={"Authorization": "Bearer secret"})
    assert answer.status_code == 200
    (seen,) = model.seen
    assert seen.path == "/v1/chat/completions?a=b"
    assert seen.headers["authorization"] == "Bearer secret"
    system, user, assistant, parts = (message["content"] for message in seen.body["messages"])
    assert system == assistant == TEXT
    assert user != TEXT
    assert len(user.split()) == len(TEXT.split())
    assert parts == [{"type": "text", "text": user}, messages[3]["content"][1]]  # type: ignore[index]
    assert {**seen.body, "messages": 0} == {**body, "messages": 0}
    assert answer.json() == {"asked": seen.body}
    kept = [json.loads(line) for line in (tmp_path / "kept.jsonl").read_text("utf-8").splitlines()]
    assert kept == [{"before": TEXT, "after": user}] * 2


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("completions", {"prompt": TEXT}),
        ("moderations", {"input": [TEXT, "One more text, please."]}),
        ("responses", {"input": [{"role": "user", "content": [{"type": "input_text", "text": TEXT}]}]}),
    ],
)
def test_other_forms_are_known(path: str, body: dict[str, Any], proxy: httpx.Client, model: Model) -> None:
    proxy.post(path, json=body)
    sent, came = json.dumps(body), json.dumps(model.seen[0].body)
    assert sent != came
    assert re.sub(r"[A-Z][^\"]+", "", sent) == re.sub(r"[A-Z][^\"]+", "", came)


def test_a_stream_passes_piece_by_piece(proxy: httpx.Client, model: Model) -> None:
    with proxy.stream("POST", "chat/completions", json={"stream": True, "messages": []}) as answer:
        assert answer.headers["content-type"] == "text/event-stream"
        pieces = answer.iter_raw()
        assert next(pieces) == PIECES[0]  # the model has not sent more yet
        model.go_on.set()
        assert b"".join(pieces) == b"".join(PIECES[1:])


def test_refusals_lists_and_what_is_no_json_pass_as_they_are(proxy: httpx.Client, model: Model) -> None:
    busy = proxy.post("chat/completions", json={"model": "busy"})
    assert (busy.status_code, busy.headers["retry-after"]) == (429, "7")
    assert proxy.get("models").json() == {"data": []}
    assert [seen.path for seen in model.seen] == ["/v1/chat/completions", "/v1/models"]


def test_pages_in_a_browser_and_foreign_names_are_refused(proxy: httpx.Client, model: Model) -> None:
    for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}):
        assert proxy.post("chat/completions", json={}, headers=headers).status_code == 403
    assert not model.seen


def test_a_model_that_is_gone_is_told(tmp_path: Path) -> None:
    process = subprocess.Popen(
        command("proxy", "--to", "http://127.0.0.1:9/v1", "--attack", "deepwordbug", "--port", 0),
        env=surroundings({}), stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    answer = httpx.post(f"{address}/chat/completions", json={"messages": []}, trust_env=False)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert answer.status_code == 502
    assert "http://127.0.0.1:9/v1 did not answer" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--to", "host/v1"], "--to host/v1 is no address"),
        (["--to", "http://127.0.0.1:9/v1", "--attack", "charmr"], "did you mean 'charmer'?"),
        (["--to", "http://127.0.0.1:9/v1", "--attack", "hotflip"], "needs a victim's gradients"),
    ],
)
def test_what_cannot_work_is_refused(given: list[str], told: str, tmp_path: Path) -> None:
    done = unfool("proxy", *given, cwd=tmp_path)
    assert done.code == 2
    assert told in done.err
