"""Best of N (Hughes et al., 2024): the same text with random noise, again and again."""

from __future__ import annotations

from unfool.attacks import IN_WORDS, attack, refuse_below
from unfool.attacks.parts.search import first_that_fools
from unfool.attacks.parts.slips import noisy
from unfool.engine import Ask
from unfool.errors import UserError
from unfool.text import Sample, Text, Variants

_LONGEST_KEPT = 3
_FIRST, _LAST = " ", "~"
"""Printable ASCII lies between these."""


@attack(letters=IN_WORDS)
async def best_of_n(sample: Sample, ask: Ask, *, n: int = 100, strength: float = 0.4) -> Text:
    """Shuffle letters inside words, turn cases, shift characters at random; of N texts, the first that fools.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        n: How many texts are drawn; the paper goes up to 10,000.
        strength: How much changes. Its square root is the chance of a word to be shuffled and of a letter to change
            its case, its cube that of a character to become the next one in ASCII, or the one before.
    """
    refuse_below("best-of-n", 1, n=n)
    if not 0 < strength <= 1:
        raise UserError(
            f"the attack 'best-of-n' cannot take strength={strength:g}; it takes a number above 0 and up to 1"
        )
    text = sample.text

    def drawn(word: str) -> str:
        if len(word) > _LONGEST_KEPT and ask.random.random() < strength**0.5:
            word = noisy(word, "middle", "en", ask.random)
        turned, shifted, way = ask.random.random((3, len(word))).tolist()
        return "".join(
            _shifted(character.swapcase() if turn < strength**0.5 else character, shift < strength**3, up < 0.5)
            for character, turn, shift, up in zip(word, turned, shifted, way, strict=True)
        )

    texts = [text.replace_several(text.editable, [drawn(text.words[at]) for at in text.editable]) for _ in range(n)]
    return await first_that_fools(ask, Variants.of_texts(texts))


def _shifted(character: str, shift: bool, up: bool) -> str:
    moved = chr(ord(character) + (1 if up else -1)) if shift and len(character) == 1 else character
    return moved if _FIRST < moved <= _LAST else character
