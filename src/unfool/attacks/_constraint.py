"""A constraint by name: what a changed text must keep, with its limit, as text and back."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from unfool import engine
from unfool.engine import Ask
from unfool.errors import UserError
from unfool.registry import Named, Registry
from unfool.text import Text

_RELATIONS = {"at_most": "<=", "at_least": ">="}
_RELATION = re.compile(r"([<>=]+)")


@dataclass(frozen=True, kw_only=True, repr=False)
class Constraint(Named):
    """A constraint with its limit, where it takes one. Its repr rebuilds it."""

    KIND: ClassVar[str] = "constraint"

    cost: int = 0
    between: tuple[float, float] = (0.0, 1.0)
    opens: Callable[[], object] | None = None
    language: str | None = None
    """The language of what it reads by; None if it reads any."""
    limit: float | None = None

    def __call__(self, ask: Ask, original: Text, texts: Sequence[Text]) -> Awaitable[list[bool]]:
        """Say for each text whether it keeps the constraint."""
        limits = {self._limit_name: self.limit} if self._limit_name else {}
        answer: Awaitable[list[bool]] = self.function(ask, original, texts, **limits)
        return answer

    def __repr__(self) -> str:
        return self.name if self.limit is None else f"{self.name}{self._relation}{self.limit:.12g}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _found, (self.name, self.limit)

    def reads(self, language: str) -> bool:
        """Whether it can judge texts in a language, given by its English name."""
        return self.language in (None, language)

    @property
    def does(self) -> str:
        """What it reads, where it does not suit every language: ``reads English``; empty if it does."""
        return f"reads {self.language}" if self.language else ""

    @property
    def form(self) -> str:
        """How it is written."""
        return f"{self.name}{self._relation}NUMBER" if self._limit_name else self.name

    def open(self) -> None:
        """Load what it needs, so that what is missing is said before anything runs."""
        if self.opens:
            self.opens()

    @property
    def _limit_name(self) -> str:
        return next((name for name in _RELATIONS if name in inspect.signature(self.function).parameters), "")

    @property
    def _relation(self) -> str:
        return _RELATIONS.get(self._limit_name, "")

    def with_limit(self, relation: str, number: str) -> Constraint:
        """Return the constraint with a limit given as strings, both empty if there is none.

        Raises:
            UserError: A limit it does not take, or none if it needs one.
        """
        given = f"{self.name}{relation}{number}"
        if relation != self._relation:
            raise UserError(f"cannot read the constraint {given!r}; it is written {self.form}")
        if not relation:
            return self
        low, high = self.between
        try:
            limit = float(number)
        except ValueError:
            limit = math.nan
        if not low <= limit <= high or math.isinf(limit):
            takes = f"from {low:g} to {high:g}" if math.isfinite(high) else f"of {low:g} or more"
            raise UserError(f"cannot read the constraint {given!r}; it takes a number {takes}")
        return replace(self, limit=limit)


def constraint(
    *,
    cost: int = 0,
    between: tuple[float, float] = (0.0, 1.0),
    opens: Callable[[], object] | None = None,
    language: str | None = None,
) -> Callable[[Callable[..., Awaitable[list[bool]]]], Constraint]:
    """Make a constraint of ``async def name(ask, original, texts) -> list[bool]``.

    A keyword-only argument ``at_most`` or ``at_least`` is its limit, written ``name<=NUMBER`` or ``name>=NUMBER``.

    Args:
        cost: How dear it is; of several constraints the cheaper ones come first. 0 looks at words, 1 tags them,
            2 reads sentences, 3 runs a model, 4 a large one.
        between: The least and the greatest limit.
        opens: Loads what it needs.
        language: The language of its word lists, taggers and models, such as ``English``; None for any.
    """

    def register(function: Callable[..., Awaitable[list[bool]]]) -> Constraint:
        return Constraint(
            name=function.__name__.replace("_", "-"),
            function=function,
            cost=cost,
            between=between,
            opens=opens,
            language=language,
        )

    return register


CONSTRAINTS = Registry("unfool.constraints", Constraint, constraint())
"""Every constraint by name; the built-in ones are what the files of `unfool.attacks.constraints` define."""


PROFILES: Mapping[str, str] = {
    "paper": "",
    "strict": "word-similarity>=0.9,window-similarity>=0.98,grammar,stop-words",
    "uniform": "words<=0.3,universal-similarity>=0.84",
    "character": "characters<=0.1,stop-words,not-in-vocabulary",
}
"""Several constraints by one name.

They are what the attack's own paper asks, which the attack keeps by itself; those of Morris et al. (2020); those of
Li et al. (2021) for short texts; and for changes of characters, few of them that make no other word.
"""


def find_constraints(spec: str) -> tuple[Constraint, ...]:
    """Return constraints written as ``name``, ``name<=number`` or ``name>=number``, commas between, cheap first.

    The name of one of the `PROFILES` stands for all of its constraints, save those given beside it.

    Raises:
        UserError: An unknown name, a limit that cannot be read, a constraint given twice.
    """
    found: dict[str, Constraint] = {}
    given = [part for part in map(str.strip, spec.split(",")) if part]
    for part in given:
        if part in PROFILES:
            continue
        name, relation, number = (*map(str.strip, _RELATION.split(part, maxsplit=1)), "", "")[:3]
        if name in found:
            raise UserError(f"the constraint {name!r} is given twice in {spec!r}; give it once")
        found[name] = CONSTRAINTS.find(name).with_limit(relation, number)
    for profile in given:
        for rule in find_constraints(PROFILES.get(profile, "")):
            found.setdefault(rule.name, rule)
    return tuple(sorted(found.values(), key=lambda rule: (rule.cost, rule.name)))


def read_constraints(given: str | Sequence[str | engine.Constraint]) -> tuple[engine.Constraint, ...]:
    """Return constraints given as one string, or as a list of strings, constraints or both; strings come first.

    Raises:
        UserError: Something that is no constraint, or a string that cannot be read.
    """
    if isinstance(given, str):
        return find_constraints(given)
    how = "give strings such as 'words<=0.2', or functions of (ask, original, texts)"
    if not isinstance(given, Sequence):
        raise UserError(f"constrain is a {type(given).__name__}; give one string, or a list: {how}")
    others = [each for each in given if not isinstance(each, str)]
    for each in others:
        if not callable(each) or isinstance(each, type):
            raise UserError(f"{each!r} in constrain is no constraint; {how}")
    return (*find_constraints(",".join(each for each in given if isinstance(each, str))), *others)


def _found(name: str, limit: float | None) -> Constraint:
    return replace(CONSTRAINTS.find(name), limit=limit)
