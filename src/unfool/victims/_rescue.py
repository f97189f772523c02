"""Bounded batches: one that fails is asked again in halves, so that a text the victim chokes on loses no other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unfool.engine._blame import described
from unfool.errors import UserError, VictimError
from unfool.victims._text_victim import Input, require_one_each

BATCH = 64
"""Most texts a victim is asked about in one call, where the user does not say."""

Rows = NDArray[Any] | list[Any]
"""One row a text, or a `VictimError` in its place."""


class Batches:
    """Asks about any number of texts, so many a call.

    A batch that fails, for want of memory or for any other reason, is asked again in halves, down to single texts.
    Where a text fails alone, it is to blame, and the size of batches stays. Where none does, the size is: if that
    happens twice in a row, batches stay as small as the largest that worked. No answer depends on it.
    """

    def __init__(self, victim: str, ask: Callable[[Sequence[Input]], Rows], most: int) -> None:
        """Make ready to ask.

        Args:
            victim: Its name, for messages.
            ask: Asks about some texts in one call.
            most: Most texts a call.
        """
        if most < 1:
            raise UserError(f"{victim} cannot take batch={most}; give 1 or more")
        self._victim, self._ask, self.size = victim, ask, most
        self._in_doubt = False

    def rows(self, inputs: Sequence[Input]) -> Rows:
        """Return one row a text."""
        parts: list[Rows] = []
        start = 0
        while start < len(inputs):
            batch = inputs[start : start + self.size]
            parts += self._answered(batch)
            start += len(batch)
        if all(isinstance(part, np.ndarray) for part in parts):
            return np.concatenate(parts) if parts else []
        return [row for part in parts for row in part]

    def _answered(self, batch: Sequence[Input]) -> list[Rows]:
        worked: list[int] = []
        parts = self._halved(batch, worked)
        if sum(worked) < len(batch):  # a text failed alone
            return parts
        if len(parts) == 1:
            self._in_doubt &= len(batch) < self.size
        elif self._in_doubt:
            self.size, self._in_doubt = max(worked), False
        else:
            self._in_doubt = True
        return parts

    def _halved(self, batch: Sequence[Input], worked: list[int]) -> list[Rows]:
        """Return the rows of a batch in parts, and add the size of each part that worked."""
        try:
            rows = self._ask(batch)
            require_one_each(self._victim, rows, len(batch))
        except VictimError as error:
            fault = error
        except UserError:
            raise
        except (Exception, SystemExit) as error:
            # The error itself is let go of: it holds on to what filled the memory.
            fault = VictimError(f"{self._victim} {_what_happened(error)}")
            if len(batch) == 1:
                fault.__cause__ = error
        else:
            worked.append(len(batch))
            return [rows]
        if len(batch) == 1:
            return [[fault]]
        middle = (len(batch) + 1) // 2
        return self._halved(batch[:middle], worked) + self._halved(batch[middle:], worked)


def _what_happened(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"called sys.exit({'' if error.code is None else repr(error.code)})"
    return f"raised {described(error)}"
