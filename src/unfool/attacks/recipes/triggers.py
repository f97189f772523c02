"""Universal triggers (Wallace et al., 2019): the same few words before every text of a label."""

from __future__ import annotations

from unfool.attacks import attack, refuse_below
from unfool.attacks.parts.triggers import Search, trigger_for, with_trigger
from unfool.engine import OUTPUT, Ask
from unfool.errors import UserError
from unfool.text import Sample, Text


@attack(needs=("gradients", "embeddings"), from_data={"data": "{}"})
async def triggers(
    sample: Sample,
    ask: Ask,
    *,
    words: int = 3,
    data: str | None = None,
    texts: int = 32,
    candidates: int = 20,
    width: int = 3,
    rounds: int = 5,
) -> Text:
    """Put words before the text that were found, once for each label, to turn the answers about training texts.

    They are found as HotFlip finds words, by gradients averaged over texts: in each place of the trigger the words
    farthest along the gradient are tried, and the best triggers followed. The victim is not asked about the sample.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        words: How many words the trigger has.
        data: The data whose training texts it is learnt on; ``none`` takes the data under attack.
        texts: On how many texts of the label.
        candidates: Words tried in each place.
        width: Triggers followed at once.
        rounds: How often all places are gone through, at most; it ends where nothing gets better.
    """
    refuse_below("triggers", 1, words=words, texts=texts, candidates=candidates, width=width, rounds=rounds)
    if data is None:
        raise UserError("the attack 'triggers' learns on training texts, and has none; give data=NAME or data=FILE")
    if any(field.name == OUTPUT for field in sample.text.fields):
        raise UserError("the attack 'triggers' learns on labelled texts, and a model that generates has no labels")
    trigger = trigger_for(ask, Search(words, data, texts, candidates, width, rounds))
    changed = with_trigger(sample.text, trigger)
    return changed if await ask.permitted(changed) else sample.text
