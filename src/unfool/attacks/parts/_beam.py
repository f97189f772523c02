"""Beam search over changes of one word at a time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import NamedTuple

from unfool.attacks.parts._rank import ranked
from unfool.engine import Ask
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


async def beam_search(ask: Ask, text: Text, grow: Grow, *, width: int, steps: int) -> Text:
    """Follow the ``width`` best ways for so many steps, until one fools; else return the nearest to the goal.

    No text is come to twice, and never the first one again.

    Args:
        ask: The sample's line to the victim.
        text: Where to start.
        grow: The steps that may follow.
        width: How many ways are kept; one is a greedy search.
        steps: The most steps.
    """
    nearest, most = text, -1.0
    beam, seen = [Path(text)], {text.words}
    for _ in range(steps):
        ways = [
            way
            for path, following in zip(beam, await grow(beam), strict=True)
            for way in await _first_permitted(ask, path.text, following, width, seen)
        ]
        beam = _distinct(sorted(ways, key=lambda way: -way.score), width)
        if not beam:
            break
        seen.update(path.text.words for path in beam)
        answers = await ask.predict([path.text for path in beam])
        for path, answer in zip(beam, answers, strict=True):
            if await ask.holds(path.text, answer):
                return path.text
        gains = ask.goal.progress(answers, ask.sample.label)
        best = ranked(gains)[0]
        if gains[best] > most:
            nearest, most = beam[best].text, float(gains[best])
    return nearest


async def steepest(ask: Ask, texts: Sequence[Text], *, one_hot: bool) -> list[Gradients]:
    """Return the gradients of what an attack makes larger: the loss, or, with a target, minus the target's loss.

    A gradient is an answer about a text, too: where the text has not been asked about, it counts as a query.
    """
    target = ask.goal.target
    label = ask.sample.label if target is None else target
    await ask.predict(texts)
    requests = [GradientRequest(text, label, one_hot=one_hot) for text in texts]
    found: list[Gradients] = await ask.use_all(ask.service("gradients"), requests)
    return found if target is None else [each._replace(gradient=-each.gradient, loss=-each.loss) for each in found]


async def _first_permitted(
    ask: Ask, text: Text, following: Iterable[Step], width: int, seen: set[tuple[str, ...]]
) -> list[Path]:
    """Return the first ``width`` new texts that edit budget and constraints permit."""
    found: list[Path] = []
    here, waiting = set(seen), iter(following)
    while len(found) < width:
        # As many as are missing are looked at together: constraints are asked in batches.
        batch: list[Path] = []
        for step in waiting:
            changed = text.replace(step.position, step.word)
            if changed.words not in here:
                here.add(changed.words)
                batch.append(Path(changed, step.score))
                if len(batch) == width - len(found):
                    break
        if not batch:
            break
        found += [batch[number] for number in await ask.permitted([path.text for path in batch])]
    return found


def _distinct(ways: Iterable[Path], width: int) -> list[Path]:
    first: dict[tuple[str, ...], Path] = {}
    for way in ways:
        first.setdefault(way.text.words, way)
        if len(first) == width:
            break
    return list(first.values())
