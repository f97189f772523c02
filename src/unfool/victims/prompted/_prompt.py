"""Prompts: a template that tells a language model the text and the labels."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from unfool.errors import UserError
from unfool.victims._victim import Input

DEFAULT_PROMPT = (
    "Which of these labels fits the text: {labels}? Answer with the label alone.\n\nText: {text}\n\nLabel:"
)
_PLACES = re.compile(r"\{(text|second|labels)\}")


class Filled(NamedTuple):
    """A template with the texts in their places."""

    written: str
    starts: tuple[tuple[int, int], ...]
    """Where texts start, and which of them: 0 for a pair's first, 1 for its second."""


class Prompt:
    """A template with ``{text}``, with ``{second}`` for a pair's second text, and perhaps ``{labels}``.

    Other braces stand for themselves, and braces in a text do, too.

    Args:
        template: The template.
        labels: The labels, as the model is to write them.
    """

    def __init__(self, template: str, labels: Sequence[str]) -> None:
        if "{text}" not in template:
            raise UserError(f"the prompt {template[:60]!r} has no {{text}}; write {{text}} where the text goes")
        self._template, self._labels = template, ", ".join(labels)

    @classmethod
    def read(cls, file: str | None, labels: Sequence[str]) -> Prompt:
        """Read a template from a file, or from what is given; without one, the model is asked which label fits.

        Raises:
            UserError: The file cannot be read, or has no place for the text.
        """
        if file is None:
            return cls(DEFAULT_PROMPT, labels)
        if "{text}" in file:
            return cls(file, labels)
        try:
            return cls(Path(file).expanduser().read_text("utf-8").rstrip("\n"), labels)
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"cannot read the prompt {file}: {error}") from None

    @property
    def fingerprint(self) -> str:
        """The template and the labels, in one line."""
        return hashlib.sha256(f"{self._template}\0{self._labels}".encode()).hexdigest()

    def of(self, strings: Input) -> str:
        """Return what the model reads for a text, or for a pair."""
        return self.filled(strings).written

    def filled(self, strings: Input) -> Filled:
        """Return what the model reads for a text, or for a pair, and where they stand in it."""
        if len(strings) > 1 and "{second}" not in self._template:
            raise UserError("the texts are pairs, and the prompt has no {second}; write {second} where it goes")
        fields = dict(zip(("text", "second"), range(len(strings)), strict=False))
        pieces, starts, done = list[str](), list[tuple[int, int]](), 0
        for place in _PLACES.finditer(self._template):
            pieces.append(self._template[done : place.start()])
            done = place.end()
            field = fields.get(place[1])
            if field is not None:
                starts.append((sum(map(len, pieces)), field))
            pieces.append(self._labels if place[1] == "labels" else place[0] if field is None else strings[field])
        return Filled("".join((*pieces, self._template[done:])), tuple(starts))
