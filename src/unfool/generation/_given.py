"""What people have in their hands as a model that generates: a name, a function, or a model."""

from __future__ import annotations

from typing import Any

from unfool.errors import UserError
from unfool.generation._function import GeneratingFunction
from unfool.generation._kinds import open_generator
from unfool.generation._output import Generator
from unfool.options import Options


def as_generator(given: Any, options: Options | None = None) -> Generator:
    """Return the model that something is, or that can be made of it.

    Args:
        given: A model's name, a model, or a function from texts to texts.
        options: How to open a name.

    Raises:
        UserError: It is nothing of the kind.
    """
    if isinstance(given, str):
        return open_generator(given, options or Options())
    if isinstance(given, Generator):
        return given
    if callable(given) and not isinstance(given, type):
        return GeneratingFunction(given)
    raise UserError(
        f"{given!r:.80} does not generate; give a name, such as hf-seq2seq:FOLDER, or a function of texts"
    )
