"""The letters that an attack on characters can change, and whether a language is written in them."""

from __future__ import annotations

from typing import NamedTuple

from unfool.text import script_of


class Letters(NamedTuple):
    """Letters of some kind, and the scripts that have them: those named, or all but those named."""

    kind: str
    """As it stands in a sentence: the attack changes …"""
    only: frozenset[str] = frozenset()
    but: frozenset[str] = frozenset()

    def in_language(self, language: str) -> bool:
        """Whether texts in a language, given by its English name, have such letters."""
        script = script_of(language)
        return script in self.only if self.only else script not in self.but


LATIN = Letters("Latin letters", only=frozenset({"Latin"}))
IN_WORDS = Letters("letters inside words", but=frozenset({"Chinese", "Japanese", "Thai"}))
"""Where no spaces part words, each character is one, and nothing is inside."""
LOOK_ALIKES = Letters(
    "letters that others look like",
    but=frozenset(
        {
            "Arabic",
            "Chinese",
            "Ethiopic",
            "Georgian",
            "Gurmukhi",
            "Hebrew",
            "Japanese",
            "Korean",
            "Myanmar",
            "Sinhala",
        }
    ),
)
"""By Unicode's table; of 28,000 Chinese characters it has 600, hardly one of them common."""
