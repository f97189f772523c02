"""Services: everything that is asked in batches, and how an attack's coroutine asks."""

from __future__ import annotations

import types
from collections.abc import Callable, Generator, Sequence
from typing import Any, NamedTuple, Protocol


class Pending(Protocol):
    """Work under way; `result` waits for it."""

    def result(self) -> Sequence[Any]:
        """Return one answer a request, in order; an exception instance where a request failed."""
        ...


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


class Done:
    """Pending work that is finished already."""

    def __init__(self, answers: Sequence[Any]) -> None:
        self._answers = answers

    def result(self) -> Sequence[Any]:
        """Return the answers."""
        return self._answers


class FunctionService:
    """A plain batch function (a tagger, an encoder on the CPU) as a service."""

    def __init__(self, function: Callable[[Sequence[Any]], Sequence[Any]]) -> None:
        self._function = function

    def launch(self, requests: Sequence[Any]) -> Pending:
        """Call the function on all requests at once."""
        return Done(self._function(requests))
