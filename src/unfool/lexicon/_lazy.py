"""Load on first use, once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Lazy(Generic[T]):
    """A value that is made when it is first asked for, by one thread, and then kept.

    Lexicons are default arguments of attacks, so naming one must cost nothing.
    """

    def __init__(self, load: Callable[[], T]) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._value: tuple[T] | None = None

    def __call__(self) -> T:
        if self._value is None:
            with self._lock:
                if self._value is None:
                    self._value = (self._load(),)
        return self._value[0]
