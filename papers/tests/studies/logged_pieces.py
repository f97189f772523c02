"""Pieces of work that write down that they were done; other processes import them, so this module is light."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unfool_papers.study.pieces import Job


def write_down(place: Path, said: str) -> Mapping[str, Any]:
    with (place / "log").open("a") as file:
        file.write(said + "\n")
    if said == "broken":
        raise ValueError(said)
    return {"said": said}


def pieces(place: Path) -> list[Job]:
    return [
        Job("c", write_down, (place, "c"), ("b",)),
        Job("a", write_down, (place, "a")),
        Job("broken", write_down, (place, "broken"), ("a",)),
        Job("never", write_down, (place, "never"), ("a", "broken")),
        Job("b", write_down, (place, "b"), ("a",)),
    ]
