"""Asking an endpoint again until every text is answered or given up."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from typing import Any

from unfool.engine import Floats
from unfool.errors import Unheard, VictimError
from unfool.victims._victim import Input
from unfool.victims.endpoint._client import Post, RequestFailed

FIRST_PAUSE_S = 0.25
LONGEST_PAUSE_S = 30.0

Row = Floats | VictimError
Read = Callable[[Any], Row]


def insist(post: Post, inputs: Sequence[Input], read: Read, retries: int, stop: threading.Event) -> list[Row]:
    """Return one row a text, or why there is none.

    What is answered well is kept, the rest asked again after a pause. Texts that still fail in company are asked
    alone, so that one poisonous text does not lose its neighbours. A server that has answered nothing well so far,
    not even the first of them alone, is likely to speak otherwise than we do: the others are then asked alone once.

    Args:
        post: Sends one request.
        inputs: The texts of one request.
        read: Turns the JSON value for one text into its row, or says what is wrong with it.
        retries: How often to ask again.
        stop: Raises `CancelledError` here when set.
    """
    rows: dict[int, Row] = {}
    asked = unanswered = list(range(len(inputs)))
    may_help_alone = True
    for pause in _pauses(inputs, retries):
        if stop.wait(pause):
            raise CancelledError
        asked = unanswered
        try:
            values = post.ask([inputs[number] for number in asked], stop)
        except RequestFailed as failure:
            rows |= dict.fromkeys(asked, Unheard(f"{post.url} {failure}"))
            may_help_alone = failure.alone
            if not failure.again:
                break
        else:
            rows |= zip(asked, map(read, values), strict=True)
            may_help_alone = True
            unanswered = [number for number in asked if isinstance(rows[number], VictimError)]
            post.has_answered |= len(unanswered) < len(asked)
            if not unanswered:
                break
    if may_help_alone and len(asked) > 1:
        for place, number in enumerate(unanswered):
            tries_more = retries if place == 0 or post.has_answered else 0
            rows[number] = insist(post, [inputs[number]], read, tries_more, stop)[0]
    return [rows[number] for number in range(len(inputs))]


def _pauses(inputs: Sequence[Input], retries: int) -> Iterator[float]:
    """Yield the pause before each try: none, then about double each time; the same for the same texts."""
    jitter = random.Random(repr(inputs))
    yield 0.0
    for number in range(retries):
        yield min(FIRST_PAUSE_S * 2**number, LONGEST_PAUSE_S) * jitter.uniform(0.5, 1.5)
