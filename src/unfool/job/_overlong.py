"""What a person should know about texts that are longer than the victim reads."""

from __future__ import annotations

from itertools import islice

from unfool.data import Dataset
from unfool.engine import Predictor
from unfool.victims import EncodedVictim, Spells

_MOST_MEASURED = 1000
"""Texts encoded to find out; of a large data set the first must do."""


def told_overlong(victim: Predictor, texts: Dataset) -> str | None:
    """Say how many texts lose their end; None where none does, or the victim does not know what it reads."""
    if not isinstance(victim, EncodedVictim):
        return None
    measured = [sample.text.strings for sample in islice(texts, _MOST_MEASURED)]
    overlong = victim.overlong(measured)
    if not overlong:
        return None
    of = f"the first {len(measured):,}" if len(measured) < len(texts) else f"{len(measured):,}"
    unit = "characters" if isinstance(victim, Spells) else "tokens"
    return (
        f"{overlong:,} of {of} texts {'is' if overlong == 1 else 'are'} longer than the model reads "
        f"({victim.encoder.max_length} {unit}); what lies behind is not seen by it"
    )
