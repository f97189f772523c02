"""TextBugger (Li et al., 2019): five kinds of bugs in the words that matter most."""

from __future__ import annotations

from unfool.attacks import IN_WORDS, attack, refuse_below
from unfool.attacks.parts.climb import climb
from unfool.attacks.parts.letters import added, changed, dropped, swapped
from unfool.attacks.parts.propose import vector_words
from unfool.attacks.parts.rank import answers_without, ranked
from unfool.engine import Ask, Floats
from unfool.errors import UserError
from unfool.lexicon import kept_words
from unfool.lexicon.confusables import look_alikes
from unfool.lexicon.encoders import sentence_encoder
from unfool.lexicon.typos import code_of, key_neighbours
from unfool.text import Sample, Text

_LOOKS = {"o": "0", "O": "0", "l": "1", "I": "1", "a": "@", "s": "5", "S": "5", "e": "3", "E": "3", "i": "1"}
"""Keys that look like letters; other letters have Unicode's look-alikes and the keys beside them."""


@attack(language="English", letters={"universal": IN_WORDS})
async def textbugger(
    sample: Sample, ask: Ask, *, similarity: float = 0.8, nearest: int = 5, encoder: str = "minilm"
) -> Text:
    """Put the bug that brings the goal nearest into the words that matter most, until the victim is fooled.

    The bugs of a word: a space inside, an inner letter left out, two inner letters swapped, a letter that looks
    like another or lies beside it on the keyboard, and words with near vectors (GloVe). Where there are several of
    a kind, one is drawn. With the universal encoder it takes other languages, too, which have no vectors here.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        similarity: The least cosine between the sentence vectors of the original and of the changed text.
        nearest: How many words with near vectors are tried; with 0, none.
        encoder: The sentence encoder: ``minilm`` or ``universal``.
    """
    refuse_below("textbugger", 0, nearest=nearest)
    if not -1 <= similarity <= 1:
        raise UserError(f"the attack 'textbugger' cannot take similarity={similarity:g}; it takes -1 to 1")
    text = sample.text
    spots = [at for at in text.editable if text.words[at].lower() not in kept_words(ask.language)]
    bugs = {at: _bugs(text.words[at], nearest, ask) for at in spots}
    spots = [at for at in spots if bugs[at]]
    if not spots:
        return text

    async def is_similar(changed_text: Text) -> bool:
        vectors: Floats = await ask.use(sentence_encoder(encoder), [str(text), str(changed_text)])
        return round(float(vectors[0] @ vectors[1]), 5) >= similarity

    without = ask.goal.progress(await answers_without(ask, text, spots, "delete"), sample.label)
    order = [spots[number] for number in ranked(without)]
    return (await climb(ask, text, bugs, order, passes=is_similar)).text


def _bugs(word: str, nearest: int, ask: Ask) -> list[str]:
    keys = code_of(ask.language)

    def alike(letter: str) -> str:
        return _LOOKS.get(letter) or look_alikes(letter)[:1] or key_neighbours(letter, keys)

    inner = (added(word, " ", inner=True), dropped(word, inner=True), swapped(word, inner=True))
    kinds = (*inner, changed(word, alike, inner=False))
    drawn = [bugs[int(ask.random.integers(len(bugs)))] for bugs in kinds if bugs]
    near = () if ask.language else vector_words(word, -1.0)[:nearest]
    return list(dict.fromkeys([*drawn, *near]))
