"""The victims that the owner of a server lists; visitors name no other, since opening one may run code."""

from __future__ import annotations

from collections.abc import Sequence

from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.generation import Generator, as_generator
from unfool.options import Options


class Shelf:
    """Victims by name, each opened when it is first wanted and kept open.

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
        self._classifiers = dict[str, Predictor]()
        self._translators = dict[str, Generator]()

    def check(self, name: str, *, generates: bool) -> None:
        """Refuse a name that is not listed, before anything is opened.

        Raises:
            UserError: It is not listed.
        """
        if name not in (self.translators if generates else self.classifiers):
            kind = "translator" if generates else "classifier"
            raise UserError(f"the owner of this server lists no such {kind}; choose one of the list")

    def classifier(self, name: str) -> Predictor:
        """Return a classifier that is listed."""
        from unfool.victims import open_victim

        self.check(name, generates=False)
        if name not in self._classifiers:
            self._classifiers[name] = open_victim(name, self._options)
        return self._classifiers[name]

    def translator(self, name: str) -> Generator:
        """Return a model that generates and is listed."""
        self.check(name, generates=True)
        if name not in self._translators:
            self._translators[name] = as_generator(name, self._options)
        return self._translators[name]
