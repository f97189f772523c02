"""Misspellings (Pruthi et al., 2019): the one slip, or the few, that does most harm."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from string import ascii_lowercase
from typing import Literal

from unfool.attacks import attack, refuse_below
from unfool.attacks.parts.letters import added, changed, dropped, swapped
from unfool.attacks.parts.propose import untouched
from unfool.attacks.parts.search import beam_search, by_asking
from unfool.engine import Ask
from unfool.lexicon import stop_words
from unfool.lexicon.typos import key_neighbours
from unfool.text import Sample, Text, Variants

_SHORTEST = 4
Kind = Literal["all", "swap", "drop", "add", "key"]
_SLIPS: dict[str, Callable[[str], list[str]]] = {
    "swap": partial(swapped, inner=True),
    "drop": partial(dropped, inner=True),
    "add": partial(added, letters=ascii_lowercase, inner=True),
    "key": partial(changed, letters=key_neighbours, inner=True),
}


@attack()
async def pruthi(sample: Sample, ask: Ask, *, kind: Kind = "all", slips: int = 1) -> Text:
    """Make the slip that brings the goal nearest, of all there are inside the words; then the next, if allowed.

    Words of fewer than four letters and stop words stay, and so do the first and the last letter of a word.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        kind: ``swap``: two letters change places; ``drop``: one is left out; ``add``: any letter comes in; ``key``:
            one becomes that of a key beside it; ``all``: any of these.
        slips: How many words get one.
    """
    refuse_below("pruthi", 1, slips=slips)
    text, kept = sample.text, stop_words("textfooler")
    chosen = [make for name, make in _SLIPS.items() if kind in ("all", name)]

    def propose(current: Text) -> Variants:
        pairs = [
            (at, slip)
            for at in untouched(text, current)
            if len(text.words[at]) >= _SHORTEST and text.words[at].lower() not in kept
            for slip in dict.fromkeys(slip for make in chosen for slip in make(text.words[at]))
        ]
        return current.variants([at for at, _ in pairs], [slip for _, slip in pairs])

    return await beam_search(ask, text, by_asking(ask, propose), width=1, steps=slips)
