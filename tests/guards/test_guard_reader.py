"""Whether bypasses can still be read: a reader repeats them, and those as they are beside."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.command import unfool
from tests.guards.test_guard_audit import audited
from tests.victims.prompted.talking import Listen, Said, completion, listen
from tests.victims.prompted.test_causal import save

from unfool.errors import UserError
from unfool.guards import open_reader
from unfool.report import write_guard

__all__ = ["listen"]

pytest.importorskip("sacrebleu")


def test_what_a_reader_repeats_counts_and_what_it_makes_up_does_not(place: Path) -> None:
    asked: list[str] = []

    def sharp(texts: Sequence[str]) -> list[str | None]:
        asked.extend(texts)
        return list(texts)

    line = audited(place, reader=sharp).lines[0]
    assert len(asked) == len(set(asked))
    assert line.readable is not None
    assert (line.readable.count, line.readable.of) == (len(line.cheapest), len(line.cheapest))
    words = next(figures for figures in line.attacks if figures.attack == "deepwordbug")
    assert words.readable is not None
    assert words.readable.count == words.readable.of == len(words.bypasses) > 0
    blind = audited(place, "other", reader=lambda texts: ["Fine weather." for _ in texts]).lines[0]
    assert blind.readable is not None
    assert blind.readable.count == 0
    mute = audited(place, "third", reader=lambda texts: [None for _ in texts]).lines[0]
    assert mute.readable is not None
    assert mute.readable.of == 0


def test_without_a_reader_it_is_unknown(place: Path) -> None:
    found = audited(place)
    assert found.lines[0].to_json()["readable"] is None
    write_guard(found, place / "page.html")
    assert "unknown" in (place / "page.html").read_text("utf-8")


def test_a_model_behind_an_address_reads(place: Path, listen: Listen) -> None:
    def speak(asked: dict[str, Any]) -> Said:
        text = asked["messages"][0]["content"].split("\n---\n")[1].removesuffix("\n---")
        return Said(completion(text.replace("@", "a"), None))

    talk = listen(speak)
    assert open_reader(f"chat:{talk.url}#model=m")(["a f@ct"]) == ["a fact"]
    assert talk.seen[0]["max_tokens"] == 512
    done = unfool(
        *["guard", "audit", "--guard", "guard.toml", "--attacks", "harmful.csv", "--benign", "benign.csv"],
        *["--by", "deepwordbug", "--quiet", "--json", "--out", "a", "--reader", f"chat:{talk.url}#model=m"],
        cwd=place,
    )
    assert done.code == 0, done.err
    (figures,) = json.loads(done.out)["lines"][0]["attacks"]
    assert figures["readable"]["of"] == figures["bypassed"] > 0
    with pytest.raises(UserError, match="--reader vader is no language model"):
        open_reader("vader")


def test_a_model_in_this_process_reads(tmp_path: Path) -> None:
    reader = open_reader(f"hf-causal:{save(tmp_path / 'model', 'llama')}")
    (written, too_long) = reader(["a fine film", "a fine film " * 200])
    assert isinstance(written, str)
    assert too_long is None
