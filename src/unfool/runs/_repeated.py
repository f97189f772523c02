"""What came of asking a victim about the same texts again."""

from __future__ import annotations

from typing import NamedTuple


class Repeated(NamedTuple):
    """Texts asked several times; those without an answer each time are left out."""

    texts: int
    times: int
    changed_label: int
    """Texts that did not get the same label each time."""
    changed_at_all: int
    """Texts whose probabilities moved."""

    @property
    def random(self) -> bool:
        """Whether answers move at all."""
        return self.changed_at_all > 0

    @property
    def told(self) -> str:
        """What to tell of a victim whose answers move."""
        return (
            f"This victim answers at random: asked twice about the same {self.texts} texts, it gave other answers "
            f"to {self.changed_at_all} and another label to {self.changed_label}. A success may be chance: "
            "run it again, or see --eot for defences that draw."
        )
