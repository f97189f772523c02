"""What has a name, ours or a plug-in's: attacks, constraints, methods, kinds of victim, data sets, commands.

Packages name what they bring by entry points; each is one thing, or a module (or package) with several::

    [project.entry-points."unfool.attacks"]
    shout = "my_package.attacks:shout"
    mine = "my_package.more_attacks"

`py:module:function` and `py:FILE.py:function` need no package. Nothing is imported before it is asked for.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

from unfool.errors import UserError, did_you_mean, in_one_line
from unfool.python_names import PREFIX, import_function, split_python_name
from unfool.settings import as_text, defaults, read_settings, split_settings, split_spec, written

OWN = "unfool"
"""The distribution that brings the built-ins."""


@dataclass(frozen=True, kw_only=True)
class Named:
    """A function with a name and settings, its keyword-only arguments. Its repr rebuilds it."""

    KIND: ClassVar[str] = "function"
    """What it is, as messages say it: ``attack``."""

    name: str
    function: Callable[..., Any]
    settings: Mapping[str, Any] = field(default_factory=dict)
    origin: str = field(default="", compare=False)
    """The distribution it comes from; empty if it was not found by an entry point."""

    def __repr__(self) -> str:
        return written(self.name, {**self.defaults(), **self.settings})

    @property
    def summary(self) -> str:
        """The first line of the function's documentation."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    def defaults(self) -> dict[str, Any]:
        """Return every setting with its default."""
        return defaults(self._takes_settings)

    @property
    def _takes_settings(self) -> Callable[..., Any]:
        """What settings are read for: a function, or a class of keyword-only fields."""
        return self.function

    def with_settings(self, /, **settings: Any) -> Self:
        """Return it with other settings, as Python values or as the command line writes them.

        Raises:
            UserError: An unknown setting, or a value it does not take.
        """
        given = {key: as_text(value) for key, value in settings.items()}
        read = read_settings(f"the {self.KIND} {self.name!r}", self._takes_settings, given)
        return replace(self, settings={**self.settings, **read})


T = TypeVar("T", bound=Named)


class _Claim(NamedTuple):
    """A name that a distribution claims, and how to get what it names."""

    distribution: str
    load: Callable[[], object]


class Registry(Generic[T]):
    """The things of one kind, by name."""

    def __init__(self, group: str, kind: type[T], make: Callable[[Callable[..., Any]], T] | None = None) -> None:
        """Prepare to look up names; entry points are read when the first name is asked for.

        Args:
            group: The group of entry points, such as ``unfool.attacks``.
            kind: What the entry points name.
            make: Makes the kind of a bare function; if None, functions have to be decorated.
        """
        self.group, self._kind, self._make = group, kind, make
        self._broken: list[str] = []

    def find(self, name: str) -> T:
        """Return what has a name.

        Raises:
            UserError: Nothing has it, several packages claim it, or it cannot be imported.
        """
        if name.startswith(PREFIX):
            found, _ = import_function(name)
            return self._adopted(found, name, "", repr(name))
        claims = self._claims.get(name, [])
        if not claims:
            broken = "".join(f"; {problem}" for problem in self._broken)
            raise UserError(f"unknown {self._what} {name!r}{did_you_mean(name, self._claims)}{broken}")
        if len(claims) > 1:
            owners = " and ".join(claim.distribution for claim in claims)
            raise UserError(
                f"the {self._what} {name!r} is claimed by several packages, {owners}; uninstall all but one"
            )
        return self._loaded(name, claims[0])

    def find_spec(self, spec: str) -> T:
        """Return what is written ``name`` or ``name:key=value,key=value``.

        Raises:
            UserError: As of `find`, or an unknown setting, or a value it does not take.
        """
        if spec.startswith(PREFIX):
            name, tail = split_python_name(spec)
            given = split_settings(tail, spec)
        else:
            name, given = split_spec(spec)
        return self.find(name).with_settings(**given)

    def names(self) -> list[str]:
        """Return every name, sorted."""
        return sorted(self._claims)

    def all(self) -> dict[str, T]:
        """Return everything by name, sorted; `problems` says what cannot be used and is left out."""
        usable = {}
        for name in self.names():
            with suppress(UserError):
                usable[name] = self.find(name)
        return usable

    def problems(self) -> list[str]:
        """Say in a line each what entry points name but nobody can use."""
        problems = []
        for name in self.names():
            try:
                self.find(name)
            except UserError as error:
                problems.append(str(error))
        return [*self._broken, *problems]

    @property
    def _what(self) -> str:
        return self._kind.KIND

    @cached_property
    def _claims(self) -> dict[str, list[_Claim]]:
        claims: dict[str, list[_Claim]] = {}
        for entry in entry_points(group=self.group):
            owner = entry.dist.name if entry.dist else "an unnamed package"
            found = {entry.name: entry.load} if entry.attr else self._defined_in(entry, owner)
            for name, load in found.items():
                claims.setdefault(name, []).append(_Claim(owner, load))
        if not any(claim.distribution == OWN for each in claims.values() for claim in each) and not self._broken:
            raise UserError(
                f"no {self._what} can be found, because unfool's files are here but it is not installed; "
                "in the clone run: pip install -e ."
            )
        return claims

    def _defined_in(self, entry: EntryPoint, owner: str) -> dict[str, Callable[[], object]]:
        """Return what a module, or each module of a package, defines: a new built-in is a new file, no more."""
        found: dict[str, Callable[[], object]] = {}
        for module in self._modules(entry.module, owner):
            for value in vars(module).values():
                if isinstance(value, self._kind):
                    found[value.name] = lambda value=value: value  # type: ignore[misc]
        return found

    def _modules(self, name: str, owner: str) -> Iterator[ModuleType]:
        try:
            module = importlib.import_module(name)
        except (Exception, SystemExit) as error:
            self._broken.append(f"{name} of the package {owner} cannot be imported: {in_one_line(error)}")
            return
        yield module
        for each in pkgutil.iter_modules(getattr(module, "__path__", [])):
            yield from self._modules(f"{name}.{each.name}", owner)

    def _loaded(self, name: str, claim: _Claim) -> T:
        place = f"the {self._what} {name!r} of the package {claim.distribution}"
        try:
            found = claim.load()
        except (Exception, SystemExit) as error:
            raise UserError(f"{place} cannot be imported: {in_one_line(error)}") from error
        return self._adopted(found, name, claim.distribution, place)

    def _adopted(self, found: object, name: str, origin: str, place: str) -> T:
        if not isinstance(found, self._kind) and self._make and callable(found) and not isinstance(found, Named):
            found = self._make(found)
        if not isinstance(found, self._kind):
            raise UserError(f"{place} is no {self._what} but a {type(found).__name__}")
        return replace(found, name=name, origin=origin)
