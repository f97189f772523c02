from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[[str, bytes], str]


@pytest.fixture(autouse=True)
def no_sets_at_hand(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Give each test a current folder and a UNFOOL_DATA of its own, so that it sees no one else's files."""
    here = tmp_path / "here"
    here.mkdir()
    at_hand = tmp_path / "at_hand"
    at_hand.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("UNFOOL_DATA", str(at_hand))
    return at_hand


@pytest.fixture
def write() -> Write:
    """Write a file into the current folder and return its name."""

    def write(name: str, content: bytes) -> str:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(content)
        return name

    return write
