"""HotFlip (Ebrahimi et al., 2018): the character changes that the gradient says hurt most."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from unfool.attacks import attack
from unfool.attacks.parts.characters import (
    CharacterChanges,
    Estimates,
    Operations,
    character_steps,
    estimate_changes,
)
from unfool.attacks.parts.search import Path, Slopes, Step, beam_search, is_no_word
from unfool.engine import Ask
from unfool.errors import UserError
from unfool.text import Sample, Text, edit_distance
from unfool.victims import CharacterReader, Gradients, Spelling


@attack(needs=("gradients", "characters"))
async def hotflip(
    sample: Sample,
    ask: Ask,
    *,
    width: int = 10,
    budget: float = 0.1,
    operations: Operations = "all",
    score: Literal["path", "loss"] = "path",
    per_word: int = 0,
) -> Text:
    """Flip, insert and delete characters by the directional derivatives of the loss, with beam search.

    A new word must not be in the victim's vocabulary, the words it was trained on.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        width: How many texts are followed at once; 1 is the greedy search.
        budget: The share of characters that may be changed, at least one.
        operations: ``all``, or ``flips`` alone, as in the paper's tests of trained defences.
        score: How good a path looks. ``path``: the sum of the estimates along it, as in the paper. ``loss``: the
            loss where it stands plus the last estimate, as in the authors' later code.
        per_word: The most characters that change in one word; 0 sets no limit, as in the paper. The authors' later
            code can stop at two. Estimates in a word that is past recognition stay high while the loss no longer
            follows, and a beam ranked by them piles change upon change there.
    """
    if per_word < 0:
        raise UserError(f"the attack 'hotflip' cannot take per_word={per_word}; it takes 0, for no limit, or more")
    reader: CharacterReader = ask.offer("characters")

    slopes = Slopes(ask, one_hot=True)

    async def grow(beam: Sequence[Path]) -> list[Iterable[Step]]:
        spellings = [reader.spell(path.text) for path in beam]
        estimates = estimate_changes(spellings, [slope.gradient for slope in slopes.found], reader)
        return list(map(following, beam, slopes.found, spellings, estimates))

    def following(path: Path, slope: Gradients, spelling: Spelling, estimates: Estimates) -> Iterator[Step]:
        so_far = path.score if score == "path" else round(slope.loss, 5)
        for gain, position, word in CharacterChanges(path.text, spelling, reader, operations).best_first(estimates):
            changed = edit_distance(sample.text.words[position], word) if per_word else 0
            if changed <= per_word and is_no_word(ask, word):
                yield Step(so_far + gain, position, word)

    steps = character_steps("hotflip", sample.text, budget, width)
    await slopes.look([sample.text])
    return await beam_search(ask, sample.text, grow, width=width, steps=steps, look=slopes.look)
