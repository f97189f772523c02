"""What processes that borrow a victim are told to do; they import it, so this module is light."""

from __future__ import annotations

from pathlib import Path

from unfool.attacks import find_attack
from unfool.engine import Attack, Line, Predictor
from unfool.victims import BorrowedVictim, Transformer


def prepare(line: Line | None) -> tuple[Predictor, Attack]:
    assert line
    return BorrowedVictim(line), find_attack("random")


def opened(folder: Path) -> Transformer:
    return Transformer(str(folder), device="cpu")
