"""Beam search over changes of one word at a time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from heapq import merge
from itertools import repeat
from typing import NamedTuple

from unfool.attacks.parts._rank import ranked
from unfool.engine import Ask, Floats
from unfool.text import Text
from unfool.victims import GradientRequest, Gradients


class Path(NamedTuple):
    """A text the search has come to, and how good the way there looks."""

    text: Text
    score: float = 0.0


class Step(NamedTuple):
    """A word put at a position, and how good the way looks with it."""

    score: float
    position: int
    word: str


Grow = Callable[[Sequence[Path]], Awaitable[Sequence[Iterable[Step]]]]
"""Gives the steps that may follow each path, the best first; read only as far as they are needed."""
Look = Callable[[Sequence[Text]], Awaitable[Floats]]
"""Gives the answers about some texts."""


async def beam_search(
    ask: Ask, text: Text, grow: Grow, *, width: int, steps: int, look: Look | None = None
) -> Text:
    """Follow the ``width`` best ways for so many steps, until one fools; else return the nearest to the goal.

    No text is come to twice, and never the first one again.

    Args:
        ask: The sample's line to the victim.
        text: Where to start.
        grow: The steps that may follow.
        width: How many ways are kept; one is a greedy search.
        steps: The most steps.
        look: Asks about the texts that are grown next, should none of them fool.
    """
    nearest, most = text, -1.0
    beam, seen = [Path(text)], {text.words}
    for left in reversed(range(steps)):
        ways = [zip(repeat(path.text), following) for path, following in zip(beam, await grow(beam), strict=True)]
        best_first = merge(*ways, key=lambda way: -way[1].score)
        beam = await _first_permitted(ask, best_first, width, seen)
        if not beam:
            break
        answers = await (look if look and left else ask.predict)([path.text for path in beam])
        for path, answer in zip(beam, answers, strict=True):
            if await ask.holds(path.text, answer):
                return path.text
        gains = ask.goal.progress(answers, ask.sample.label)
        best = ranked(gains)[0]
        if gains[best] > most:
            nearest, most = beam[best].text, float(gains[best])
    return nearest


class Slopes:
    """The gradients, at the texts looked at last, of what an attack makes larger.

    That is the loss, or, with a target, minus the target's loss. In full precision one pass tells them together
    with the answers.

    Args:
        ask: The sample's line to the victim.
        one_hot: Whether they are by the tokens' one-hot vectors.
    """

    def __init__(self, ask: Ask, *, one_hot: bool) -> None:
        self.found: list[Gradients] = []
        self._ask, self._one_hot = ask, one_hot

    async def look(self, texts: Sequence[Text]) -> Floats:
        """Return the answers about some texts and keep their gradients."""
        ask, target = self._ask, self._ask.goal.target
        label = ask.sample.label if target is None else target
        requests = [GradientRequest(text, label, one_hot=self._one_hot, answer_next=True) for text in texts]
        found: list[Gradients] = await ask.use_all(ask.service("gradients"), requests)
        self.found = found if target is None else [g._replace(gradient=-g.gradient, loss=-g.loss) for g in found]
        return await ask.predict(texts)


async def _first_permitted(
    ask: Ask, ways: Iterator[tuple[Text, Step]], width: int, seen: set[tuple[str, ...]]
) -> list[Path]:
    """Return the first ``width`` new texts that edit budget and constraints permit, and note them as seen."""
    found: list[Path] = []
    met = set(seen)
    while len(found) < width:
        # As many as are missing are looked at together: constraints are asked in batches.
        batch: list[Path] = []
        for text, step in ways:
            changed = text.replace(step.position, step.word)
            if changed.words not in met:
                met.add(changed.words)
                batch.append(Path(changed, step.score))
                if len(batch) == width - len(found):
                    break
        if not batch:
            break
        found += [batch[number] for number in await ask.permitted([path.text for path in batch])]
    seen.update(path.text.words for path in found)
    return found
