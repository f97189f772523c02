"""Votes as a file of JSON lines: for analyses elsewhere, and from one copy of a study to another."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from unfool.errors import UserError
from unfool.rating._draw import Turn
from unfool.rating._records import Answered
from unfool.rating._study import Study
from unfool.storage import explaining, fits, replacing, to_json, whole_lines


def write_votes(study: Study, path: str | Path) -> None:
    """Write people's votes, a line each, with the texts they are about."""
    path = Path(path)
    marks = _marks(study)
    with explaining(path, "write", "choose another place"), replacing(path) as file:
        for vote in study.store.votes():
            item = study.items[vote.item]
            who = {"mark": marks.get(vote.rater, "")}
            told = {"versions": item.versions, "texts": item.texts, "right": item.right, "gold": item.gold}
            file.write(to_json({**vote._asdict(), **who, **told}) + b"\n")


def read_votes_file(study: Study, path: str | Path) -> Iterator[tuple[str, Answered]]:
    """Yield raters' names and answers of a file that `write_votes` wrote; what was asked again is left out.

    Each study has a rater-1. One of another study gets a name of their own: ``rater-1@`` and a mark.
    """
    path = Path(path)
    here = _marks(study)
    with explaining(path, "read", "give a file of votes"):
        for number, (_, line) in enumerate(whole_lines(path), start=1):
            try:
                record = json.loads(line)
                rater, answered = record["rater"], Answered(record["item"], record["answer"], record["comment"])
                if not (fits(rater, str) and fits(answered.item, int) and fits(list(answered[1:]), list[str])):
                    raise TypeError
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                raise UserError(f"line {number} of {path} is no vote; give a file that `export` wrote") from error
            if record.get("turn") != Turn.AGAIN.value:
                mark = str(record.get("mark", ""))
                known = here.get(rater, "") == mark
                yield rater if known else f"{rater}@{mark or 'file'}", answered


def _marks(study: Study) -> dict[str, str]:
    """Return, for each rater with a link, what tells them from others of the same name, and not the link."""
    return {
        rater.name: hashlib.sha256(rater.token.encode()).hexdigest()[:8]
        for rater in study.store.raters()
        if rater.token
    }
