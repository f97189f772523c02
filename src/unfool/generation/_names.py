"""Names of models that generate: settings behind a ``#``, read and written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

from unfool.settings import as_text, split_settings


def split_name(name: str) -> tuple[str, dict[str, str]]:
    """Return a name and the settings behind its ``#``; a ``#`` with no setting behind it belongs to the name.

    In a value, ``%2C`` is a comma, and ``%20`` a space at its end.
    """
    bare, _, behind = name.rpartition("#")
    if not bare or "=" not in behind:
        return name, {}
    return bare, {key: unquote(value) for key, value in split_settings(behind, f"#{behind}").items()}


def name_with(bare: str, defaults: Mapping[str, Any], given: Mapping[str, Any]) -> str:
    """Write a name with the settings that are not the defaults, as `split_name` reads it."""
    told = [f"{key}={_escaped(as_text(value))}" for key, value in given.items() if value != defaults[key]]
    return f"{bare}#{','.join(told)}" if told else bare


def _escaped(value: str) -> str:
    return re.sub(r"[%,#]|^\s|\s$", lambda found: quote(found[0]), value)
