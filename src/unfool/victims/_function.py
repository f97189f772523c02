"""Any function from texts to probabilities as a victim."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from unfool.errors import UserError, VictimError
from unfool.python_names import PREFIX, import_function
from unfool.victims._answer_forms import as_rows, classes_in, label_names, one_a_text
from unfool.victims._fingerprints import code_fingerprint
from unfool.victims._foreign_code import BATCH, Aside, Batches
from unfool.victims._victim import (
    EMPTY_PAIR,
    EMPTY_TEXT,
    PLAIN_TEXTS,
    Input,
    NoProbabilities,
    TextVictim,
    checked,
    plain,
)


class FunctionVictim(TextVictim):
    """A function from a list of strings (of pairs, for pair inputs) to one answer a text.

    An answer is a row of probabilities (of an array, a tensor or lists), the probability of the second of two
    labels, a label, or what Hugging Face's pipelines give. An exception costs only the texts that raise it alone.
    """

    def __init__(
        self,
        function: Callable[[Any], Any],
        labels: Sequence[str] | None,
        name: str,
        *,
        batch: int = BATCH,
        fingerprint: str | None = None,
        aside: Aside | None = None,
    ) -> None:
        """Wrap a function; see `callable_victim`, which knows its name.

        Args:
            function: The function.
            labels: Names of the classes, or None to learn how many there are by asking.
            name: The name the victim goes by.
            batch: Most texts a call.
            fingerprint: What the function's code is, in one line.
            aside: Where its code has run before.
        """
        self._function, self._name, self.fingerprint = function, name, fingerprint
        self._aside = aside or Aside()
        self._batches = Batches(name, self._rows, batch)
        self.labels = label_names(name, labels) if labels else self._probed_labels()

    def probabilities(self, inputs: Sequence[Input]) -> Any:
        """Call the function, on so many texts at a time."""
        return self._batches.rows(inputs)

    def __repr__(self) -> str:
        return self._name

    def _rows(self, inputs: Sequence[Input]) -> Any:
        return as_rows(self._name, self._call(inputs), len(inputs), self.labels)

    def _call(self, inputs: Sequence[Input]) -> Any:
        with self._aside():
            return self._function(plain(inputs))

    def _probed_labels(self) -> tuple[str, ...]:
        faults: list[VictimError] = []
        for probe in (EMPTY_TEXT, EMPTY_PAIR, *((text,) for text in PLAIN_TEXTS)):
            try:
                answers = self._call([probe])
                labels = classes_in(self._name, one_a_text(self._name, answers, 1)[0])
            except VictimError as error:
                faults.append(error)
            except UserError:
                raise
            except (Exception, SystemExit) as error:
                faults.append(VictimError(f"it raised {type(error).__name__}: {error}"))
            else:
                rows = as_rows(self._name, answers, 1, labels)
                wrong = checked(self._name, rows, 1, len(labels), [probe]).errors
                if not wrong:
                    return labels
                faults.append(wrong[0])
        no_use = next((fault for fault in faults if isinstance(fault, NoProbabilities)), None)
        if no_use:
            raise UserError(str(no_use))
        raise UserError(
            f"cannot learn the classes of {self._name} from an empty text ({faults[0]}); give its labels"
        )


def callable_victim(
    function: str | Callable[[Any], Any], labels: Sequence[str] | None = None, *, batch: int = BATCH
) -> FunctionVictim:
    """Make a victim of a function.

    Args:
        function: The function, or its name as ``py:module:function`` (the current directory is searched too) or
            ``py:FILE.py:function``.
        labels: Names of the classes, in the order of the columns. Without them, an attribute ``labels`` of the
            function or of its module says them; or else one call on an empty text tells how many there are.
        batch: Most texts a call; fewer if the function turns out to bear only fewer.
    """
    aside = Aside()
    if isinstance(function, str):
        with aside():
            found, module = import_function(function)
        print_of_code = code_fingerprint(found, module)
        said = labels or _said_labels(found, module)
        return FunctionVictim(found, said, function, batch=batch, fingerprint=print_of_code, aside=aside)
    if not callable(function):
        raise UserError(f"{function!r} is a {type(function).__name__}, not a function")
    named = function if hasattr(function, "__qualname__") else type(function)
    name = f"{PREFIX}{named.__module__}:{named.__qualname__}"
    said = labels or _said_labels(function, sys.modules.get(named.__module__))
    return FunctionVictim(
        function, said, name, batch=batch, fingerprint=code_fingerprint(function, None), aside=aside
    )


def _said_labels(*places: object) -> Sequence[str] | None:
    for place in places:
        said = getattr(place, "labels", None)
        if isinstance(said, (list, tuple)) and said and all(isinstance(label, str) for label in said):
            return said
    return None
