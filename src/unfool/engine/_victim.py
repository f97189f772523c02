"""A victim as the engine sees it: texts become its rows, and rows are answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from unfool.engine._goal import Floats
from unfool.engine._service import Later
from unfool.errors import VictimError
from unfool.text import Variants

Keys = NDArray[np.uint64]
"""One number a text; equal ones mean the same input to the model."""


class Answers(NamedTuple):
    """Probabilities, one row a text, and the errors of those rows the victim could not answer."""

    values: Floats
    errors: dict[int, VictimError]


PendingAnswers = Later[Answers]
"""A forward pass under way."""


class Rows(Protocol):
    """Texts as a victim takes them; equal keys mean the same input to the model."""

    @property
    def keys(self) -> Keys:
        """One key a text."""
        ...


class Predictor(Protocol):
    """What the engine needs of a victim."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Label names, one a class."""
        ...

    @property
    def decimals(self) -> int:
        """Places of a probability that do not move with the batch's shape; scores are rounded to them."""
        ...

    @property
    def approximate(self) -> bool:
        """Whether the search runs at less than full precision, so that a success needs a check at once."""
        ...

    @property
    def unknown(self) -> str:
        """A word that means nothing to the victim, for asking how much a word matters."""
        ...

    @property
    def vocabulary(self) -> Sequence[str]:
        """The words the victim knows; empty if it has no list of them."""
        ...

    def rows(self, asked: Sequence[Variants]) -> Any:
        """Turn what several samples ask into `Rows`, in order."""
        ...

    def launch(self, rows: Any, chosen: NDArray[np.intp]) -> PendingAnswers:
        """Start a forward pass over some of the rows."""
        ...

    def check(self, inputs: Sequence[tuple[str, ...]]) -> PendingAnswers:
        """Start answering about rendered texts from scratch, at full precision, each independent of the others."""
        ...
