"""DeepWordBug (Gao et al., 2018): small slips in the words that matter most."""

from __future__ import annotations

from string import ascii_lowercase
from typing import Literal, get_args

import numpy as np

from unfool.attacks import IN_WORDS, attack, refuse_below
from unfool.attacks.parts.climb import climb
from unfool.attacks.parts.letters import dropped, swapped
from unfool.attacks.parts.rank import answers_without, progress_at_ends, ranked
from unfool.attacks.parts.search import apply_in_order
from unfool.engine import Ask, Floats
from unfool.lexicon import kept_words
from unfool.text import Sample, Text, edit_distance

Score = Literal["replace", "head", "tail", "combined"]
Change = Literal["best", "substitute", "swap", "delete", "insert"]


@attack(letters=IN_WORDS)
async def deepwordbug(
    sample: Sample, ask: Ask, *, score: Score = "replace", change: Change = "best", edits: int = 30
) -> Text:
    """Put a slip into the words that matter most, one by one, until the victim is fooled.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        score: What a word matters. ``replace``: what the goal gains where the word is unknown. ``head``: what the
            word adds to the words before it; ``tail``: to those behind it; ``combined``: both.
        change: ``best``: of one substitution, swap, deletion and insertion drawn for each word, the one that brings
            the goal nearest, where it helps. One of them alone is made in every word, asked or not.
        edits: How many characters may change.
    """
    refuse_below("deepwordbug", 1, edits=edits)
    text = sample.text
    spots = [at for at in text.editable if text.words[at].lower() not in kept_words(ask.language)]
    slips = {at: _drawn(text.words[at], change, ask.random) for at in spots}
    spots = [at for at in spots if slips[at]]
    if not spots:
        return text
    order = [spots[number] for number in ranked(await _scores(ask, text, spots, score))]
    if change == "best":
        return (await climb(ask, text, slips, order, edits=edits)).text
    chosen = []
    for at in order:
        edits -= edit_distance(text.words[at], slips[at][0])
        if edits < 0:
            break
        chosen.append((at, slips[at][0]))
    return await apply_in_order(ask, text, chosen)


def _drawn(word: str, change: Change, draw: np.random.Generator) -> list[str]:
    """Draw one slip of each kind that is wanted."""
    if len(word) < 2:
        return []
    found = []
    for kind in get_args(Change)[1:] if change == "best" else (change,):
        if kind in ("swap", "delete"):
            slips = (swapped if kind == "swap" else dropped)(word, inner=False)
            found += [slips[int(draw.integers(len(slips)))]] if slips else []
        elif kind == "substitute":
            at, letter = _place_and_letter(word, draw)
            found.append(word[:at] + letter + word[at + 1 :])
        else:
            # A letter put behind its like gives what it gives before it.
            at, letter = _place_and_letter(" " + word, draw)
            found.append(word[:at] + letter + word[at:])
    return found


def _place_and_letter(instead_of: str, draw: np.random.Generator) -> tuple[int, str]:
    """Draw a place, and a letter other than the one there, as from a list of all of them that is never made."""
    free = [ascii_lowercase.replace(letter, "") for letter in instead_of]
    number, place = int(draw.integers(sum(map(len, free)))), 0
    while number >= len(free[place]):
        number -= len(free[place])
        place += 1
    return place, free[place][number]


async def _scores(ask: Ask, text: Text, spots: list[int], score: Score) -> Floats:
    if score == "replace":
        return ask.goal.progress(await answers_without(ask, text, spots), ask.sample.label)
    found = np.zeros(len(spots), dtype=np.float32)
    if score != "tail":
        found += await progress_at_ends(ask, text, spots, "head")
    if score != "head":
        found += await progress_at_ends(ask, text, spots, "tail")
    return np.round(found, 5)
