"""What processes that share a victim are told to do; they import it, so this module is light."""

from __future__ import annotations

from pathlib import Path

from unfool.attacks import find_attack
from unfool.engine import Attack, Connection, Predictor
from unfool.victims import RemoteVictim, Transformer


def prepare(connection: Connection | None) -> tuple[Predictor, Attack]:
    assert connection
    return RemoteVictim(connection), find_attack("random")


def opened(folder: Path) -> Transformer:
    return Transformer(str(folder), device="cpu")
