"""The client of an endpoint: sends many requests at once, and asks again after a pause about what failed."""

from __future__ import annotations

import math
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple, TypeVar

from unfool.engine import Later
from unfool.errors import Unheard, UserError, VictimError
from unfool.victims._victim import Input
from unfool.victims.endpoint._client import Form, Post, RequestFailed, Token
from unfool.victims.endpoint._limits import Pace

FIRST_PAUSE_S = 0.25
LONGEST_PAUSE_S = 30.0

T = TypeVar("T")
Read = Callable[[Any], T | VictimError]
"""Turns one item of a server's JSON into an answer."""


class Limits(NamedTuple):
    """What a server may be asked to bear; `Endpoint` says what each means."""

    timeout: float = 10.0
    retries: int = 4
    rate: float | None = None
    batch: int = 16
    concurrency: int = 8


class Client:
    """Asks one address, as `Endpoint` says.

    Args:
        url: Where to post; http or https.
        form: How it is asked, and answers.
        limits: What it may be asked to bear.
        token_env: The environment variable that holds a token, if there is one.
    """

    _has_answered = False
    """Whether any text ever got an answer that could be used."""

    def __init__(self, url: str, form: Form, limits: Limits, token_env: str) -> None:
        for name, value in limits._asdict().items():
            if name != "retries" and value is not None and not 0 < value < math.inf:
                raise UserError(f"an endpoint's {name} is {value}; it must be more than zero, and finite")
        if limits.retries < 0:
            raise UserError(f"an endpoint's retries are {limits.retries}; give zero or more")
        self._limits = limits
        self._post = Post(url, form, limits.timeout, Pace(limits.rate), limits.concurrency, Token(token_env))
        self.url = self._post.url
        self._hire()

    def start(self, inputs: Sequence[Input], read: Read[T]) -> Later[list[T | VictimError]]:
        """Send requests about all texts and return at once."""
        size = self._limits.batch
        batches = [inputs[start : start + size] for start in range(0, len(inputs), size)]
        ask = partial(self._insist, read, self._limits.retries, self._stop)
        return Later(partial(self._wait_for, [self._pool.submit(ask, batch) for batch in batches]))

    def answer(self, strings: Input, read: Read[T]) -> T | VictimError:
        """Ask about one text and wait."""
        return self._insist(read, self._limits.retries, self._stop, [strings])[0]

    def dismiss(self) -> None:
        """Give up all requests under way."""
        self._stop.set()
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._hire()

    def wrong(self, value: Any, expected: str) -> VictimError:
        """Return the error of an answer that has another form than expected."""
        return VictimError(f"{self.url} answered {self._post.token.hide(repr(value)):.80}; expected {expected}")

    def _hire(self) -> None:
        self._stop = threading.Event()
        self._pool = ThreadPoolExecutor(self._limits.concurrency, thread_name_prefix="unfool-endpoint")

    def _wait_for(self, batches: Sequence[Future[list[T | VictimError]]]) -> list[T | VictimError]:
        try:
            return [row for batch in batches for row in batch.result()]
        except BaseException:  # the first error that ends the run, or the user's own interrupt
            self.dismiss()
            raise

    def _insist(
        self, read: Read[T], retries: int, stop: threading.Event, inputs: Sequence[Input]
    ) -> list[T | VictimError]:
        """Return one answer a text of a request, or why there is none.

        What is answered well is kept, the rest is asked again after a pause. Texts that still fail in company are
        asked alone, so that one poisonous text does not lose its neighbours. A server that has answered nothing
        well so far, not even the first of them alone, is likely to speak otherwise than we do: the others are then
        asked alone once.
        """
        rows: dict[int, T | VictimError] = {}
        asked = unanswered = list(range(len(inputs)))
        may_help_alone = True
        for pause in _pauses(inputs, retries):
            if stop.wait(pause):
                raise CancelledError
            asked = unanswered
            try:
                values = self._post.ask([inputs[number] for number in asked], stop)
            except RequestFailed as failure:
                rows |= dict.fromkeys(asked, Unheard(f"{self._post.url} {failure}"))
                may_help_alone = failure.alone
                if not failure.again:
                    break
            else:
                rows |= zip(asked, map(read, values), strict=True)
                may_help_alone = True
                unanswered = [number for number in asked if isinstance(rows[number], VictimError)]
                self._has_answered |= len(unanswered) < len(asked)
                if not unanswered:
                    break
        if may_help_alone and len(asked) > 1:
            for place, number in enumerate(unanswered):
                tries_more = retries if place == 0 or self._has_answered else 0
                rows[number] = self._insist(read, tries_more, stop, [inputs[number]])[0]
        return [rows[number] for number in range(len(inputs))]


def _pauses(inputs: Sequence[Input], retries: int) -> Iterator[float]:
    """Yield the pause before each try: none, then about double each time; the same for the same texts."""
    jitter = random.Random(repr(inputs))
    yield 0.0
    for number in range(retries):
        yield min(FIRST_PAUSE_S * 2**number, LONGEST_PAUSE_S) * jitter.uniform(0.5, 1.5)
