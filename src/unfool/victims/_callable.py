"""Any function from texts to probabilities as a victim."""

from __future__ import annotations

import sys
from collections.abc import Callable as Function
from collections.abc import Sequence
from typing import Any

from unfool.errors import UserError
from unfool.victims._import import PREFIX, import_function
from unfool.victims._labels import label_names, numbered_labels
from unfool.victims._plain import EMPTY_PAIR, EMPTY_TEXT, plain
from unfool.victims._rescue import rescued
from unfool.victims._text_victim import Input, TextVictim, checked


class Callable(TextVictim):
    """A function from a list of strings (of pairs, for pair inputs) to one row of probabilities a text.

    The rows may be an array's, a tensor's or lists. An exception costs only the texts that raise it on their own.
    """

    def __init__(self, function: Function[[Any], Any], labels: Sequence[str] | None, name: str) -> None:
        """Wrap a function; see `callable_victim`, which knows its name."""
        self._function, self._name = function, name
        self.labels = label_names(name, labels) if labels else self._probed_labels()

    def probabilities(self, inputs: Sequence[Input]) -> Any:
        """Call the function."""
        return rescued(self, self._call, inputs)

    def __repr__(self) -> str:
        return self._name

    def _call(self, inputs: Sequence[Input]) -> Any:
        answers = self._function(plain(inputs))
        if hasattr(answers, "detach"):  # a tensor, perhaps on a device or still tied to its graph
            return answers.detach().float().cpu().numpy()
        return answers

    def _probed_labels(self) -> tuple[str, ...]:
        fault = ""
        for nothing in (EMPTY_TEXT, EMPTY_PAIR):
            try:
                answers = self._call([nothing])
                classes = len(answers[0])
            except UserError:
                raise
            except Exception as error:
                fault = fault or f"it raised {type(error).__name__}: {error}"
                continue
            wrong = checked(self._name, answers, 1, classes).errors
            if classes > 1 and not wrong:
                return numbered_labels(classes)
            fault = fault or str(wrong.get(0, "it answered one number"))
        raise UserError(f"cannot learn the classes of {self._name} from an empty text ({fault}); give its labels")


def callable_victim(function: str | Function[[Any], Any], labels: Sequence[str] | None = None) -> Callable:
    """Make a victim of a function.

    Args:
        function: The function, or its name as ``py:module:function`` (the current directory is searched too).
        labels: Names of the classes, in the order of the columns. Without them, an attribute ``labels`` of the
            function or of its module says them; or else one call on an empty text tells how many there are.
    """
    if isinstance(function, str):
        found, module = import_function(function)
        return Callable(found, labels or _said_labels(found, module), function)
    if not callable(function):
        raise UserError(f"{function!r} is a {type(function).__name__}, not a function")
    named = function if hasattr(function, "__qualname__") else type(function)
    name = f"{PREFIX}{named.__module__}:{named.__qualname__}"
    return Callable(function, labels or _said_labels(function, sys.modules.get(named.__module__)), name)


def _said_labels(*places: object) -> Sequence[str] | None:
    for place in places:
        said = getattr(place, "labels", None)
        if isinstance(said, (list, tuple)) and said and all(isinstance(label, str) for label in said):
            return said
    return None
