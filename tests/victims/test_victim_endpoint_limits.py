"""Endpoints that hang, drip, never end or answer far too much: each costs a bounded time and little memory."""

from __future__ import annotations

import contextlib
import gzip
import socket
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator

import pytest
from tests.victims.conftest import Reply, Serve
from tests.victims.test_victim_endpoint import LABELS, honest, inputs

from unfool.errors import UserError, VictimError
from unfool.victims import Endpoint

TIMEOUT_S = 0.3
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

Speak = Callable[[socket.socket], None]
"""What a server says once it was asked."""


@pytest.fixture
def say() -> Iterator[Callable[[Speak], str]]:
    """Start a server that speaks without any regard for HTTP, and return its address."""
    sockets = list[socket.socket]()

    def start(speak: Speak) -> str:
        listening = socket.create_server(("127.0.0.1", 0))
        sockets.append(listening)

        def one(line: socket.socket) -> None:
            with line, contextlib.suppress(OSError):  # the client hangs up, as it should
                line.recv(65_536)
                speak(line)

        def accept() -> None:
            while True:
                try:
                    line, _ = listening.accept()
                except OSError:
                    return
                threading.Thread(target=one, args=(line,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        return f"http://127.0.0.1:{listening.getsockname()[1]}/predict"

    yield start
    for each in sockets:
        each.close()


def drip(line: socket.socket, head: bytes) -> None:
    line.sendall(head)
    for _ in range(100):
        line.sendall(b"1")
        time.sleep(TIMEOUT_S / 6)


def drips_headers(line: socket.socket) -> None:
    drip(line, HEAD + b"X-Slow: ")


def drips_its_body(line: socket.socket) -> None:
    drip(line, HEAD + b"Content-Length: 100000\r\n\r\n")


def never_ends(line: socket.socket) -> None:
    line.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
    while True:
        line.sendall(b"10000\r\n" + b"[" * 0x10000 + b"\r\n")


def only_listens(line: socket.socket) -> None:
    time.sleep(20)


@pytest.mark.parametrize("speak", [drips_headers, drips_its_body, only_listens])
def test_the_deadline_is_for_the_whole_answer(say: Callable[[Speak], str], speak: Speak) -> None:
    victim = Endpoint(say(speak), LABELS, timeout=TIMEOUT_S, retries=0)
    began = time.monotonic()
    (error,) = victim.confirm(inputs("a")).errors.values()
    assert TIMEOUT_S <= time.monotonic() - began < 3 * TIMEOUT_S
    assert "did not answer within 0.3 s" in str(error)


def test_an_answer_without_end_is_left(say: Callable[[Speak], str]) -> None:
    victim = Endpoint(say(never_ends), LABELS, retries=3)
    tracemalloc.start()
    (error,) = victim.confirm(inputs("a")).errors.values()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "answered with more than 4 MB about 1 text" in str(error)
    assert peak < 20 << 20


def test_a_packed_answer_counts_by_what_comes_out(serve: Serve) -> None:
    packed = {"good": gzip.compress(b"[[0.5, 0.5]]"), "bomb": gzip.compress(bytes(200 << 20))}

    def answer(texts: list[str], _: dict[str, str]) -> Reply:
        return Reply(packed[texts[0]], headers={"Content-Encoding": "gzip"})

    victim = Endpoint(serve(answer), LABELS, retries=0, batch=1)
    tracemalloc.start()
    errors = victim.confirm(inputs("good", "bomb")).errors
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert list(errors) == [1]
    assert "more than 4 MB" in str(errors[1])
    assert peak < 20 << 20


@pytest.mark.parametrize("labels", [None, LABELS])
def test_a_server_that_hangs_ends_the_run_soon(
    say: Callable[[Speak], str], labels: list[str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unfool.victims.endpoint._insisting.FIRST_PAUSE_S", 0.01)
    began = time.monotonic()
    with pytest.raises(UserError, match=r"answers no request within 0\.3 s any more.*#timeout=1\.8.*--resume"):
        Endpoint(say(only_listens), labels, timeout=TIMEOUT_S).confirm(inputs(*map(str, range(50))))
    assert time.monotonic() - began < 5 * TIMEOUT_S


def test_a_text_that_hangs_costs_itself_alone(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unfool.victims.endpoint._insisting.FIRST_PAUSE_S", 0.01)

    def answer(texts: list[str], headers: dict[str, str]) -> Reply:
        if "poison" in texts:
            time.sleep(2 * TIMEOUT_S)
        return honest(texts, headers)

    victim = Endpoint(serve(answer), LABELS, timeout=TIMEOUT_S)
    assert not victim.confirm(inputs("good")).errors
    errors = victim.confirm(inputs("a", "poison", "b")).errors
    assert list(errors) == [1]
    assert isinstance(errors[1], VictimError)


def test_a_server_that_comes_back_is_asked_again(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unfool.victims.endpoint._insisting.FIRST_PAUSE_S", 0.01)
    hangs = threading.Event()
    hangs.set()

    def answer(texts: list[str], headers: dict[str, str]) -> Reply:
        if hangs.is_set():
            time.sleep(2 * TIMEOUT_S)
        return honest(texts, headers)

    victim = Endpoint(serve(answer), LABELS, timeout=TIMEOUT_S)
    with pytest.raises(UserError, match="answers no request"):
        victim.confirm(inputs("a", "b"))
    hangs.clear()
    assert not victim.confirm(inputs("a", "b")).errors
