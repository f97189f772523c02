"""Write the tables of ``docs/languages.md``: what was fooled in each language, and examples that were read over.

``python -m bench.languages_page`` takes the figures from ``results/languages.json`` and what a reader said of the
changed sentences from ``bench/languages_read.csv``: ``keeps`` says whether one still says much the same.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from unfool.text import Text, cutter, diff

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "languages.md"
_READ = Path(__file__).with_name("languages_read.csv")
_UNSPACED = ("Chinese", "Japanese")
_MARK = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
Row = dict[str, Any]


def rows() -> list[Row]:
    """Return what `bench.languages` kept."""
    found: list[Row] = json.loads((ROOT / "results" / "languages.json").read_text("utf-8"))["rows"]
    return found


def readings() -> list[dict[str, str]]:
    """Return what was said of each changed sentence that was read over."""
    with _READ.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def renewed(page: str) -> str:
    """Return the page with its tables made anew."""
    made = {"figures": _figures, "pwws": _synonyms, "examples": _examples}
    return _MARK.sub(lambda part: "\n".join([part[1], *made[part[2]](), "", part[3]]), page)


def kept(row: Row) -> tuple[int, int]:
    """Return how many of a row's changed sentences still say much the same, and how many were read over."""
    said = {reading["perturbed"]: reading["keeps"] == "yes" for reading in readings()}
    return sum(said[example["perturbed"]] for example in row["examples"]), len(row["examples"])


def _figures() -> Iterator[str]:
    yield "| language | victim | right | attack | fooled | queries |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for row in rows():
        if row["attack"] != "pwws":
            right, fooled = f"{row['right']} of {row['texts']}", f"{row['fooled']} of {row['right']}"
            yield _line(
                row["language"], row["victim"], right, f"`{row['attack']}`", fooled, f"{row['queries']:.0f}"
            )


def _synonyms() -> Iterator[str]:
    yield "| language | victim | words | constraint | fooled | still say much the same |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for row in rows():
        if row["attack"] == "pwws":
            apart = "characters" if row["language"] in _UNSPACED else "by spaces"
            same, of = kept(row)
            yield _line(
                row["language"],
                row["victim"],
                row["cutter"] or apart,
                f"`{row['constrain']}`" if row["constrain"] else "none",
                f"{row['fooled']} of {row['right']}",
                f"{same} of {of}" if of else "–",
            )
    whole = [
        row for row in rows() if row["attack"] == "pwws" and (row["cutter"] or row["language"] not in _UNSPACED)
    ]
    for constrained in (False, True):
        counts = [kept(row) for row in whole if bool(row["constrain"]) == constrained]
        same, of = (sum(pair[side] for pair in counts) for side in (0, 1))
        yield _line("all", "all", "whole", "the encoder's" if constrained else "none", str(of), f"{same} of {of}")


def _examples() -> Iterator[str]:
    yield "| language | attack | sentence | changed | answer | read over |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for reading in readings():
        if not reading["shown"]:
            continue
        row, example = found(reading)
        old, new = _marked(example, row["cutter"])
        answer = f"{example['before']} → {example['after']}"
        yield _line(row["language"], f"`{row['attack']}`, {row['victim']}", old, new, answer, reading["said"])


def found(reading: dict[str, str]) -> tuple[Row, Row]:
    """Return the row and the example of the results that a reading is about."""
    for row in rows():
        for example in row["examples"]:
            if row["language"] == reading["language"] and spelt(example["perturbed"]) == reading["perturbed"]:
                return row, example
    raise LookupError(f"no result has {reading['perturbed']!r}")


def _marked(example: Row, cut_by: str | None) -> tuple[str, str]:
    """Return a sentence before and after with what changed in bold, and what cannot be seen spelt out."""
    cut = cutter(cut_by) if cut_by else None
    texts = [Text.of(example[side], cut=cut) for side in ("original", "perturbed")]
    bold: list[set[int]] = [set(), set()]
    shift = 0
    for change in diff(*texts).changes:
        bold[0] |= set(range(change.position, change.position + len(change.before)))
        start = change.position + shift
        bold[1] |= set(range(start, start + len(change.after)))
        shift += len(change.after) - len(change.before)
    return _bold(texts[0], bold[0]), _bold(texts[1], bold[1])


def _bold(text: Text, places: set[int]) -> str:
    pieces = [text.gaps[0]]
    for at, word in enumerate(text.words):
        pieces += [f"**{word}**" if at in places else word, text.gaps[at + 1]]
    return spelt("".join(pieces)).replace("****", "").replace("|", "\\|").replace("$", "\\$")


def spelt(string: str) -> str:
    """Return a string in which characters of no width are written as their codes."""
    return re.sub("[\u200b-\u200d]", lambda found: f"⟨{ord(found[0]):X}⟩", string)


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text("utf-8")), encoding="utf-8")
