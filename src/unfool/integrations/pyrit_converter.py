"""A converter for PyRIT: a prompt, changed by an attack of unfool."""

from __future__ import annotations

from typing import Any

from pyrit.converter import Converter, ConverterResult

from unfool.integrations import SETTINGS, changed


class UnfoolConverter(Converter):  # type: ignore[misc]
    """Change a prompt by misspellings, look-alikes and the like, as an attack of unfool makes them."""

    SUPPORTED_INPUT_TYPES = ("text",)
    SUPPORTED_OUTPUT_TYPES = ("text",)

    def __init__(
        self,
        *,
        attack: str = SETTINGS["attack"],
        seed: int = SETTINGS["seed"],
        max_words: float = SETTINGS["max_words"],
    ) -> None:
        super().__init__()
        self._settings = {"attack": attack, "seed": seed, "max_words": max_words}

    def _build_identifier(self) -> Any:
        return self._create_identifier(params=self._settings)

    async def convert_async(self, *, prompt: str, input_type: Any = "text") -> Any:
        """Return the prompt, changed."""
        if not self.input_supported(input_type):
            raise ValueError(f"{input_type} cannot be changed; UnfoolConverter takes text")
        return ConverterResult(output_text=changed(prompt, **self._settings), output_type="text")
