"""CheckList (Ribeiro et al., 2020): invariance tests, changes after which the answer should stand."""

from __future__ import annotations

from typing import Literal

from unfool.attacks import attack, refuse_below
from unfool.attacks.parts.invariance import Test, invariant_texts
from unfool.attacks.parts.rank import ranked
from unfool.engine import Ask
from unfool.text import Sample, Text

_ALL: tuple[Test, ...] = ("contractions", "names", "places", "numbers")


@attack(language="English")
async def checklist(sample: Sample, ask: Ask, *, test: Literal["all", Test] = "all", changes: int = 1) -> Text:
    """Write contractions out or short, and put other names, places and numbers: none should change the answer.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        test: Which changes; ``all`` for any of them.
        changes: How many, one after the other; the paper's tests make one.
    """
    refuse_below("checklist", 1, changes=changes)
    text, seen = sample.text, {sample.text.words}
    for _ in range(changes):
        texts = invariant_texts(text, _ALL if test == "all" else (test,), ask.random)
        new = [changed for changed in texts if changed.words not in seen]
        new = [new[number] for number in await ask.permitted(new)]
        if not new:
            break
        seen.update(changed.words for changed in new)
        answers = await ask.predict(new)
        order = ranked(ask.goal.progress(answers, sample.label))
        for number in order:
            if await ask.holds(new[number], answers[number]):
                return new[number]
        text = new[order[0]]
    return text
