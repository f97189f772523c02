"""TextAttack's two attacks on translators as unfool would run them: the same search, words, limits and goal.

So a comparison of the two tools holds everything still but the engine. What differs is told in `bench.translation`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from unfool.attacks import attack
from unfool.attacks.parts.propose import neighbour_words, tag_text
from unfool.attacks.parts.rank import ranked
from unfool.engine import Ask
from unfool.generation import GenerationGoal, Score, Translation, sacrebleu
from unfool.lexicon import stop_words, universal
from unfool.text import Sample, Text, Variants, diff

_NEIGHBOURS, _ANY = 50, -1.0
_MOST_EDITS = 30
_INFLECTED = ("NOUN", "VERB", "ADJ")
_NOTHING = 1e-10
_EDGES = "'-_*@"


@dataclass(frozen=True, repr=False, kw_only=True)
class NoOverlap(GenerationGoal):
    """No word of the output, however short it is, stands where it stood before (its NonOverlappingOutput)."""

    name: ClassVar[str] = "no-overlap"

    def score(self, seen: Translation) -> Score:
        """Judge one text."""
        before, after = words_of(seen.clean), words_of(seen.output)
        share = sum(old != new for old, new in zip(before, after, strict=False)) / max(1, len(before))
        return Score(share, share == 1.0)


@dataclass(frozen=True, repr=False, kw_only=True)
class NoFourGram(GenerationGoal):
    """Unsmoothed BLEU of the sentence is 0: no four words in a row are right (its MinimizeBleu)."""

    name: ClassVar[str] = "no-four-gram"

    def score(self, seen: Translation) -> Score:
        """Judge one text."""
        wanted = " ".join(words_of(seen.reference or seen.clean))
        bleu = float(_unsmoothed().corpus_score([" ".join(words_of(seen.output))], [[wanted]]).score) / 100
        return Score(1 - bleu, bleu <= _NOTHING)


@attack(language="English")
async def important_words(sample: Sample, ask: Ask) -> Text:
    """Important words first, each by the one of its 50 neighbours that brings the goal nearest."""
    text = sample.text
    reached = float((await ask.progress(text))[0])
    spots = _free(text)
    for number in ranked(await ask.progress(text.variants(spots, "[UNK]"))) if spots else ():
        words = neighbour_words(text.words[spots[number]], _NEIGHBOURS, _ANY)
        swaps = _near(sample.text, text.variants([spots[number]] * len(words), words))
        if not len(swaps):
            continue
        answers = await ask.predict(swaps)
        gains = ask.goal.progress(answers, sample.label)
        best = ranked(gains)[0]
        if gains[best] > reached:
            text, reached = swaps[best], float(gains[best])
            if await ask.holds(text, answers[best]):
                break
    return text


@attack(language="English")
async def any_inflection(sample: Sample, ask: Ask) -> Text:
    """Again and again, of all inflections of words not yet changed, put the one that brings the goal nearest."""
    text = sample.text
    forms = {spot: words for spot, words in _inflections(text).items() if words}
    while forms:
        pairs = [(spot, word) for spot, words in forms.items() for word in words]
        swaps = text.variants([spot for spot, _ in pairs], [word for _, word in pairs])
        answers = await ask.predict(swaps)
        best = ranked(ask.goal.progress(answers, sample.label))[0]
        text = swaps[best]
        if await ask.holds(text, answers[best]):
            break
        del forms[pairs[best][0]]
    return text


def words_of(text: str) -> list[str]:
    """Return the words of a text as TextAttack cuts it, without marks at their ends."""
    return [word for found in re.findall(r"[\w'*@-]+", text) if (word := found.strip(_EDGES))]


def _free(text: Text) -> list[int]:
    return [spot for spot in text.editable if text.words[spot] not in stop_words("nltk")]


def _near(original: Text, swaps: Variants) -> Variants:
    near = [number for number, text in enumerate(swaps) if diff(original, text).characters_changed <= _MOST_EDITS]
    return swaps.take(near)


def _inflections(text: Text) -> dict[int, Sequence[str]]:
    from lemminflect import getAllInflections, getAllLemmas

    found: dict[int, Sequence[str]] = {}
    tags = tag_text(text)
    for spot in _free(text):
        word, pos = text.words[spot], universal(tags[spot])
        lemmas = getAllLemmas(word).get(pos, ())[:1] if pos in _INFLECTED else ()
        forms = {form for lemma in lemmas for each in getAllInflections(lemma, upos=pos).values() for form in each}
        found[spot] = sorted(forms - {word})
    return found


@cache
def _unsmoothed() -> Any:
    return sacrebleu().BLEU(smooth_method="none", effective_order=False, tokenize="none")
