"""Texts written plainly before a victim reads them: the patch that every guard grows against odd characters."""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

import regex

from unfool.engine import FunctionService, PendingAnswers, Predictor
from unfool.lexicon.confusables import confusables
from unfool.settings import at_least, written_settings
from unfool.text import Text, Variants
from unfool.victims import Differentiates, GradientRequest, Gradients, Input, Randomised, WrappedVictim

_ERASED = regex.compile(r"[^\b]\x08|\x08")
"""A character that a backspace takes back, or a backspace that has nothing to take."""
_UNSEEN = regex.compile(
    r"[\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Variation_Selector}\u034F\u115F\u1160\u17B4\u17B5\u3164\uFFA0]|[^\P{Cc}\t\n\r]"
)
"""Marks of width zero and of direction, tags, fillers, and what is no character at all."""
_MARKS = regex.compile(r"(?<=\p{Latin}\p{M}*)\p{M}")
_LATIN = string.ascii_letters


@dataclass(frozen=True, kw_only=True)
class NormaliseSettings:
    """Which steps are taken, in this order."""

    invisible: bool = True
    """Whether characters that nobody sees go: those of no width, marks of direction, tags, and whatever a backspace
    takes back."""
    nfkc: bool = True
    """Whether Unicode's normal form NFKC is taken: full-width, bold and the like become plain letters."""
    accents: bool = False
    """Whether Latin letters lose their accents and other marks. It changes honest texts: *café*, *naïve*."""
    confusables: bool = True
    """Whether look-alikes of Latin letters become these, by Unicode's table. It spoils Greek and Cyrillic."""
    repeats: int = 2
    """How often a letter may follow itself; 0 leaves it as often as it does."""

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        at_least(0, repeats=self.repeats)


class Normalise(WrappedVictim):
    """Answers about a text as the victim inside does once its characters are plain.

    Texts that become the same are one query. Gradients are those at the plain text, as an attacker takes them who
    knows the defence; where plain characters make other words of a text, those at the text as it is.

    Args:
        victim: Any victim.
        settings: Which steps are taken.
    """

    def __init__(self, victim: Predictor, settings: NormaliseSettings | None = None) -> None:
        super().__init__(victim)
        self.settings = settings or NormaliseSettings()
        if self.settings.confusables:
            _plain_letters()  # fetched now, or refused
        self.pass_on("embeddings")
        if isinstance(victim, Differentiates):
            self._inner_gradients = victim.gradients
            self.gradients = FunctionService(self._gradients)
        if isinstance(victim, Randomised):
            self.draw = lambda number: Normalise(victim.draw(number), self.settings)

    def __repr__(self) -> str:
        plain = NormaliseSettings()
        values = {field.name: getattr(self.settings, field.name) for field in fields(self.settings)}
        told = {name: value for name, value in values.items() if value != getattr(plain, name)}
        return f"normalise{f'[{written_settings(told)}]' if told else ''}:{self.inner!r}"

    def rows(self, asked: Sequence[Variants]) -> Any:
        """Prepare the plain texts as the inner victim does."""
        return self.inner.rows([Variants.of_texts([self._plain(text) for text in texts]) for texts in asked])

    def check(self, inputs: Sequence[Input]) -> PendingAnswers:
        """Start the inner victim's check of the plain texts."""
        return self.inner.check([tuple(normalised(each, self.settings) for each in strings) for strings in inputs])

    def _plain(self, text: Text) -> Text:
        strings = tuple(normalised(each, self.settings) for each in text.strings)
        if strings == text.strings:
            return text
        return Text.from_fields({field.name: each for field, each in zip(text.fields, strings, strict=True)})

    def _gradients(self, requests: Sequence[GradientRequest]) -> list[Gradients | Exception]:
        plain = [self._plain(request.text) for request in requests]
        asked = [
            request._replace(text=text) if len(text) == len(request.text) else request
            for request, text in zip(requests, plain, strict=True)
        ]
        return list(self._inner_gradients.launch(asked).result())


def normalised(text: str, settings: NormaliseSettings) -> str:
    """Return a text in plain characters; done twice, it changes nothing more."""
    while (done := _step(text, settings)) != text:
        text = done
    return text


def _step(text: str, settings: NormaliseSettings) -> str:
    if settings.invisible:
        while (shorter := _ERASED.sub("", text)) != text:
            text = shorter
        text = _UNSEEN.sub("", text)
    if settings.nfkc:
        text = unicodedata.normalize("NFKC", text)
    if settings.accents:
        text = unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", text)))
    if settings.confusables:
        text = text.translate(_plain_letters())
    if settings.repeats:
        text = _runs(settings.repeats).sub(r"\1", text)
    return text


@cache
def _plain_letters() -> Mapping[int, str]:
    """Return the Latin letter for the code of each character that looks like one."""
    found: dict[int, str] = {}
    for letter in _LATIN:
        for other in confusables().get(letter, ""):
            found.setdefault(ord(other), letter)
    return found


@cache
def _runs(most: int) -> regex.Pattern[str]:
    return regex.compile(rf"((\p{{L}})\2{{{most - 1}}})\2+")
