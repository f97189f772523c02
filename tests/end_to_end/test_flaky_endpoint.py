"""A model behind a bad line: nothing is lost, and what failed is listed and tried again."""

from __future__ import annotations

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.command import VADER, attack, lines, results, unfool

from unfool.victims import vader

pytestmark = pytest.mark.usefixtures("word_vectors")

RANDOM = "random:trials=20"
LONGER_THAN_THE_TIMEOUT_S = 11
FAULTS = ["fails"] * 20 + ["hangs"] * 5 + ["babbles"] + ["answers"] * 74
random.Random(219).shuffle(FAULTS)  # a seed that hangs early, so that one wait overlaps another

Decide = Callable[[int, list[str]], str]
"""From the number of a request and its texts to what becomes of it."""


class Line:
    """A server with VADER behind it that treats each request as it is told."""

    def __init__(self, decide: Decide) -> None:
        self.decide = decide
        self.happened: Counter[str] = Counter()
        self._numbers = count()
        line = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["texts"]
                try:
                    line.treat(self, texts)
                except OSError:  # the client no longer waits
                    self.close_connection = True

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/predict"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def treat(self, handler: BaseHTTPRequestHandler, texts: list[str]) -> None:
        fate = self.decide(next(self._numbers), texts)
        self.happened[fate] += 1
        if fate == "hangs":
            time.sleep(LONGER_THAN_THE_TIMEOUT_S)
        body = json.dumps({"probabilities": vader.probabilities(texts).tolist()}).encode()
        handler.send_response(503 if fate == "fails" else 200)
        body = b"<html>come back later" if fate == "babbles" else body
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def line() -> Iterator[Line]:
    line = Line(lambda number, _: FAULTS[number % len(FAULTS)])
    yield line
    line.close()


@pytest.fixture(scope="module")
def at_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same attack without a line in between."""
    cwd = tmp_path_factory.mktemp("home")
    assert unfool(*attack(VADER, RANDOM, "run"), cwd=cwd).code == 0
    return cwd / "run"


def ids(path: Path) -> list[int]:
    return [json.loads(line)["id"] for line in path.read_text().splitlines()]


def test_a_bad_line_loses_nothing(line: Line, at_home: Path, tmp_path: Path) -> None:
    done = unfool(*attack(line.url, RANDOM, "run", "--in-flight", 512), cwd=tmp_path)
    assert set(line.happened) == {"fails", "hangs", "babbles", "answers"}
    assert line.happened["fails"] > 10
    assert (done.code, done.err) == (0, "")
    assert lines(tmp_path / "run" / "failures.jsonl") == 0
    assert results(tmp_path / "run") == results(at_home)


def test_what_fails_for_good_is_listed_and_tried_again(line: Line, at_home: Path, tmp_path: Path) -> None:
    line.decide = lambda _, texts: (
        "fails" if any("bakery" in text or "dog" in text for text in texts) else "answers"
    )
    done = unfool(*attack(line.url, RANDOM, "run"), cwd=tmp_path)
    assert done.code == 3
    lost = ids(tmp_path / "run" / "failures.jsonl")
    assert lost == [0, 31]
    assert sorted(lost + ids(tmp_path / "run" / "outcomes.jsonl")) == list(range(60))
    *listed, total = done.err.splitlines()
    for number, said in zip(lost, listed, strict=True):
        assert said.startswith(f"no result for sample {number}: {line.url} answered HTTP 503")
    assert total == "2 samples have no result; --resume tries again"
    assert json.loads((tmp_path / "run" / "summary.json").read_bytes())["errors"] == 2

    line.decide = lambda *_: "answers"
    line.happened.clear()
    resumed = unfool(*attack(line.url, RANDOM, "run", "--resume"), cwd=tmp_path)
    assert (resumed.code, resumed.err) == (0, "")
    assert lines(tmp_path / "run" / "failures.jsonl") == 0
    assert results(tmp_path / "run") == results(at_home)
    assert line.happened["answers"] < 10  # only the two were asked again


@pytest.mark.parametrize("workers", [1, 2])
def test_a_dead_line_is_told_early_and_the_run_goes_on_later(
    line: Line, at_home: Path, tmp_path: Path, workers: int
) -> None:
    line.decide = lambda *_: "babbles"
    arguments = attack(
        f"{line.url}#retries=0", RANDOM, "run", "--labels", "negative,positive", "--workers", workers
    )
    done = unfool(*arguments, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    (said,) = done.err.splitlines()
    assert said.startswith("error: the victim gave no answer about the first ")
    assert f"{line.url} answered what is not JSON: <html>come back later" in said
    assert said.endswith("--resume (in Python: resume=True)")

    line.decide = lambda *_: "answers"
    resumed = unfool(*arguments, "--resume", cwd=tmp_path)
    assert (resumed.code, resumed.err) == (0, "")
    assert results(tmp_path / "run") == results(at_home)


def test_texts_that_fail_for_good_do_not_keep_a_resumed_run_from_its_end(line: Line, tmp_path: Path) -> None:
    line.decide = lambda _, texts: "fails" if any(" and " in text for text in texts) else "answers"
    arguments = attack(f"{line.url}#retries=0", RANDOM, "run", "--labels", "negative,positive")
    assert unfool(*arguments, cwd=tmp_path).code == 3
    lost = ids(tmp_path / "run" / "failures.jsonl")
    assert 20 <= len(lost) < 60
    assert unfool(*arguments, "--resume", cwd=tmp_path).code == 3
    assert ids(tmp_path / "run" / "failures.jsonl") == lost
