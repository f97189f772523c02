"""A task, a net that has learnt it, and one that was hardened."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from tests.harden.conftest import save_letters, write_split

from unfool.defences.harden import harden


class Trained(NamedTuple):
    task: str
    plain: str
    hard: str


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    place = tmp_path_factory.mktemp("trained")
    (place / "task").mkdir()
    for seed, (split, count) in enumerate((("train", 240), ("validation", 40), ("test", 80)), start=1):
        write_split(place / "task" / f"{split}.parquet", count, seed)
    start = save_letters(place / "letters", 1, filters=32, units=16)
    for method in ("plain", "hotflip"):
        harden(
            method, start, str(place / "task"), place / method, epochs=8, lr=1e-2, batch=16, keep="last",
            device="cpu", progress=False,
        )  # fmt: skip
    return Trained(str(place / "task"), *(f"zoo:{Path(place / name)}" for name in ("plain", "hotflip")))
