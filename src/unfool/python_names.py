"""What Python code anybody has at hand is called: ``py:module:function`` or ``py:FILE.py:function``."""

from __future__ import annotations

import importlib
import importlib.util
import os
import pkgutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from unfool.errors import UserError, did_you_mean

PREFIX = "py:"


def split_python_name(spec: str) -> tuple[str, str]:
    """Split ``py:module:function:key=value`` into the name and its settings, which may be empty."""
    parts = spec.split(":", 3)
    return ":".join(parts[:3]), "".join(parts[3:])


def import_function(name: str, prefix: str = PREFIX) -> tuple[Callable[..., Any], ModuleType]:
    """Return the function that a name says, and its module; the current directory counts too."""
    found, module = import_named(name, prefix, "function")
    if not callable(found):
        raise UserError(f"{name!r} is a {type(found).__name__}, not a function")
    return found, module


def import_named(name: str, prefix: str, what: str) -> tuple[Any, ModuleType]:
    """Return the object that a name says, and its module.

    Args:
        name: Such as ``pipeline:module:object``.
        prefix: What stands before it, with the colon.
        what: What the object is, for messages.
    """
    module_name, _, path = name.removeprefix(prefix).rpartition(":")
    if not (name.startswith(prefix) and module_name and path):
        raise UserError(f"{name!r} names no {what}; write {prefix}module:{what} or {prefix}FILE.py:{what}")
    is_file = module_name.endswith(".py") or "/" in module_name
    module = found = _load_file(name, Path(module_name)) if is_file else _import_module(name, module_name)
    for part in path.split("."):
        if not hasattr(found, part):
            functions = (key for key, value in vars(found).items() if callable(value) and not key.startswith("_"))
            raise UserError(f"{name!r}: there is no {part!r} in {module_name}{_hint(part, functions)}")
        found = getattr(found, part)
    return found, module


def _import_module(name: str, module_name: str) -> Any:
    # A script installed on the path, such as our own command, does not have the current directory there.
    with _first_on_the_path(os.getcwd()):
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
        except (Exception, SystemExit) as error:
            raise UserError(f"{name!r}: importing {module_name} raised {type(error).__name__}: {error}") from error


def _load_file(name: str, file: Path) -> ModuleType:
    """Import a Python file from where it lies; the modules beside it can be imported in it."""
    if not file.is_file():
        raise UserError(f"{name!r}: there is no file {file}{_hint(file.name, _python_files(file.parent))}")
    known = sys.modules.get(file.stem)
    if known and file.resolve() == Path(getattr(known, "__file__", None) or "").resolve():
        return known
    # A module of that name may be somebody else's, such as json.
    module_name = f"{PREFIX}{file.resolve()}" if known else file.stem
    spec = importlib.util.spec_from_file_location(module_name, file.resolve())
    if spec is None or spec.loader is None:
        raise UserError(f"{name!r}: {file} is no Python file; write py:FILE.py:function")
    module = sys.modules[module_name] = importlib.util.module_from_spec(spec)
    try:
        with _first_on_the_path(str(file.resolve().parent)):
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[module_name]
        raise UserError(f"{name!r}: running {file} raised {type(error).__name__}: {error}") from error
    return module


def _python_files(folder: Path) -> Iterator[str]:
    return (file.name for file in folder.glob("*.py"))


@contextmanager
def _first_on_the_path(folder: str) -> Iterator[None]:
    sys.path.insert(0, folder)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(folder)


def _hint(given: str, known: Iterable[str]) -> str:
    names = list(known)
    return did_you_mean(given, names) if names else ""
