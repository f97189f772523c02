"""A function from a list of texts to a list of texts as a model that generates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from unfool.errors import UserError, VictimError
from unfool.generation._output import Generator, Output
from unfool.python_names import PREFIX, import_function
from unfool.victims import Aside, Batches, code_fingerprint


class GeneratingFunction(Generator):
    """Calls a function on so many texts at a time. An exception costs only the texts that raise it alone.

    The function returns a string a text, or a pair of a string and its log-probability.

    Args:
        function: The function, or its name as ``py:module:function`` or ``py:FILE.py:function``.
        batch: Most texts a call.
    """

    def __init__(self, function: str | Callable[[list[str]], Any], *, batch: int = 64) -> None:
        self._aside = Aside()
        if isinstance(function, str):
            with self._aside():
                self._function, module = import_function(function)
            self._name, self.fingerprint = function, code_fingerprint(self._function, module)
        else:
            named = function if hasattr(function, "__qualname__") else type(function)
            self._function, self._name = function, f"{PREFIX}{named.__module__}:{named.__qualname__}"
            self.fingerprint = code_fingerprint(function, None)
        # How many texts a call has moves no answer, so it is no part of the name.
        self._batches = Batches(self._name, self._call, batch)

    def generate(self, sources: Sequence[str]) -> list[Output | VictimError]:
        """Call the function."""
        return list(self._batches.rows([(source,) for source in sources]))

    def generate_exactly(self, sources: Sequence[str]) -> list[Output | VictimError]:
        """Call the function on each text alone."""
        return [output for source in sources for output in self.generate([source])]

    def __repr__(self) -> str:
        return self._name

    def _call(self, inputs: Sequence[tuple[str, ...]]) -> list[Any]:
        with self._aside():
            answers = self._function([source for (source,) in inputs])
        if isinstance(answers, str) or not hasattr(answers, "__len__"):
            raise UserError(
                f"{self._name} answered {answers!r:.80} for {len(inputs)} texts; return a list of strings"
            )
        return [as_output(self._name, answer) for answer in answers]


def as_output(model: str, answer: Any) -> Output | VictimError:
    """Read one answer: a string, a string with its log-probability, or what Hugging Face's pipelines give."""
    match answer:
        case str():
            return Output(answer)
        case [str() as text, int() | float() as log_probability]:
            return Output(text, float(log_probability))
        case {"text": str() as text, "log_probability": int() | float() as log_probability}:
            return Output(text, float(log_probability))
        case (
            {"translation_text": str() as text}
            | {"generated_text": str() as text}
            | {"summary_text": str() as text}
            | {"text": str() as text}
        ):
            return Output(text)
        case [dict() as one]:
            return as_output(model, one)
    return VictimError(f"{model} answered {answer!r:.80}; expected a string")
