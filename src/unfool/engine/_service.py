"""Services: everything that is asked in batches, and how an attack's coroutine asks."""

from __future__ import annotations

import types
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple, Protocol

from unfool.engine._later import Later


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
