"""An attack by name: a coroutine function with its settings, as text and back."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Protocol

from unfool.attacks._discovery import defined_in
from unfool.engine import Ask
from unfool.errors import UserError, did_you_mean
from unfool.settings import defaults, read_settings, split_spec, written
from unfool.text import Sample, Text

_RECIPES = "unfool.attacks.recipes"


class AttackFunction(Protocol):
    """What a recipe file defines: ``async def name(sample, ask, *, setting=default, …) -> Text``."""

    __name__: str

    def __call__(self, sample: Sample, ask: Ask, **settings: Any) -> Awaitable[Text]:
        """Search an adversarial text for one sample."""
        ...


@dataclass(frozen=True)
class Attack:
    """A recipe with all its settings; call it with a sample and an `Ask`. Its repr rebuilds it."""

    name: str
    function: AttackFunction
    needs: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    language: str | None = None
    """The language of its word lists, taggers and the like; None where it reads any."""
    from_data: Mapping[str, str] = field(default_factory=dict)
    """Settings that, left None, are made of the name of the data under attack: ``{}`` stands for it."""

    def __call__(self, sample: Sample, ask: Ask) -> Awaitable[Text]:
        """Start the search for one sample."""
        return self.function(sample, ask, **self.settings)

    def __repr__(self) -> str:
        return written(self.name, {**self.defaults(), **self.settings})

    @property
    def summary(self) -> str:
        """The first line of the recipe's documentation."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @property
    def tries_every_word(self) -> bool:
        """Whether it may ask about the victim's whole vocabulary: its setting ``candidates`` is none."""
        return {"candidates": 0, **self.defaults(), **self.settings}["candidates"] is None

    def defaults(self) -> dict[str, Any]:
        """Every setting with its default."""
        return defaults(self.function)

    def for_data(self, data: str) -> Attack:
        """Return the attack with what it leaves to the data under attack, given by name."""
        left = {**self.defaults(), **self.settings}
        filled = {key: form.format(data) for key, form in self.from_data.items() if left[key] is None}
        return replace(self, settings={**self.settings, **filled}) if filled else self

    def with_settings(self, given: Mapping[str, str]) -> Attack:
        """Return the attack with settings given as strings.

        Raises:
            UserError: An unknown setting, or a value it does not take.
        """
        read = read_settings(f"the attack {self.name!r}", self.function, given)
        return replace(self, settings={**self.settings, **read})


def attack(
    *, needs: tuple[str, ...] = (), language: str | None = None, from_data: Mapping[str, str] | None = None
) -> Callable[[Callable[..., Awaitable[Text]]], Attack]:
    """Make a recipe of a coroutine function; its keyword-only arguments are the settings.

    Args:
        needs: What the victim must offer beyond predictions: ``gradients``, ``attention``, ``hidden``.
        language: The language of its word lists, taggers and the like, such as ``English``; None for any.
        from_data: Settings that, left None, are made of the name of the data under attack: ``{}`` stands for it.
    """

    def register(function: Callable[..., Awaitable[Text]]) -> Attack:
        recipe = typing.cast(AttackFunction, function)
        return Attack(
            recipe.__name__.replace("_", "-"), recipe, needs, language=language, from_data=from_data or {}
        )

    return register


@lru_cache(maxsize=1)
def attacks() -> dict[str, Attack]:
    """Return every attack by name: whatever the files of `unfool.attacks.recipes` define."""
    return {recipe.name: recipe for recipe in sorted(defined_in(_RECIPES, Attack), key=lambda recipe: recipe.name)}


def find_attack(spec: str) -> Attack:
    """Return the attack written as ``name`` or ``name:key=value,key=value``.

    Raises:
        UserError: An unknown name, setting or value, with a suggestion.
    """
    name, given = split_spec(spec)
    known = attacks()
    if name not in known:
        raise UserError(f"unknown attack {name!r}{did_you_mean(name, known)}")
    return known[name].with_settings(given)
