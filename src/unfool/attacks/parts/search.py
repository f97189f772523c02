"""Search: ways to put changes together until the victim is fooled."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from heapq import merge
from itertools import repeat
from typing import NamedTuple

import numpy as np

from unfool.attacks.parts.constrain import worth_asking
from unfool.attacks.parts.rank import ranked
from unfool.engine import Ask, Floats
from unfool.errors import UserError
from unfool.lexicon import counter_fitted
from unfool.text import Text, Variants
from unfool.victims import GradientRequest, Gradients

_FIRST_CHUNK, _LARGEST_CHUNK = 32, 2048


async def apply_in_order(ask: Ask, text: Text, swaps: Iterable[tuple[int, str]]) -> Text:
    """Apply changes one after the other until the victim is fooled; one that is not permitted is left out."""
    for position, word in swaps:
        changed = text.replace(position, word)
        if not await ask.permitted(changed):
            continue
        text = changed
        if await ask.fooled(text):
            break
    return text


async def first_that_fools(ask: Ask, swaps: Variants, at_first: int = _FIRST_CHUNK) -> Text:
    """Return the first of the sample's texts so changed that fools; if none does, the one that came nearest.

    They are asked in order, in chunks that double. The outcome is that of asking one by one, under a query budget
    too; but what stands behind the first that fools in its chunk has been asked, and counts: at most twice as
    many queries as one by one, and the size of the first chunk more.

    Args:
        ask: The sample's line to the victim.
        swaps: Changes of the sample's text, in order.
        at_first: How many are asked at first.
    """
    nearest, most = ask.sample.text, -np.inf
    start, size = 0, at_first
    while start < len(swaps):
        # Cut to what may still be asked, a lucky word among the last queries is not lost.
        left = size if ask.budget.queries is None else max(1, ask.budget.queries - ask.queries)
        stop = min(start + min(size, left), len(swaps))
        chunk = swaps.take(range(start, stop))
        chunk = chunk.take(await ask.permitted(chunk))
        answers = await ask.predict(chunk)
        for number in np.flatnonzero(ask.goal.reached(answers, ask.sample.label)).tolist():
            if await ask.holds(chunk[number], answers[number]):
                return chunk[number]
        if len(chunk):
            gains = ask.goal.progress(answers, ask.sample.label)
            best = int(gains.argmax())
            if gains[best] > most:
                nearest, most = chunk[best], gains[best]
        start, size = stop, min(2 * size, _LARGEST_CHUNK)
    return nearest


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


def by_asking(ask: Ask, propose: Callable[[Text], Variants]) -> Grow:
    """Return what grows paths by any proposals: all are asked about, those that bring the goal nearest come first.

    Args:
        ask: The sample's line to the victim.
        propose: The one-word changes that may follow a text.
    """

    async def grow(beam: Sequence[Path]) -> list[list[Step]]:
        found = []
        for path in beam:
            swaps = await worth_asking(ask, propose(path.text))
            gains = await ask.progress(swaps)
            found.append([Step(float(gains[n]), swaps.positions[n], swaps.words[n]) for n in ranked(gains)])
        return found

    return grow


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
        requests = [GradientRequest(text, label, one_hot=self._one_hot) for text in texts]
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


async def random_flips(ask: Ask, text: Text, symbols: Callable[[str], str], *, steps: int, draws: int) -> Text:
    """Flip random characters; of each few, keep the one that brings the goal nearest, if any brings it nearer.

    Args:
        ask: The sample's line to the victim.
        text: The text.
        symbols: The characters that may take another's place.
        steps: How many flips may be kept.
        draws: How many are drawn, and asked together, for each.

    Raises:
        UserError: If there are no draws.
    """
    if draws < 1:
        raise UserError(f"an attack by random flips cannot take draws={draws}; it takes 1 or more")
    reached, spots = float((await ask.progress(text))[0]), _spots(text, symbols)
    for _ in range(steps):
        flips = _drawn(ask, text, spots, symbols, draws)
        flips = flips.take(await ask.permitted(flips))
        answers = await ask.predict(flips)
        gains = ask.goal.progress(answers, ask.sample.label)
        better = [number for number in ranked(gains) if gains[number] > reached]
        for number in better:
            if await ask.holds(flips[number], answers[number]):
                return flips[number]
        if better:
            text, reached = flips[better[0]], float(gains[better[0]])
            spots = _spots(text, symbols)
    return text


def _spots(text: Text, symbols: Callable[[str], str]) -> list[tuple[int, int]]:
    """Return the characters that could become others: the positions of their words, and their places there."""
    return [
        (position, place)
        for position in text.editable
        for place, character in enumerate(text.words[position])
        if symbols(character).replace(character, "")
    ]


def _drawn(
    ask: Ask, text: Text, spots: Sequence[tuple[int, int]], symbols: Callable[[str], str], draws: int
) -> Variants:
    """Draw flips; those that make a word are left out."""
    chosen = ask.random.integers(len(spots), size=draws).tolist() if spots else []
    positions, words = list[int](), list[str]()
    for number, luck in zip(chosen, ask.random.random(len(chosen)).tolist(), strict=True):
        position, place = spots[number]
        word = text.words[position]
        others = symbols(word[place]).replace(word[place], "")
        changed = word[:place] + others[int(luck * len(others))] + word[place + 1 :]
        if is_no_word(ask, changed):
            positions.append(position)
            words.append(changed)
    return text.variants(positions, words)


def is_no_word(ask: Ask, word: str) -> bool:
    """Whether a word, in any case, is not in the victim's vocabulary or, if it has none, no common word."""
    return not (ask.knows(word) if ask.vocabulary else word in counter_fitted())
