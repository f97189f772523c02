"""A function found by its name, ``py:module:function``."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from unfool.errors import UserError, did_you_mean

PREFIX = "py:"


def import_function(name: str) -> tuple[Callable[..., Any], ModuleType]:
    """Return the function that ``py:module:function`` names, and its module; the current directory counts too."""
    module_name, _, path = name.removeprefix(PREFIX).partition(":")
    if not (name.startswith(PREFIX) and module_name and path):
        raise UserError(f"{name!r} names no function; write py:module:function")
    module = found = _import_module(name, module_name)
    for part in path.split("."):
        if not hasattr(found, part):
            functions = (key for key, value in vars(found).items() if callable(value) and not key.startswith("_"))
            raise UserError(f"{name!r}: there is no {part!r} in {module_name}{_hint(part, functions)}")
        found = getattr(found, part)
    if not callable(found):
        raise UserError(f"{name!r} is a {type(found).__name__}, not a function")
    return found, module


def _import_module(name: str, module_name: str) -> Any:
    with _current_directory_first():
        try:
            return importlib.import_module(module_name)
        except ModuleNotFoundError as error:
            missing = error.name or ""
            if not f"{module_name}.".startswith(f"{missing}."):
                raise UserError(f"{name!r}: importing {module_name} failed: {error}") from error
            parent, _, last = missing.rpartition(".")
            places = list(sys.modules[parent].__path__) if parent in sys.modules else [os.getcwd()]
            siblings = [module.name for module in pkgutil.iter_modules(places)]
            where = f"in {parent}" if parent else "installed or in the current directory"
            raise UserError(f"{name!r}: there is no module {last!r} {where}{_hint(last, siblings)}") from None
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            raise UserError(f"{name!r}: importing {module_name} raised {said}") from error


@contextmanager
def _current_directory_first() -> Iterator[None]:
    # A script installed on the path, such as our own command, does not have the current directory there.
    here = os.getcwd()
    sys.path.insert(0, here)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(here)


def _hint(given: str, known: Iterable[str]) -> str:
    names = list(known)
    return did_you_mean(given, names) if names else ""
