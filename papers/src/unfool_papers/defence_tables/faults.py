"""What FireBERT's released code is thought to have done, so that its figures can be held against it.

The package cannot do this: there, FuSE votes with alternatives of the text that is asked. Here, alternatives come
from another text, as two faults of the released code would have it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from unfool.data import Dataset
from unfool.defences import Fuse, FuseSettings
from unfool.engine import Predictor
from unfool.text import Text
from unfool.victims import Input

Stranger = Callable[[Input], Input]


class FuseOfStrangers(Fuse):
    """Votes about each text with the alternatives of another one.

    Args:
        victim: The victim inside.
        settings: FuSE's settings.
        stranger: Which other text.
        fault: What the fault is called.
    """

    def __init__(self, victim: Predictor, settings: FuseSettings, stranger: Stranger, fault: str) -> None:
        super().__init__(victim, settings)
        self._stranger, self._fault = stranger, fault
        self._alternatives: dict[tuple[int, Input], list[Text]] = {}

    def __repr__(self) -> str:
        return f"{super().__repr__()} with the fault {self._fault!r}"

    def readings(self, inputs: Sequence[Input], *, together: bool = True) -> list[list[Text]]:
        """Return each text and the alternatives of its stranger."""
        seed, kept = self.settings.seed, self._alternatives  # other draws share what is kept
        strangers = [self._stranger(strings) for strings in inputs]
        new = [strings for strings in dict.fromkeys(strangers) if (seed, strings) not in kept]
        for strings, (_, *others) in zip(new, super().readings(new, together=together), strict=True):
            kept[seed, strings] = others
        return [[self.parsed(own), *kept[seed, other]] for own, other in zip(inputs, strangers, strict=True)]


def shuffled_at_load(victim: Predictor, settings: FuseSettings, source: Dataset) -> FuseOfStrangers:
    """Return FuSE over examples shuffled anew, while texts and labels are kept in the order they had before."""
    inputs = [sample.text.strings for sample in source]
    others = inputs.copy()
    random.Random(1).shuffle(others)
    order = dict(zip(inputs, others, strict=True))
    return FuseOfStrangers(victim, settings, lambda strings: order.get(strings, strings), "shuffled at load")


def item_zero(victim: Predictor, settings: FuseSettings, source: Dataset) -> FuseOfStrangers:
    """Return FuSE that takes the place of a text in its query, as if always the first, for its place in the data.

    The released code gives the i-th of several texts asked together the alternatives of item i, and those of item 0
    only to a text asked by itself. So are the texts before and after an attack, which the figures are of; what
    differs is what the search meets in between. Around FACT item 0's alternatives decide whatever the text says.
    """
    first = source[0].text.strings
    return FuseOfStrangers(victim, settings, lambda strings: first, "item 0")


class Fault(NamedTuple):
    """A fault, and what it was in: texts as they are (``judged``) or texts under attack (``attacked``)."""

    make: Callable[[Predictor, FuseSettings, Dataset], FuseOfStrangers]
    where: Literal["judged", "attacked"]


FAULTS = {
    "shuffled at load": Fault(shuffled_at_load, "judged"),
    "item 0": Fault(item_zero, "attacked"),
}
