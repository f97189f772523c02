"""Short texts about films, and which of them fell."""

from __future__ import annotations

import numpy as np
from tests.toy_nets import WORDS

from unfool.engine import Outcome, Status
from unfool.text import Text

STRINGS = [
    "a good film, with a fine cast",
    "the plot is dull and the film awful",
    "great fun for the whole family",
    "a great plot is not a good film",
    "dull dull dull",
    "the cast is awful (and the film is bad)",
    "lovely film, fine plot, great cast",
    "is it not a lovely film",
]
TEXTS = [Text.of(string) for string in STRINGS]


def random_texts(count: int) -> list[Text]:
    random = np.random.default_rng(0)
    return [Text.of(" ".join(random.choice(WORDS, int(random.integers(2, 8))))) for _ in range(count)]


def fooled(found: list[Outcome]) -> set[int]:
    return {outcome.id for outcome in found if outcome.status is Status.SUCCESS}
