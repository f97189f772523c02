"""Input reduction (Feng et al., 2018): the fewest words by which the answer stays as it is."""

from __future__ import annotations

from unfool.attacks import attack, refuse_below
from unfool.attacks.parts.rank import ranked
from unfool.engine import Ask, answered_labels
from unfool.text import DELETED, Sample, Text, Variants

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
        spots = [text.editable for text in beam]
        bases = [number for number, places in enumerate(spots) for _ in places]
        places = [place for those in spots for place in those]
        shorter = Variants(beam, bases, places, [DELETED] * len(places))
        shorter = shorter.take(await ask.permitted(shorter))
        answers = await ask.predict(shorter)
        stays = answered_labels(answers, sample.label) == sample.label
        best: dict[tuple[str, ...], Text] = {}
        for number in ranked(answers[:, sample.label]):
            if stays[number]:
                text = shorter[number]
                best.setdefault(text.words, text)
            if len(best) == width:
                break
        if not best:
            break
        beam = list(best.values())
    ask.notes[_LEFT] = float(len(beam[0].editable))
    return beam[0]
