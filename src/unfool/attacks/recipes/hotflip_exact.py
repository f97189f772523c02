"""The search HotFlip replaces: the loss of every change is asked, not estimated."""

from __future__ import annotations

from unfool.attacks import attack
from unfool.attacks.parts.characters import CharacterChanges, Operations, character_steps
from unfool.attacks.parts.search import beam_search, by_asking, is_no_word
from unfool.engine import Ask
from unfool.text import Sample, Text, Variants
from unfool.victims import CharacterReader


@attack(needs=("characters",))
async def hotflip_exact(
    sample: Sample, ask: Ask, *, width: int = 10, budget: float = 0.1, operations: Operations = "all"
) -> Text:
    """Flip, insert and delete characters by the loss of every change there is: HotFlip's base line, and its cost.

    It makes the changes `hotflip` may make, under the same rules, and asks the victim about each of them at every
    step. The victim is asked for its alphabet, but for no gradient.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        width: How many texts are followed at once; 1 is the greedy search.
        budget: The share of characters that may be changed, at least one.
        operations: ``all``, or ``flips`` alone.
    """
    reader: CharacterReader = ask.offer("characters")

    def propose(text: Text) -> Variants:
        changes = CharacterChanges(text, reader.spell(text), reader, operations)
        words = dict.fromkeys(changes[number] for number in range(len(changes)))
        kept = [(at, word) for at, word in words if word != text.words[at] and is_no_word(ask, word)]
        return text.variants([at for at, _ in kept], [word for _, word in kept])

    steps = character_steps("hotflip-exact", sample.text, budget, width)
    return await beam_search(ask, sample.text, by_asking(ask, propose), width=width, steps=steps)
