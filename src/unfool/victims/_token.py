"""A secret that goes into a header and nowhere else."""

from __future__ import annotations

import json
import os

from unfool.errors import UserError

HIDDEN = "***"


class Token:
    """A bearer token from the environment; its repr does not show it."""

    def __init__(self, variable: str) -> None:
        self.variable = variable
        self._value = os.environ.get(variable, "").strip()
        if not all("!" <= character <= "~" for character in self._value):
            raise UserError(f"the token in the variable {variable} has characters that no HTTP header may carry")

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return f"Token({self.variable!r})"

    def headers(self) -> dict[str, str]:
        """Return the header that carries the token; none where there is no token."""
        return {"Authorization": f"Bearer {self._value}"} if self else {}

    def hide(self, text: str) -> str:
        """Blot the token out of what a server or a library says, also where it stands there in quotes."""
        for form in (self._value, repr(self._value)[1:-1], json.dumps(self._value)[1:-1]):
            text = text.replace(form, HIDDEN) if form else text
        return text
