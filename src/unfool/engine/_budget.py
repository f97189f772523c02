"""What one sample may cost."""

from __future__ import annotations

import math
from dataclasses import dataclass

from unfool.stats import whole_share
from unfool.text import Diff, Text


@dataclass(frozen=True, slots=True)
class Budget:
    """What one sample may cost: queries, and the share of words or characters that may change."""

    queries: int | None = None
    words: float | None = None
    characters: float | None = None

    @property
    def limits_edits(self) -> bool:
        """Whether there are changes that it does not cover."""
        return self.words is not None or self.characters is not None

    def room(self, original: Text) -> tuple[float, float]:
        """Return how many words and characters of a text may change; infinite where there is no limit."""
        words = math.inf if self.words is None else whole_share(self.words, max(1, len(original.editable)))
        if self.characters is None:
            return words, math.inf
        return words, whole_share(self.characters, max(1, original.editable_characters))

    def covers(self, original: Text, change: Diff) -> bool:
        """Whether a change of a text stays inside the shares of words and characters that may change."""
        words, characters = self.room(original)
        # Edit distances cost more than the rest of a diff: they are computed only where a limit asks for them.
        return change.words_changed <= words and (characters == math.inf or change.characters_changed <= characters)
