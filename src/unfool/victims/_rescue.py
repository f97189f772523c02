"""One text a model chokes on must not lose the others of its batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from unfool._blame import described
from unfool.errors import UserError, VictimError
from unfool.victims._text_victim import Input, TextVictim, checked


def rescued(victim: TextVictim, ask: Callable[[Sequence[Input]], Any], inputs: Sequence[Input]) -> Any:
    """Ask about all texts at once; where that raises, one by one, with an error for each that raises again."""
    try:
        return ask(inputs)
    except UserError:
        raise
    except Exception as error:
        if len(inputs) == 1:
            fault = VictimError(f"{victim!r} raised {described(error)}")
            fault.__cause__ = error
            return [fault]
    alone = [checked(repr(victim), rescued(victim, ask, [text]), 1, len(victim.labels)) for text in inputs]
    return [answers.errors.get(0, answers.values[0]) for answers in alone]
