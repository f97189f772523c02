"""Why a black box beats HotFlip on our net: Key* and the greedy HotFlip, made alike one step at a time.

``python -m unfool_papers.scripts.hotflip_order [--n N] [--only NAME …] [--runs DIR]``. Both change a character a
step. They differ in who proposes the change (chance or the gradient), in the characters it may bring in (all of
ASCII, or those that do not cut a word in two), in how many proposals the net is asked about, and in whether one is
kept that does not help. Each row is a run on the same texts, kept in a folder of its own, and done where it is
missing.
"""

from __future__ import annotations

import argparse
from itertools import islice
from pathlib import Path

from unfool import attack as run_attack
from unfool.attacks import attack, find_attack
from unfool.attacks.parts.characters import CharacterChanges, character_steps, estimate_changes
from unfool.attacks.parts.rank import ranked
from unfool.attacks.parts.search import is_no_word, random_flips
from unfool.engine import Ask
from unfool.resources import cache_root
from unfool.runs import Run, is_finished, is_run
from unfool.text import Sample, Text
from unfool.victims import CharacterReader, GradientRequest, Gradients

VICTIM, DATA, CONFIDENCE, BUDGET = "zoo:CharCNN-LSTM-Adam@ag_news", "ag_news", 0.5, 0.1
RUNS = cache_root() / "studies" / "hotflip-order"


@attack(needs=("characters",))
async def by_chance(sample: Sample, ask: Ask, *, draws: int = 10) -> Text:
    """Key*, held to HotFlip's characters."""
    reader: CharacterReader = ask.offer("characters")
    steps = character_steps("key-star", sample.text, BUDGET)
    return await random_flips(ask, sample.text, lambda _: reader.letters, steps=steps, draws=draws)


@attack(needs=("gradients", "characters"))
async def by_gradient(sample: Sample, ask: Ask, *, draws: int = 10) -> Text:
    """HotFlip's flips, searched as Key* does: of the ``draws`` best estimates the best is kept, if it helps."""
    reader: CharacterReader = ask.offer("characters")
    text, seen = sample.text, {sample.text.words}
    reached = float((await ask.progress(text))[0])
    for _ in range(character_steps("hotflip", text, BUDGET)):
        asked_for = GradientRequest(text, sample.label, one_hot=True)
        slope: Gradients = await ask.use(ask.service("gradients"), asked_for)
        spelling = reader.spell(text)
        (estimates,) = estimate_changes([spelling], [slope.gradient], reader)
        changes = CharacterChanges(text, spelling, reader, "flips")
        new = (
            changed
            for _, position, word in changes.best_first(estimates)
            if is_no_word(ask, word) and (changed := text.replace(position, word)).words not in seen
        )
        asked = list(islice(new, draws))
        if not asked:
            break
        answers = await ask.predict(asked)
        gains = ask.goal.progress(answers, sample.label)
        seen.update(each.words for each in asked)
        best = ranked(gains)[0]
        if await ask.holds(asked[best], answers[best]):
            return asked[best]
        if gains[best] > reached:
            text, reached = asked[best], float(gains[best])
    return text


ROWS = {
    "greedy": ("HotFlip, greedy", find_attack("hotflip:width=1")),
    "flips": ("HotFlip, greedy, flips alone", find_attack("hotflip:width=1,operations=flips")),
    "flips-helpful": ("… and only those kept that help", by_gradient.with_settings(draws=1)),
    "flips-ten": ("… and ten asked about, the best kept if it helps", by_gradient.with_settings(draws=10)),
    "key-star": ("Key*", find_attack("key-star")),
    "letters": ("Key*, letters alone", by_chance.with_settings(draws=10)),
    "one-draw": ("Key*, one draw a step", find_attack("key-star:draws=1")),
    "letters-one-draw": ("Key*, letters alone, one draw a step", by_chance.with_settings(draws=1)),
}


def main() -> None:
    """Carry out what is missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=50, help="texts")
    parser.add_argument("--only", nargs="*", choices=ROWS, default=list(ROWS), help="rows")
    parser.add_argument(
        "--runs", type=Path, default=cache_root() / "studies" / "hotflip-order", help="the runs' folder"
    )
    given = parser.parse_args()
    print("| search | fooled, % | characters changed, % | queries |\n| --- | --- | --- | --- |", flush=True)
    for name in given.only:
        called, recipe = ROWS[name]
        folder = given.runs / f"{name}-{given.n}"
        if not is_finished(folder):
            again = is_run(folder)
            run_attack(VICTIM, DATA, recipe, n=given.n, confidence=CONFIDENCE, out=folder, resume=again)
        found = Run.open(folder).summary
        changed, queries = found.characters_changed or 0.0, found.queries_mean or 0.0
        print(f"| {called} | {found.success_rate} | {changed:.1f} | {queries:.1f} |", flush=True)


if __name__ == "__main__":
    main()
