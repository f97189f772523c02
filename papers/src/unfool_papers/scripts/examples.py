"""Write a page of examples: of each attack twenty successes, drawn by a seed from the runs of `scripts.attacks`.

``python -m unfool_papers.scripts.examples [--runs DIR] [--out FILE]``. A row that is not finished may stand there
with 50 texts (``python -m unfool_papers.scripts.attacks --n 50 --only ROW``); attacks that no paper's table has get
small runs of their own.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from unfool.engine import Outcome, Status
from unfool.resources import cache_root
from unfool.runs import Piece, Run, mark_changes
from unfool_papers.scripts.attacks import ROWS
from unfool_papers.study.plan import Work
from unfool_papers.study.record import finished
from unfool_papers.study.row import Row
from unfool_papers.study.run_rows import carry_out_rows

PAGE = Path("examples.md")
SEED = 0
EACH = 20
_AROUND = 12
"""Words that are shown before and behind a changed one."""

_FEWER = 50
"""Texts of a run that stands in for one not finished yet."""
OWN = (Row(2, "greedy-synonym", "zoo:WordCNN@rotten_tomatoes", "rotten_tomatoes", n=50),)
"""Small runs of attacks that are in no table."""

_LABELS = {
    "ag_news": ("World", "Sports", "Business", "Sci/Tech"),
    "attack_sets/mnli_matched": ("entailment", "neutral", "contradiction"),
    "mnli": ("entailment", "neutral", "contradiction"),
}
_TWO_LABELS = ("negative", "positive")
_SPECIAL = re.compile(r"""[^\w\s,;'"?%/!()$.€£¥…–—‘’“”-]|_|\.(?=\w)|^\s*(?:\d+[.)]|-)""")
"""What Markdown or HTML may read; a number or a dash at the beginning would open a list, *www.* a link."""


class Example(NamedTuple):
    """A success and the run it is from."""

    row: Row
    outcome: Outcome


def main(arguments: list[str] | None = None) -> None:
    """Draw the examples and write the page."""
    parser = argparse.ArgumentParser(prog="python -m unfool_papers.scripts.examples", description=__doc__)
    parser.add_argument("--runs", type=Path, default=cache_root() / "studies" / "attacks")
    parser.add_argument("--out", type=Path, default=PAGE)
    given = parser.parse_args(arguments)
    found = [(row, run) for row in ROWS if (run := _run_of(row, given.runs))]
    own = carry_out_rows(OWN, given.runs, Work(given.runs, "cpu", 1, print))
    if own.problems:
        sys.exit("; ".join(own.problems.values()))
    found += [(row, own.runs[row.name]) for row in OWN]
    given.out.write_text(page(found), encoding="utf-8")


def _run_of(row: Row, runs: Path) -> Run | None:
    return finished(row, runs, row.n) or finished(row, runs, _FEWER)


def page(runs: Iterable[tuple[Row, Run]]) -> str:
    """Return the page, a section for each attack."""
    pools: defaultdict[str, list[Example]] = defaultdict(list)
    for row, run in runs:
        pools[row.kind] += [Example(row, each) for each in run.outcomes() if each.status is Status.SUCCESS]
    parts = [
        "# Examples",
        f"Written by `python -m unfool_papers.scripts.examples`: {EACH} successes of each attack, drawn with seed "
        f"{SEED} from "
        "its runs in `results/attacks.json` that were at hand, or from a smaller one where there are none, not "
        "chosen by hand. Changed words are <del>struck out</del> "
        "before and <strong>bold</strong> after; … stands for words that did not change. Behind each label is the "
        "victim's confidence.",
    ]
    for kind in sorted(pools):
        parts += [f"## {kind}", *_section(kind, pools[kind])]
    return "\n\n".join(parts) + "\n"


def draw(kind: str, pool: list[Example]) -> list[Example]:
    """Draw the examples of an attack: the same ones of the same runs."""
    return random.Random(f"{SEED} {kind}").sample(pool, min(EACH, len(pool)))


def _section(kind: str, pool: list[Example]) -> Iterator[str]:
    if len(pool) < EACH:
        yield f"There were only {len(pool)} successes."
    for number, (row, outcome) in enumerate(draw(kind, pool), start=1):
        names = _LABELS.get(row.data, _TWO_LABELS)
        before, after = (f"{names[v.label]} ({v.confidence:.1%})" for v in (outcome.before, outcome.after))
        settings = f"`{row.attack}` on " if ":" in row.attack else ""
        heading = f"**{number}.** {settings}`{row.victim}`, {row.data} {outcome.id}: {before} → {after}"
        marked = mark_changes(outcome)
        lines = [heading, ""]
        for name, old, new in zip(outcome.field_names, marked.original, marked.perturbed, strict=True):
            of = f"{name}: " if len(outcome.field_names) > 1 else ""
            lines.append(f"> {of}{_shown(old, '<del>', '</del>')}")
            if old != new:
                lines += [">", f"> {of}{_shown(new, '<strong>', '</strong>')}"]
            lines.append(">")
        yield "\n".join(lines[:-1])


def _shown(pieces: tuple[Piece, ...], opening: str, closing: str) -> str:
    """Return a text as Markdown, with its changed words marked and what lies far from them left out."""
    shown = ""
    for number, piece in enumerate(pieces):
        if piece.changed:
            shown += f"{opening}{escaped(piece.string)}{closing}"
        else:
            shown += escaped(shortened(piece.string, number == 0, number == len(pieces) - 1))
    return shown.strip()


def shortened(string: str, first: bool, last: bool) -> str:
    """Leave out what is far from a change: the first piece's beginning, the last one's end, the others' middle."""
    words = re.split(r"(\s+)", string)
    keep = 2 * _AROUND + 1  # the blanks between the words, and the one beside the change
    if (first and last) or len(words) <= (keep if first or last else 2 * keep):
        return string
    if first:
        return "… " + "".join(words[-keep:]).lstrip()
    if last:
        return "".join(words[:keep]).rstrip() + " …"
    return "".join(words[:keep]).rstrip() + " … " + "".join(words[-keep:]).lstrip()


def escaped(string: str) -> str:
    """Return a string of which neither Markdown nor HTML makes anything else."""
    plain = re.sub(r"\s+", " ", string)
    return _SPECIAL.sub(lambda found: found[0][:-1] + f"&#{ord(found[0][-1])};", plain)


if __name__ == "__main__":
    main()
