"""A server with victims to try, and what it tells of searches."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from tests.app.serving_runs import serving_runs

SLOW = """
import time
from pathlib import Path

def probabilities(texts):
    time.sleep(0.02)
    with Path(__file__).with_suffix(".calls").open("a") as calls:
        calls.write("x")
    return [[0.1, 0.9]] * len(texts)
"""
ECHO = """
def translate(texts):
    return [text.upper() for text in texts]
"""
LATE = """
import time
from pathlib import Path

here = Path(__file__)
with here.with_suffix(".opened").open("a") as opened:
    opened.write("x")
while not here.with_suffix(".go").exists():
    time.sleep(0.02)

def probabilities(texts):
    return [[0.1, 0.9]] * len(texts)
"""
LONG_TEXT = "A good film about people who are good to one another. " * 90


def slow_victim(folder: Path) -> str:
    """Return a victim that nothing fools, that takes its time, and that counts how often it is asked."""
    (folder / "slow.py").write_text(SLOW, "utf-8")
    return f"py:{folder / 'slow.py'}:probabilities"


def late_victim(folder: Path) -> str:
    """Return a victim that is not open before there is a file ``late.go``; ``late.opened`` counts the tries."""
    (folder / "late.py").write_text(LATE, "utf-8")
    return f"py:{folder / 'late.py'}:probabilities"


def calls(folder: Path) -> int:
    """Return how often the slow victim was asked."""
    path = folder / "slow.calls"
    return path.stat().st_size if path.exists() else 0


@contextmanager
def serving_try(folder: Path, *more: object) -> Iterator[httpx.Client]:
    """Serve the runs below a folder, and victims to try."""
    with serving_runs(folder, *more) as address:
        headers = {"origin": address}
        with httpx.Client(base_url=address, headers=headers, timeout=60, trust_env=False) as client:
            yield client


def wish(victim: str, *attacks: str, text: str = "A good film.", **more: Any) -> dict[str, Any]:
    """Return what the page asks for."""
    return {"victim": victim, "text": text, "attacks": [{"name": name} for name in attacks], **more}


def events(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    """Yield events as they come."""
    for line in lines:
        if line:
            yield json.loads(line.removeprefix("data: "))


def searched(client: httpx.Client, given: dict[str, Any]) -> list[dict[str, Any]]:
    """Return all that a search tells, at its end."""
    with client.stream("POST", "/api/try", json=given) as answer:
        assert answer.status_code == 200, answer.read()
        assert answer.headers["content-type"].startswith("text/event-stream")
        return list(events(answer.iter_lines()))
