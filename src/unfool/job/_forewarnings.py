"""What a person should know before an attack: its cost, texts that lose their end, texts in another language."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np

from unfool.attacks import ATTACKS, Attack, Constraint
from unfool.data import Dataset
from unfool.engine import Predictor
from unfool.errors import UserError, VictimError
from unfool.runs import OtherLanguage
from unfool.text import Sample, guess_language
from unfool.victims import EncodedVictim, Spells

_MOST_MEASURED = 1000
"""Texts encoded to find out; of a large data set the first must do."""
_MEASURED = 64
_WORTH_TELLING_S = 60.0


def told_cost(victim: Predictor, recipe: Attack, samples: int, sample: Sample) -> str | None:
    """Say how long the whole vocabulary may take, and what asks less; None if it is not tried, or is soon done.

    One sample shows how fast the victim answers.
    """
    if not recipe.tries_every_word or not victim.vocabulary or not sample.text.editable:
        return None
    pace = _answers_a_second(victim, sample)
    seconds = samples * len(victim.vocabulary) / pace if pace else 0.0
    if pace is None or seconds < _WORTH_TELLING_S:
        return None
    return (
        f"{recipe.name} may ask about all {len(victim.vocabulary):,} words the victim knows, for each text: up to "
        f"{_spelt(seconds)} for {samples:,} texts, at {pace:,.0f} answers a second; "
        f"--attack {recipe.name}:candidates=200 tries 200 words a text"
    )


def _answers_a_second(victim: Predictor, sample: Sample) -> float | None:
    """Return the victim's pace with variants of a text, or None if it does not answer."""
    words = list(victim.vocabulary[:_MEASURED])
    swaps = sample.text.variants([sample.text.editable[0]] * len(words), words)
    try:
        for some in (swaps.take([0]), swaps):  # the first answer of all takes longer and is not measured
            began = time.perf_counter()
            victim.launch(victim.rows([some]), np.arange(len(some))).result()
    except VictimError:
        return None
    return len(words) / max(time.perf_counter() - began, 1e-6)


def _spelt(seconds: float) -> str:
    """Return a long time in round words."""
    for size, unit in ((86_400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{seconds:,.0f} seconds"


def told_overlong(victim: Predictor, texts: Dataset) -> str | None:
    """Say how many texts lose their end; None if none does, or the victim does not know what it reads."""
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


def other_language(recipe: Attack, rules: Sequence[object], texts: Dataset) -> OtherLanguage | None:
    """Return what reads another language than the texts are in; None if nothing does, or it cannot be told."""
    readers = [part for part in (recipe, *rules) if isinstance(part, (Attack, Constraint)) and part.does]
    found = language_of(texts) if readers else None
    if found is None:
        return None
    reader = next((part for part in readers if not part.reads(found)), None)
    return OtherLanguage(reader.name, reader.does, found) if reader else None


def language_of(texts: Iterable[Sample]) -> str | None:
    """Return the language that most of the texts seem to be in; None if that cannot be told."""
    return guess_language(" ".join(sample.text.strings) for sample in texts)


def foreign_language(recipe: Attack, given: str | None, texts: Iterable[Sample]) -> str | None:
    """Return the language of the texts, where it is another than English and the attack reads it."""
    found = given or language_of(texts)
    return found if found and found != "English" and recipe.reads(found) else None


def check_language(recipe: Attack, language: str) -> None:
    """Refuse a language that an attack does not read, and say which attacks do.

    Raises:
        UserError: It does not read the language.
    """
    if recipe.reads(language):
        return
    able = [name for name, other in ATTACKS.all().items() if other.reads(language)]
    lack = f", and {language} has hardly any" if "changes" in recipe.does else f", not {language}"
    raise UserError(f"the attack {recipe.name!r} {recipe.does}{lack}; there is {', '.join(able)}")
