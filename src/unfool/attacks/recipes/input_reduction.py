"""Input reduction (Feng et al., 2018): the fewest words by which the answer stays as it is."""

from __future__ import annotations

import numpy as np

from unfool.attacks import attack, refuse_below
from unfool.attacks.parts.rank import ranked
from unfool.engine import Ask, answered_labels
from unfool.text import DELETED, Sample, Text

_LEFT = "words left"


@attack()
async def input_reduction(sample: Sample, ask: Ask, *, width: int = 5) -> Text:
    """Take words out while the victim's answer stays, those first that it needs least, down to one.

    It fools nobody: it shows by how little of a text a victim decides, and how sure it is of that. So no text
    counts as a success; how many words are left is noted with every sample and averaged over the run.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        width: How many texts are followed at once, of each length those with the most belief in the answer.
    """
    refuse_below("input-reduction", 1, width=width)
    beam = [sample.text]
    while len(beam[0].editable) > 1:
        seen = set[tuple[str, ...]]()
        found: list[Text] = []
        beliefs: list[float] = []
        for text in beam:
            shorter = text.variants(text.editable, DELETED)
            shorter = shorter.take(await ask.permitted(shorter))
            answers = await ask.predict(shorter)
            for number in np.flatnonzero(answered_labels(answers, sample.label) == sample.label).tolist():
                if shorter[number].words not in seen:
                    seen.add(shorter[number].words)
                    found.append(shorter[number])
                    beliefs.append(float(answers[number, sample.label]))
        if not found:
            break
        order = ranked(np.array(beliefs))[:width]
        beam = [found[number] for number in order]
    ask.notes[_LEFT] = float(len(beam[0].editable))
    return beam[0]
