"""An attack by name: a coroutine function with its settings, as text and back."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, Protocol

from unfool.attacks._discovery import defined_in
from unfool.engine import Ask
from unfool.errors import UserError, did_you_mean
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

    def __call__(self, sample: Sample, ask: Ask) -> Awaitable[Text]:
        """Start the search for one sample."""
        return self.function(sample, ask, **self.settings)

    def __repr__(self) -> str:
        settings = {**self.defaults(), **self.settings}
        told = ",".join(f"{key}={_told(value)}" for key, value in settings.items())
        return f"{self.name}:{told}" if told else self.name

    @property
    def summary(self) -> str:
        """The first line of the recipe's documentation."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    def defaults(self) -> dict[str, Any]:
        """Every setting with its default."""
        return {name: parameter.default for name, parameter in self._parameters().items()}

    def with_settings(self, given: Mapping[str, str]) -> Attack:
        """Return the attack with settings given as strings.

        Raises:
            UserError: An unknown setting, or a value it does not take.
        """
        parameters = self._parameters()
        hints = typing.get_type_hints(self.function)
        settings = dict(self.settings)
        for key, value in given.items():
            if key not in parameters:
                raise UserError(f"the attack {self.name!r} has no setting {key!r}{did_you_mean(key, parameters)}")
            settings[key] = _parsed(self.name, key, value, hints[key])
        return Attack(self.name, self.function, self.needs, settings)

    def _parameters(self) -> dict[str, inspect.Parameter]:
        parameters = inspect.signature(self.function).parameters.values()
        return {p.name: p for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}


def attack(*, needs: tuple[str, ...] = ()) -> Callable[[Callable[..., Awaitable[Text]]], Attack]:
    """Make a recipe of a coroutine function; its keyword-only arguments are the settings.

    Args:
        needs: What the victim must offer beyond predictions: ``gradients``, ``attention``, ``hidden``.
    """

    def register(function: Callable[..., Awaitable[Text]]) -> Attack:
        recipe = typing.cast(AttackFunction, function)
        return Attack(recipe.__name__.replace("_", "-"), recipe, needs)

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
    name, _, tail = spec.partition(":")
    known = attacks()
    if name not in known:
        raise UserError(f"unknown attack {name!r}{did_you_mean(name, known)}")
    given: dict[str, str] = {}
    for part in filter(None, tail.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise UserError(
                f"cannot read {part!r} in {spec!r}; settings are written key=value, with commas between"
            )
        given[key.strip()] = value.strip()
    return known[name].with_settings(given)


def _told(value: object) -> str:
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _parsed(attack_name: str, key: str, value: str, hint: Any) -> Any:
    """Read a setting by its annotation; nothing is evaluated."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        if value == "none" and type(None) in arguments:
            return None
        (hint,) = [argument for argument in arguments if argument is not type(None)]
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    wrong = f"the attack {attack_name!r} cannot take {key}={value}"
    if origin is Literal:
        if value not in arguments:
            raise UserError(f"{wrong}{did_you_mean(value, map(str, arguments))}")
        return value
    if hint is bool:
        if value not in ("true", "false"):
            raise UserError(f"{wrong}; it is true or false")
        return value == "true"
    try:
        return hint(value)
    except ValueError:
        raise UserError(f"{wrong}; it takes {'a whole number' if hint is int else 'a number'}") from None
