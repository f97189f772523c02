"""A text beside what an attack made of it, and which word of the one is which of the other."""

from __future__ import annotations

from typing import NamedTuple

from unfool.engine import Outcome
from unfool.text import Text, diff
from unfool_papers.analysis.outcomes import Outcomes, successes_of


class Pair(NamedTuple):
    """An original and its adversarial text."""

    original: Text
    adversarial: Text


class Place(NamedTuple):
    """A word's position in the original and in the adversarial text; None where it has none."""

    before: int | None
    after: int | None
    changed: bool


def fooling_pairs(source: Outcomes) -> list[Pair]:
    """Return the original and the adversarial text of every success of a run, or of the outcomes given, in order.

    Raises:
        UserError: If there is none.
    """
    return [pair_of(outcome) for outcome in successes_of(source, "what an attack moves")]


def pair_of(outcome: Outcome) -> Pair:
    """Return the texts of one outcome."""
    original, adversarial = outcome.as_text(outcome.original), outcome.as_text(outcome.perturbed)
    if len(original) != len(adversarial):
        adversarial = _with_one_word_changed(original, outcome.perturbed) or adversarial
    return Pair(original, adversarial)


def places(original: Text, adversarial: Text) -> list[Place]:
    """Return the words of both texts in order, each beside what stands for it in the other."""
    found: list[Place] = []
    at = moved = 0
    for change in diff(original, adversarial).changes:
        found += [Place(i, i + moved, False) for i in range(at, change.position)]
        gone, new = len(change.before), len(change.after)
        for number in range(max(gone, new)):
            before = change.position + number if number < gone else None
            found.append(Place(before, change.position + moved + number if number < new else None, True))
        at, moved = change.position + gone, moved + new - gone
    return found + [Place(i, i + moved, False) for i in range(at, len(original))]


def _with_one_word_changed(original: Text, strings: tuple[str, ...]) -> Text | None:
    """Return the original with one word replaced so that it reads like this; None where no such change does it.

    What replaced the word may be a mark, or have one inside: read anew, the text has another number of words.
    """
    for number, field in enumerate(original.fields):
        old, new = original.strings[number], strings[number]
        for position, (start, end) in zip(range(field.start, field.stop), original.spans[number], strict=True):
            kept = len(old) - end
            if len(new) < start + kept or old[:start] != new[:start]:
                continue
            word = new[start : len(new) - kept]
            changed = original.replace(position, word)
            # Words that were inserted bring a space along.
            if word.split() == [word] and changed.strings == strings:
                return changed
    return None
