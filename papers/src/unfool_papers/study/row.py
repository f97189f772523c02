"""A row of a study: what is attacked with what, and what the paper reports about it."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

RowFigure = Literal["success %", "accuracy under attack %", "mean success over trials %", "characters changed %"]


class Reported(NamedTuple):
    """A paper's figure, in percent, and where it stands."""

    value: float
    where: str
    figure: RowFigure = "success %"
    sign: str = ""
    """``<`` or ``>`` where the paper gives a bound."""


class Row(NamedTuple):
    """One run."""

    paper: int
    attack: str
    victim: str
    data: str
    n: int = 200
    split: str | None = None
    editable: str | None = None
    """Of a pair, the field that may be changed; both if None."""
    confidence: float = 0.0
    reported: tuple[Reported, ...] = ()
    differs: str = ""
    """What differs from the paper; ``{n}`` stands for how many texts the run came to have."""

    @property
    def name(self) -> str:
        """What tells the row from all others."""
        sure = f" at {self.confidence:g}" if self.confidence else ""
        return f"{self.attack}{sure} on {self.victim.removeprefix('zoo:')}, {self.data}"

    @property
    def kind(self) -> str:
        """The attack without its settings."""
        return self.attack.partition(":")[0]

    def folder(self, n: int) -> str:
        """The name of the run's folder."""
        return re.sub(r"[^\w.@=-]+", "_", f"{self.name} n{n}")
