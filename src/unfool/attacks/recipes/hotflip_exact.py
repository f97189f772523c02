"""The search HotFlip replaces: the loss of every change is asked, not estimated."""

from __future__ import annotations

from collections.abc import Sequence

from unfool.attacks import attack
from unfool.attacks.parts.characters import CharacterChanges, Operations, character_steps
from unfool.attacks.parts.rank import ranked
from unfool.attacks.parts.search import Path, Step, beam_search, is_no_word
from unfool.engine import Ask
from unfool.text import Sample, Text
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

    async def following(path: Path) -> list[Step]:
        changes = CharacterChanges(path.text, reader.spell(path.text), reader, operations)
        words = dict.fromkeys(changes[number] for number in range(len(changes)))
        kept = [(at, word) for at, word in words if word != path.text.words[at] and is_no_word(ask, word)]
        gains = await ask.progress(path.text.variants([at for at, _ in kept], [word for _, word in kept]))
        return [Step(float(gains[number]), *kept[number]) for number in ranked(gains)]

    async def grow(beam: Sequence[Path]) -> list[list[Step]]:
        return [await following(path) for path in beam]

    steps = character_steps("hotflip-exact", sample.text, budget, width)
    return await beam_search(ask, sample.text, grow, width=width, steps=steps)
