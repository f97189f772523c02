"""Which outcomes a person is shown, and how a terminal shows their texts.

Of a text the changes are shown with their surroundings, and a sign for every character that cannot be seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from unicodedata import category

from rich.text import Text

from unfool.engine import Outcome, Status
from unfool.runs import Piece, Run
from unfool.visible import visible

_WORDS_AROUND = 12
"""So many are shown on either side of a change; of an unchanged text, twice as many from its start."""
_MOST_CHANGES = 12
_LONGEST_CHANGE = 400
_WORD_OR_BLANK = re.compile(r"\s{1,20}|\S{1,20}")  # without blanks, words cannot be counted
_JOINERS = "\u200c\u200d"  # emoji and several scripts need them
_ORDER = (Status.SUCCESS, Status.FAILED, Status.SKIPPED)


def choose_examples(run: Run, most: int) -> list[Outcome]:
    """Return the first outcomes of a run, successes before failures before skipped samples."""
    kept: dict[Status, list[Outcome]] = {status: [] for status in _ORDER}
    for outcome in run.outcomes():
        if len(kept[outcome.status]) < most:
            kept[outcome.status].append(outcome)
        if len(kept[Status.SUCCESS]) == most:
            break
    return list(chain.from_iterable(kept.values()))[:most]


def excerpt(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Yield the pieces of a text; an ellipsis stands for what is far from every change."""
    changes = [number for number, piece in enumerate(pieces) if piece.changed]
    if not changes:
        yield from (Piece(_shortened(piece.string, 2 * _WORDS_AROUND, 0), False) for piece in pieces)
        return
    last = changes[:_MOST_CHANGES][-1]
    for number, (string, changed) in enumerate(pieces[: last + 2]):
        if changed:
            yield Piece(string if len(string) <= _LONGEST_CHANGE else f"{string[:_LONGEST_CHANGE]}…", True)
        else:
            ahead, behind = (_WORDS_AROUND if near else 0 for near in (number > changes[0], number < last))
            yield Piece(_shortened(string, ahead, behind), False)
    if len(changes) > _MOST_CHANGES:
        yield Piece(f" (and {len(changes) - _MOST_CHANGES} more changes)", False)


def all_visible(string: str) -> str:
    """Return a text in which every character can be seen, those that turn the direction of writing included."""
    return "".join(
        f"⟨{ord(character):04X}⟩" if category(character) == "Cf" and character not in _JOINERS else character
        for character in visible(string)
    )


def replacement_line(before: str, word: str, substitute: str, after: str) -> Text:
    """Return a line of text around a word that is crossed out and another put in."""
    line = Text("  ").append(f"{all_visible(_shortened(before, 0, _WORDS_AROUND))}[")
    line.append(all_visible(word), "red").append(" → ").append(all_visible(substitute), "green")
    return line.append(f"]{all_visible(_shortened(after, _WORDS_AROUND, 0))}")


def _shortened(string: str, ahead: int, behind: int) -> str:
    """Return the first and the last words of a stretch, or all of it where hardly any would be left out."""
    parts = _WORD_OR_BLANK.findall(string)
    if len(parts) <= 2 * (ahead + behind + 2):
        return string
    start, end = "".join(parts[: 2 * ahead]).rstrip(), "".join(parts[len(parts) - 2 * behind :]).lstrip()
    return f"{start}{' ' if start else ''}…{' ' if end else ''}{end}"
