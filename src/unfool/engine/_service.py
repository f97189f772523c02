"""Services: everything that is asked in batches, and how an attack's coroutine asks."""

from __future__ import annotations

import types
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

T_co = TypeVar("T_co", covariant=True)
R = TypeVar("R")


class Later(Generic[T_co]):
    """A value that is on its way; `result` waits for it, once.

    Whatever starts work without waiting for it returns one: a victim its answers, a service one answer a request.

        Later.of(answers)                                   # already here
        Later(lambda: self._net.fetch(batch))               # made, or fetched from a device, when it is asked for
        victim.launch(rows, chosen).then(self._sharpened)   # the same answers, changed when they come
        Later.all(member.launch(rows) for member in members).then(mean)

    A class that must pass on more than one argument binds it: ``.then(partial(self._counted, raw=True))``.

    Args:
        wait: Returns the value; called when the value is asked for, and not again once it has returned.
    """

    __slots__ = ("_value", "_wait")

    def __init__(self, wait: Callable[[], T_co]) -> None:
        self._wait: Callable[[], T_co] | None = wait

    @classmethod
    def of(cls, value: R) -> Later[R]:
        """Return a value that is here already."""
        return Later(lambda: value)

    @classmethod
    def all(cls, several: Iterable[Later[R]]) -> Later[list[R]]:
        """Join values, all of which are under way, into one list."""
        under_way = list(several)
        return Later(lambda: [one.result() for one in under_way])

    def then(self, change: Callable[[T_co], R]) -> Later[R]:
        """Return what ``change`` makes of the value; it runs when the result is asked for."""
        return Later(lambda: change(self.result()))

    def result(self) -> T_co:
        """Wait for the value and return it."""
        if self._wait is not None:
            self._value = self._wait()
            self._wait = None
        return self._value


Pending = Later[Sequence[Any]]
"""One answer a request, in order; an exception instead of an answer if the request failed."""


class Service(Protocol):
    """Something that answers many requests at once, such as a model on a device."""

    def launch(self, requests: Sequence[Any]) -> Pending:
        """Start the work for these requests and return without waiting where the device allows it."""
        ...


class Request(NamedTuple):
    """What a coroutine yields to the loop: a question for a service."""

    service: Service
    payload: Any


@types.coroutine
def request(service: Service, payload: Any) -> Generator[Request, Any, Any]:
    """Ask a service and wait for its answer; the loop batches what all samples ask at that moment."""
    return (yield Request(service, payload))


class FunctionService:
    """A plain batch function (a tagger, an encoder on the CPU) as a service."""

    def __init__(self, function: Callable[[Sequence[Any]], Sequence[Any]]) -> None:
        self._function = function

    def launch(self, requests: Sequence[Any]) -> Pending:
        """Call the function on all requests at once."""
        return Later.of(self._function(requests))


@dataclass(frozen=True)
class Together:
    """A service asked several things at a time: from a list of requests to the list of their answers."""

    service: Service

    def launch(self, requests: Sequence[Sequence[Any]]) -> Pending:
        """Start the work for all the lists at once."""
        pending = self.service.launch([one for several in requests for one in several])
        counts = [len(several) for several in requests]
        return Later(lambda: _lists(pending.result(), counts))


def _lists(answers: Sequence[Any], counts: Sequence[int]) -> list[Any]:
    """Return the answers in lists of these lengths; an exception stands for the whole list that has it."""
    source = iter(answers)
    lists = [list(islice(source, count)) for count in counts]
    return [next((one for one in several if isinstance(one, Exception)), several) for several in lists]
