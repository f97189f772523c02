"""What the files of a package define: a new attack or constraint is a new file, and nothing else."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TypeVar

T = TypeVar("T")


def defined_in(package_name: str, kind: type[T]) -> list[T]:
    """Return every value of a kind that the modules of a package hold."""
    package = importlib.import_module(package_name)
    modules = [importlib.import_module(f"{package_name}.{m.name}") for m in pkgutil.iter_modules(package.__path__)]
    return [value for module in modules for value in vars(module).values() if isinstance(value, kind)]
