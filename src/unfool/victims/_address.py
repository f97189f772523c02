"""An endpoint's name: where it is, and behind a ``#`` how it is asked."""

from __future__ import annotations

import os
import typing
from typing import Any
from urllib.parse import unquote

from unfool.errors import UserError
from unfool.settings import defaults, read_values, split_settings
from unfool.victims._endpoint import Endpoint


def read_address(name: str) -> tuple[str, dict[str, Any]]:
    """Return the URL of ``URL`` or ``URL#key=value,key=value``, and what is behind the ``#``.

    That is the arguments of `Endpoint`, and ``threshold`` and ``positive``, as any victim of two labels takes them.

    Raises:
        UserError: An unknown setting, or a value it does not take. No message shows the URL, which was not looked
            at yet and may hold a password.
    """
    url, _, fragment = name.partition("#")
    given = _split(fragment)
    hints = typing.get_type_hints(Endpoint.__init__)
    known = {
        "labels": _label_names,
        **{key: hints[key] for key in defaults(Endpoint.__init__)},
        "threshold": float,
        "positive": unquote,
    }
    settings = read_values("an endpoint", known, given)
    if "token_env" in settings and settings["token_env"] not in os.environ:
        # Not shown: whoever mistakes its meaning has written the token itself.
        raise UserError("token_env names no environment variable that is set; give the name of one, never a token")
    return url, settings


def _split(fragment: str) -> dict[str, str]:
    try:
        return split_settings(fragment, f"#{fragment}")
    except UserError as error:
        hint = "; labels have bars between: labels=neg|pos" if "labels=" in fragment else ""
        raise UserError(f"{error}{hint}") from None


def _label_names(written: str) -> list[str]:
    return [unquote(label.strip()) for label in written.split("|")]
