"""An attack by name: a coroutine function with its settings, as text and back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from unfool.attacks._letters import Letters
from unfool.engine import Ask
from unfool.errors import UserError
from unfool.lexicon import WORDNETS
from unfool.registry import Named, Registry
from unfool.text import Sample, Text


@dataclass(frozen=True, kw_only=True, repr=False)
class Attack(Named):
    """A recipe with all its settings; call it with a sample and an `Ask`. Its repr rebuilds it."""

    KIND: ClassVar[str] = "attack"

    needs: tuple[str, ...] = ()
    language: str | None = None
    """The language of its word lists, taggers and the like; None if it reads any."""
    wordnets: bool = False
    """Whether it reads other languages, too: those of the Open Multilingual Wordnet."""
    letters: Mapping[str, Letters] = field(default_factory=dict)
    """The letters it changes, by the value of a setting that says so, or by ``""`` whatever the settings are."""
    from_data: Mapping[str, str] = field(default_factory=dict)
    """Settings that, left None, are made of the name of the data under attack: ``{}`` stands for it."""

    def __call__(self, sample: Sample, ask: Ask) -> Awaitable[Text]:
        """Start the search for one sample."""
        search: Awaitable[Text] = self.function(sample, ask, **self.settings)
        return search

    def reads(self, language: str) -> bool:
        """Whether it can change texts in a language, given by its English name."""
        if self._letters:
            return all(letters.in_language(language) for letters in self._letters)
        return self.language in (None, language) or (self.takes_wordnets and language in WORDNETS)

    @property
    def takes_wordnets(self) -> bool:
        """Whether, with these settings, it takes its synonyms from the wordnet of the texts' language."""
        chosen = {**self.defaults(), **self.settings}
        return self.wordnets and chosen.get("space", chosen.get("substitutes", "synonyms")) == "synonyms"

    @property
    def does(self) -> str:
        """What it reads or changes, where it does not suit every language: ``reads English``; empty if it does."""
        changes = " and ".join(f"changes {letters.kind}" for letters in self._letters)
        return changes or (f"reads {self.language}" if self.language else "")

    @property
    def _letters(self) -> list[Letters]:
        chosen = {"": "", **self.defaults(), **self.settings}
        return [letters for value, letters in self.letters.items() if value in chosen.values()]

    @property
    def tries_every_word(self) -> bool:
        """Whether it may ask about the victim's whole vocabulary: its setting ``candidates`` is none."""
        return {"candidates": 0, **self.defaults(), **self.settings}["candidates"] is None

    def for_data(self, data: str) -> Attack:
        """Return the attack with what it leaves to the data under attack, given by name."""
        left = {**self.defaults(), **self.settings}
        filled = {key: form.format(data) for key, form in self.from_data.items() if left[key] is None}
        return replace(self, settings={**self.settings, **filled}) if filled else self


def attack(
    *,
    needs: tuple[str, ...] = (),
    language: str | None = None,
    wordnets: bool = False,
    letters: Letters | Mapping[str, Letters] | None = None,
    from_data: Mapping[str, str] | None = None,
) -> Callable[[Callable[..., Awaitable[Text]]], Attack]:
    """Make a recipe of a coroutine function; its keyword-only arguments are the settings.

    Args:
        needs: What the victim must offer beyond predictions: ``gradients``, ``attention``, ``hidden``.
        language: The language of its word lists, taggers and the like, such as ``English``; None for any.
        wordnets: Whether it takes synonyms of the text's language where ``ask.language`` names one.
        letters: The letters it changes, where not every script has them; by a setting's value if that decides.
        from_data: Settings that, left None, are made of the name of the data under attack: ``{}`` stands for it.
    """

    def register(function: Callable[..., Awaitable[Text]]) -> Attack:
        return Attack(
            name=function.__name__.replace("_", "-"),
            function=function,
            needs=needs,
            language=language,
            wordnets=wordnets,
            letters={"": letters} if isinstance(letters, Letters) else letters or {},
            from_data=from_data or {},
        )

    return register


ATTACKS = Registry("unfool.attacks", Attack, attack())
"""Every attack by name; the built-in ones are what the files of `unfool.attacks.recipes` define."""


def refuse_below(attack: str, least: float, **settings: float) -> None:
    """Refuse settings of an attack that are below a limit.

    Raises:
        UserError: One of them is; the message names it.
    """
    for name, value in settings.items():
        if value < least:
            raise UserError(f"the attack {attack!r} cannot take {name}={value}; it takes {least} or more")


def find_attack(spec: str) -> Attack:
    """Return the attack written as ``name`` or ``name:key=value,key=value``.

    Raises:
        UserError: An unknown name, setting or value, with a suggestion.
    """
    return ATTACKS.find_spec(spec)
