"""Where a study lies and how much of it is made."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from unfool.victims import Options


class Setting(NamedTuple):
    """What the user says about all pieces."""

    folder: Path
    device: str
    n: int
    """Texts that are attacked on each victim; clean texts are ten times as many."""

    @property
    def options(self) -> Options:
        """How victims are opened."""
        return Options(device=self.device)


def model_name(folder: Path) -> str:
    """Return the victim's name of a hardened folder, which may be of a classifier or of a net of the zoo."""
    return f"{'hf' if (folder / 'training.json').is_file() else 'zoo'}:{folder}"
