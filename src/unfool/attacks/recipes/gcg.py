"""GCG (Zou et al., 2023): a suffix of tokens, swapped one at a time where the gradient points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.attacks import attack, refuse_below
from unfool.attacks.parts.search import Slopes
from unfool.attacks.parts.suffix import Tried, Tries, with_suffix
from unfool.engine import Ask
from unfool.text import Sample, Text
from unfool.victims import Gradients, TokenReader

_DECIMALS = 5


@attack(needs=("gradients", "tokenizing"))
async def gcg(
    sample: Sample,
    ask: Ask,
    *,
    tokens: int = 20,
    steps: int = 250,
    candidates: int = 256,
    swaps: int = 512,
    buffer: int = 0,
    start: str = "!",
) -> Text:
    """Put a suffix behind the text, and swap its tokens, each step for the best of many random swaps.

    A swap takes one place of the suffix, and one of the tokens that the gradient by one-hot vectors likes best
    there. Swaps that the tokenizer reads otherwise than they were meant are left out, and so are tokens that write
    anything but printable ASCII. All that are left are asked about, and each is a query.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        tokens: How often ``start`` stands in the first suffix; mostly that is its number of tokens.
        steps: How many swaps are made at most.
        candidates: How many tokens the gradient chooses for each place.
        swaps: How many swaps are drawn a step.
        buffer: How many of the best suffixes are kept, to go on from the best of all; 0 goes on from the best of
            the last step, though it be worse than the one before.
        start: What the first suffix repeats.
    """
    refuse_below("gcg", 1, tokens=tokens, steps=steps, candidates=candidates, swaps=swaps)
    refuse_below("gcg", 0, buffer=buffer)
    reader: TokenReader = ask.offer("tokenizing")
    tries, slopes = Tries(ask), Slopes(ask, one_hot=True)
    now = await tries.best_of([" ".join([start] * tokens)])
    kept: list[Tried] = []
    for step in range(steps):
        if now is None or now.fools:
            break
        ask.notes["steps"] = step + 1
        await slopes.look([now.text])
        suffix = _suffix_of(slopes.found[0], reader, sample.text, now.text)
        if suffix is None:
            break
        drawn = _drawn(ask, suffix, slopes.found[0], candidates, swaps, reader)
        now = await tries.best_of(_read_as_meant(drawn, suffix, sample.text, reader))
        if now and buffer and not now.fools:
            kept = sorted([*kept, now], key=lambda tried: -tried.progress)[:buffer]
            now = kept[0]
    return tries.nearest


class _Suffix(NamedTuple):
    """Where a suffix stands among the tokens that the net reads."""

    ids: NDArray[np.int64]
    start: int
    stop: int


def _suffix_of(slope: Gradients, reader: TokenReader, text: Text, now: Text) -> _Suffix | None:
    """Find the suffix's tokens; None if the net does not read so far, or reads other tokens than it writes."""
    first = max(field.stop for field in text.fields if field.editable)
    places = np.flatnonzero((slope.words >= first) & (slope.words < first + len(now) - len(text)))
    if not len(places):
        return None
    return _Suffix(slope.ids, int(places[0]), int(places[-1]) + 1)


def _drawn(
    ask: Ask, suffix: _Suffix, slope: Gradients, candidates: int, swaps: int, reader: TokenReader
) -> list[NDArray[np.int64]]:
    """Draw swaps: all tokens of the input, with another one in a place of the suffix."""
    plain = reader.plain
    gains = np.round(slope.gradient[suffix.start : suffix.stop, : len(plain)], _DECIMALS)
    gains[:, ~plain[: gains.shape[1]]] = -np.inf
    best = np.argsort(-gains, axis=1, kind="stable")[:, :candidates]
    places = ask.random.integers(len(best), size=swaps)
    picks = ask.random.integers(best.shape[1], size=swaps)
    drawn = np.tile(suffix.ids, (swaps, 1))
    drawn[np.arange(swaps), suffix.start + places] = best[places, picks]
    return list(drawn)


def _read_as_meant(
    drawn: Sequence[NDArray[np.int64]], suffix: _Suffix, text: Text, reader: TokenReader
) -> list[str]:
    """Return the suffixes that the tokenizer reads as the tokens they were made of, each once."""
    found = dict.fromkeys(reader.write(ids[suffix.start : suffix.stop].tolist()).strip(" ") for ids in drawn)
    meant = {reader.write(ids[suffix.start : suffix.stop].tolist()).strip(" "): ids for ids in drawn}
    return [
        written
        for written in found
        if all(written.split(" ")) and np.array_equal(reader.read(with_suffix(text, written))[0], meant[written])
    ]
