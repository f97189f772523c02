"""A loopback server that answers as a test says."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


@dataclass
class Reply:
    """What the server sends back; JSON unless the body is bytes."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


Answer = Callable[[list[Any], dict[str, str]], Reply]
"""Texts and headers of one request; runs in the request's thread, so it may sleep to keep the client waiting."""

Serve = Callable[[Answer], str]

PATH = "/predict"


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start a server and return its address."""
    servers = []

    def start(answer: Answer) -> str:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["texts"]
                known = self.path == PATH
                reply = answer(texts, dict(self.headers)) if known else Reply("no such page", 404)
                body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
                try:
                    self.send_response(reply.status)
                    self.send_header("Content-Length", str(len(body)))
                    for name, value in reply.headers.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:  # the client gave up waiting
                    self.close_connection = True

            def log_message(self, *_: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}{PATH}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()
