"""A buff for garak: every prompt of a probe, changed by an attack of unfool.

``python -m unfool.integrations.garak_install`` puts it where garak looks, as ``buffs.unfool.Perturbed``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import garak.attempt
from garak.buffs.base import Buff

from unfool.integrations import SETTINGS, variants


class Perturbed(Buff):  # type: ignore[misc]
    """Change prompts by misspellings, look-alikes and the like, as an attack of unfool makes them."""

    DEFAULT_PARAMS = Buff.DEFAULT_PARAMS | SETTINGS | {"variants": 1}

    def transform(self, attempt: Any) -> Iterator[Any]:
        """Yield an attempt for every variant of a prompt."""
        message = attempt.prompt.last_message()
        settings = {name: getattr(self, name) for name in SETTINGS}
        for text in variants(message.text, self.variants, **settings):
            new = self._derive_new_attempt(attempt)
            delattr(new, "_prompt")  # garak refuses to set a prompt twice
            new.prompt = garak.attempt.Message(text=text, lang=message.lang)
            yield new
