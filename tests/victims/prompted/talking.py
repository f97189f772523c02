"""A loopback server that speaks as OpenAI, vLLM, llama.cpp and Ollama do."""

from __future__ import annotations

import json
import math
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import pytest

Body = dict[str, Any]


class Said(NamedTuple):
    """What the server sends: JSON, or the bytes as they are, of which it may keep some back."""

    body: Body | bytes
    status: int = 200
    headers: Mapping[str, str] = {}
    kept_back: int = 0


class Talk(NamedTuple):
    """A server, and the requests it has seen."""

    url: str
    seen: list[Body]


Speak = Callable[[Body], Said]
Listen = Callable[[Speak], Talk]


@pytest.fixture
def listen() -> Iterator[Listen]:
    """Start a server that answers prompts as a test says."""
    servers = []

    def start(speak: Speak) -> Talk:
        seen: list[Body] = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                seen.append(asked)
                said = speak(asked) if self.path == "/v1/chat/completions" else Said({"error": "no such page"}, 404)
                body = said.body if isinstance(said.body, bytes) else json.dumps(said.body).encode()
                self.send_response(said.status)
                self.send_header("Content-Length", str(len(body)))
                for name, value in said.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body[: len(body) - said.kept_back])

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        servers.append(server)
        return Talk(f"http://127.0.0.1:{server.server_port}/v1", seen)

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def text_of(asked: Body) -> str:
    """Return the text that a prompt ends with."""
    content: str = asked["messages"][0]["content"]
    return content.rpartition("Text: ")[2].removesuffix("\n\nLabel:")


def unsafe_share(text: str) -> float:
    """How sure the model is that a text is unsafe."""
    return 0.05 + 0.9 * (zlib.crc32(text.encode()) % 1000) / 1000


def token(written: str, share: float, dialect: str) -> Body:
    """A token as a server tells it."""
    told: Body = {"token": written, "logprob": math.log(share) if share else -9999.0}
    if dialect in ("openai", "vllm", "llama.cpp"):
        told["bytes"] = list(written.encode())
    if dialect == "llama.cpp":
        told["id"] = zlib.crc32(written.encode()) % 50_000
    return told


def completion(
    text: str, places: list[list[tuple[str, float]]] | None, dialect: str = "openai", **message: Any
) -> Body:
    """A chat completion; of each place the first token is the one that was written."""
    content = []
    for place in places or []:
        told = [token(written, share, dialect) for written, share in sorted(place, key=lambda one: -one[1])]
        content.append({**token(*place[0], dialect), "top_logprobs": told})
    choice: Body = {"index": 0, "message": {"role": "assistant", "content": text, **message}}
    choice["finish_reason"] = "length" if dialect == "vllm" else "stop"
    if places is not None:
        choice["logprobs"] = {"content": content}
    elif dialect in ("openai", "vllm"):
        choice["logprobs"] = None
    if dialect == "vllm":
        choice["stop_reason"] = None
        choice["message"].setdefault("reasoning_content", None)
    answer: Body = {"id": "x", "object": "chat.completion", "model": "m", "choices": [choice]}
    answer["usage"] = {"prompt_tokens": 40, "completion_tokens": 2, "total_tokens": 42}
    if dialect == "llama.cpp":
        answer["timings"] = {"prompt_n": 40}
    return answer


def guard(dialect: str = "openai") -> Speak:
    """A model that says safe or unsafe, in several ways to write each, and one time in ten something else."""

    def speak(asked: Body) -> Said:
        unsafe = unsafe_share(text_of(asked))
        safe = 0.9 - 0.9 * unsafe
        place = [("safe", 0.7 * safe), (" Safe", 0.3 * safe), ("unsafe", 0.63 * unsafe), ("Un", 0.0)]
        place += [("UNSAFE", 0.18 * unsafe), ("**unsafe", 0.09 * unsafe), ("I", 0.05), ("Sorry", 0.05)]
        place.sort(key=lambda one: -one[1])
        return Said(completion(place[0][0], [place], dialect))

    return speak
