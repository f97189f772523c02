"""A value that is on its way."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

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
