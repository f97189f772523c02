"""Bad characters (Boucher et al., 2021): changes of the characters that a reader does not see."""

from __future__ import annotations

from typing import Literal

from unfool.attacks import IN_WORDS, LOOK_ALIKES, attack, refuse_below
from unfool.attacks.parts.evolution import Genes, differential_evolution
from unfool.attacks.parts.glyphs import Unseen, unseen_edits, with_edits
from unfool.attacks.parts.search import beam_search, by_asking
from unfool.engine import Ask
from unfool.text import Sample, Text, Variants


@attack(letters={"homoglyph": LOOK_ALIKES, "reordering": IN_WORDS})
async def bad_characters(
    sample: Sample,
    ask: Ask,
    *,
    kind: Unseen = "homoglyph",
    changes: int = 5,
    search: Literal["evolution", "greedy"] = "evolution",
    population: int = 32,
    generations: int = 10,
) -> Text:
    """Change a few characters so that the text looks as before.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        kind: ``invisible``: characters of no width come in; ``homoglyph``: one gives way to its look-alike by
            Unicode's table of confusables; ``reordering``: two stand the other way round, and marks of direction
            turn them back; ``deletion``: any character comes in, a backspace behind it.
        changes: How many there may be; the paper tries 1 to 5.
        search: ``evolution``: differential evolution, as in the paper. ``greedy``: of all changes the one that
            brings the goal nearest, then the next; it asks far more.
        population: Texts in a generation of ``evolution``.
        generations: Generations after the first.
    """
    refuse_below("bad-characters", 1, changes=changes, generations=generations)
    refuse_below("bad-characters", 4, population=population)
    text = sample.text

    def propose(current: Text) -> Variants:
        edits = unseen_edits(current, kind)
        return current.variants(
            [edit.position for edit in edits], [edit.made_in(current.words[edit.position]) for edit in edits]
        )

    if search == "greedy":
        return await beam_search(ask, text, by_asking(ask, propose), width=1, steps=changes)
    edits = unseen_edits(text, kind)

    def text_of(genes: Genes) -> Text:
        # The first share of a gene's range leaves the text alone, each other one stands for an edit.
        chosen = (genes * (len(edits) + 1)).astype(int).tolist()
        return with_edits(text, [edits[number - 1] for number in chosen if number])

    if not edits:
        return text
    return await differential_evolution(ask, text_of, changes, population=population, generations=generations)
