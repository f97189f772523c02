"""Propose: words that a masked language model thinks may stand at a place, and texts with one of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from unfool.attacks.parts.constrain import text_window
from unfool.attacks.parts.propose import in_case_of
from unfool.attacks.parts.rank import ranked
from unfool.engine import Ask, Floats
from unfool.lexicon import stop_words
from unfool.lexicon.encoders import sentence_encoder
from unfool.lexicon.masked_model import Guesses, Place, best_words, masked_model, place_of
from unfool.text import Text

_SHORT, _DECIMALS = 15, 5


class Edited(NamedTuple):
    """A text with one edit more, and where each word of the original stands in it."""

    text: Text
    position: int
    """Where the edit is."""
    at: int
    """The word of the original that it is about: replaced, merged with the next, or beside a new one."""
    where: tuple[int, ...]
    """For each word of the original its position now, or of what took its place."""


class Filler(NamedTuple):
    """What a masked language model fills in: by its name, so many of its likeliest tokens, those of some chance."""

    ask: Ask
    model: str
    candidates: int
    least: float = 0.0

    async def replacements(self, now: Edited, positions: Sequence[int]) -> list[Edited]:
        """Return the text with another word in the place of each of these words of the original."""
        places = [place_of(now.text, now.where[at], word=None) for at in positions]
        found = []
        for at, words in zip(positions, await self._words(places), strict=True):
            spot = now.where[at]
            old = now.text.words[spot]
            new = dict.fromkeys(in_case_of(old, word) for word in words)
            found += [
                Edited(now.text.replace(spot, word), spot, at, now.where)
                for word in new
                if word.lower() != old.lower()
            ]
        return found

    async def insertions(self, now: Edited, positions: Sequence[int], *, before: bool = True) -> list[Edited]:
        """Return the text with a new word behind each of these words of the original, and before it if wanted."""
        sides = (0, 1) if before else (1,)
        spots = [(at, now.where[at] + side) for at in positions for side in sides]
        found = []
        places = [_new_place(now.text, spot) for _, spot in spots]
        for (at, spot), words in zip(spots, await self._words(places), strict=True):
            where = tuple(other + (other >= spot) for other in now.where)
            found += [Edited(now.text.insert(spot, word), spot, at, where) for word in dict.fromkeys(words)]
        return found

    async def mergers(self, now: Edited, positions: Sequence[int]) -> list[Edited]:
        """Return the text with one word in the place of each of these words of the original and the next word."""
        spots = [(at, now.where[at]) for at in positions]
        places = [place_of(now.text, spot, word=None, over=2) for _, spot in spots]
        found = []
        for (at, spot), words in zip(spots, await self._words(places), strict=True):
            rest = now.text.delete(spot + 1)
            where = tuple(other - (other > spot) for other in now.where)
            old = now.text.words[spot : spot + 2]
            new = dict.fromkeys(in_case_of(old[0], word) for word in words)
            found += [Edited(rest.replace(spot, word), spot, at, where) for word in new if word not in old]
        return found

    async def _words(self, places: Sequence[Place]) -> list[list[str]]:
        told: list[tuple[Guesses, ...]] = await self.ask.use(masked_model(self.model), places) if places else []
        return [best_words(guesses, self.candidates, self.least) for (guesses,) in told]


def _new_place(text: Text, spot: int) -> Place:
    """Return the place of a word that is put before the one at a position, or behind the last of the text."""
    is_behind = spot == len(text) or (spot and text.field_of(spot) != text.field_of(spot - 1))
    if is_behind and text.field_of(spot - 1).editable:
        return place_of(text, spot - 1, word=None, behind=True)
    place = place_of(text, spot, word=text.words[spot])
    return Place(place.before, None, f" {text.words[spot]}{place.after}")


def start(text: Text) -> Edited:
    """Return a text without an edit."""
    return Edited(text, -1, -1, tuple(range(len(text))))


def content_words(text: Text) -> list[int]:
    """Return the positions of the words that may be edited and are no stop words."""
    kept = stop_words("textfooler")
    return [at for at in text.editable if text.words[at].lower() not in kept]


class Near(NamedTuple):
    """Says whether the fifteen words around an edit mean what they did around the word of the original.

    Texts shorter than that are not compared, as in TextAttack's recipes.
    """

    ask: Ask
    least: float
    encoder: str

    async def holds(self, edited: Edited) -> bool:
        """Compare the surroundings of an edit with those of a word of the original."""
        original = self.ask.sample.text
        if self.least <= -1 or len(original.editable) < _SHORT:
            return True
        here = min(edited.position, len(edited.text) - 1)
        windows = [text_window(original, edited.at, _SHORT), text_window(edited.text, here, _SHORT)]
        vectors: Floats = await self.ask.use(sentence_encoder(self.encoder), windows)
        return round(float(vectors[0] @ vectors[1]), _DECIMALS) >= self.least


class Kept(NamedTuple):
    """The edit that was kept, and how near to the goal it is."""

    edited: Edited
    progress: float
    fooled: bool


async def best_edit(
    ask: Ask, edits: Sequence[Edited], reached: float, passes: Callable[[Edited], Awaitable[bool]]
) -> Kept | None:
    """Return the edit that brings the goal nearest, if it is nearer than what is reached and passes."""
    edits = [edits[number] for number in await ask.permitted([edit.text for edit in edits])]
    answers = await ask.predict([edit.text for edit in edits])
    gains = ask.goal.progress(answers, ask.sample.label)
    for best in ranked(gains):
        if gains[best] <= reached:
            break
        if await passes(edits[best]):
            return Kept(edits[best], float(gains[best]), await ask.holds(edits[best].text, answers[best]))
    return None
