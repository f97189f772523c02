"""The victims that the owner of a server lists; visitors name no other, since opening one may run code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from functools import partial
from threading import Lock, Thread
from typing import Any

from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.generation import Generator, as_generator
from unfool.options import Options

_LOOK_EVERY = 0.1
"""So many seconds pass before whoever waits for a victim is asked whether they still do."""


class Shelf:
    """Victims by name, each opened when it is first wanted and kept open.

    Each is opened in a thread of its own: nobody else waits for it, and who wants it may stop waiting.

    Args:
        classifiers: Names of classifiers.
        translators: Names of translators and other models that generate.
        options: How to open them.
    """

    def __init__(
        self, classifiers: Sequence[str] = (), translators: Sequence[str] = (), options: Options | None = None
    ) -> None:
        self.classifiers, self.translators = tuple(classifiers), tuple(translators)
        self._options = options or Options()
        self._opened = dict[str, Future[Any]]()
        self._lock = Lock()

    def check(self, name: str, *, generates: bool) -> None:
        """Refuse a name that is not listed, before anything is opened.

        Raises:
            UserError: It is not listed.
        """
        if name not in (self.translators if generates else self.classifiers):
            kind = "translator" if generates else "classifier"
            raise UserError(f"the owner of this server lists no such {kind}; choose one of the list")

    def classifier(self, name: str, go_on: Callable[[], None]) -> Predictor:
        """Return a classifier that is listed; until it is open, ``go_on`` is called, and may raise."""
        from unfool.victims import open_victim

        self.check(name, generates=False)
        opened: Predictor = self._wait(f"classifier {name}", partial(open_victim, name, self._options), go_on)
        return opened

    def translator(self, name: str, go_on: Callable[[], None]) -> Generator:
        """Return a model that generates and is listed; until it is open, ``go_on`` is called, and may raise."""
        self.check(name, generates=True)
        opened: Generator = self._wait(f"translator {name}", partial(as_generator, name, self._options), go_on)
        return opened

    def _wait(self, key: str, make: Callable[[], object], go_on: Callable[[], None]) -> Any:
        with self._lock:
            opening = self._opened.get(key)
            if opening is None or (opening.done() and opening.exception()):  # what failed is tried again
                opening = self._opened[key] = Future()
                Thread(target=_fill, args=(opening, make), daemon=True).start()
        while not opening.done():
            go_on()
            wait([opening], _LOOK_EVERY)
        return opening.result()


def _fill(opening: Future[Any], make: Callable[[], object]) -> None:
    try:
        opening.set_result(make())
    except BaseException as error:
        opening.set_exception(error)
