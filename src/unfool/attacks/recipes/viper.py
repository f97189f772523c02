"""VIPER (Eger et al., 2019): random characters give way to some that look like them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from unfool.attacks import LATIN, LOOK_ALIKES, attack, refuse_below
from unfool.attacks.parts.search import first_that_fools
from unfool.engine import Ask
from unfool.errors import UserError
from unfool.lexicon.confusables import accented, look_alikes
from unfool.text import Sample, Text, Variants

Space = Literal["accents", "one-accent", "confusables"]
_ALIKE: dict[Space, Callable[[str], str]] = {
    "accents": accented,
    "one-accent": lambda character: accented(character)[:1],
    "confusables": look_alikes,
}


@attack(letters={"accents": LATIN, "one-accent": LATIN, "confusables": LOOK_ALIKES})
async def viper(
    sample: Sample, ask: Ask, *, share: float = 0.3, space: Space = "accents", draws: int = 120
) -> Text:
    """Replace characters at random by others that look like them; of several draws, the first that fools.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        share: The chance of each character to be replaced.
        space: ``accents``: any letter that is the same but for an accent or another mark, as their names say.
            ``one-accent``: always the first of these. ``confusables``: Unicode's table of what looks alike.
        draws: How many texts are drawn.
    """
    refuse_below("viper", 1, draws=draws)
    if not 0 < share <= 1:
        raise UserError(f"the attack 'viper' cannot take share={share:g}; it takes a number above 0 and up to 1")
    text, alike = sample.text, _ALIKE[space]

    def drawn(word: str) -> str:
        lucks, choices = ask.random.random((2, len(word))).tolist()
        return "".join(
            others[int(choice * len(others))] if luck < share and (others := alike(character)) else character
            for character, luck, choice in zip(word, lucks, choices, strict=True)
        )

    texts = [
        text.replace_several(text.editable, [drawn(text.words[at]) for at in text.editable]) for _ in range(draws)
    ]
    return await first_that_fools(ask, Variants.of_texts(texts))
