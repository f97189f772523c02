"""Judge the tables of defences in ``results/`` anew, from the figures kept there, without any model.

``python -m unfool_papers.scripts.rejudged`` gives every arm the accuracy under attack by fresh answers, takes what
the paper says and what differs from today's declaration, and judges the claims that figures and their intervals
decide. Evaluations of before `HeldAgain.left` was measured tell bounds of that accuracy alone; a claim then holds
only if both bounds say so. Claims that were judged text by text stay as they were. Rows that are in
``attacks.json`` alone come into the study they belong to.

``--add firebert FILE`` first takes in the tables that ``unfool_papers.scripts.defences firebert --out FILE`` wrote
on another machine, in the place of those of their names.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from unfool.storage import as_stored
from unfool_papers import firebert, hotflip, self_attention
from unfool_papers.catalogue import STUDIES, all_rows
from unfool_papers.defence_tables.changes import changes_of
from unfool_papers.defence_tables.part import LEGEND
from unfool_papers.defence_tables.records import asked_anew, claims_of, portable
from unfool_papers.defence_tables.table import DefenceTable, before, left, left_anew
from unfool_papers.study.claim import judged

RESULTS = Path(__file__).parents[4] / "results"
_DECLARED = {
    (module.STUDY.name, scale, table.name): table
    for module in (self_attention, firebert, hotflip)
    for scale, tables in module.TABLES.items()
    for table in (*tables, *(module.BESIDE if scale == "full" else ()))
}
_DIFFERS = "What differs from the paper: "
_DRAWS = "the victim answers at random"


def rejudged(record: Mapping[str, Any], table: DefenceTable) -> dict[str, Any]:
    """Return the record of a table with its claims about fresh answers judged anew."""
    arms = {name: _with_fresh_answers(arm, table, name) for name, arm in record["arms"].items()}
    old = {(claim["claim"], claim["on"]): claim for claim in record["claims"]}
    claims = []
    for claim, chances in claims_of(table, arms, lambda one, other, figure: None):
        kept = old.get((claim.said, claim.about))
        by_texts = kept and any(p is not None for p in kept["p"])
        found = kept if by_texts else judged(claim, {}, chances)
        claims += [found] if found else []
    notes = [note for note in record["notes"] if not note.startswith(_DIFFERS)]
    settings = {**record["settings"], "arms": as_stored(table.settings)["arms"]}
    changes = changes_of(table, arms)
    told = {
        "settings": settings,
        "arms": arms,
        "changes": changes,
        "claims": claims,
        "notes": [*notes, _DIFFERS + table.differs],
    }
    made: dict[str, Any] = portable({**record, **told})
    return made


def _with_fresh_answers(arm: Mapping[str, Any], table: DefenceTable, name: str) -> dict[str, Any]:
    rates = dict(arm["rates"])
    for attack, under in arm.get("under attack", {}).items():
        draws = any(warning.startswith(_DRAWS) for warning in arm["warnings"])
        kept = under.get("left anew") if draws else rates[left(attack)]["value"]
        rates[left_anew(attack)] = asked_anew(rates[left(attack)], rates[before(attack)], kept, under["asked anew"])
    declared = table.arm(name)
    said = {each.figure: each.value for each in declared.said}
    return {**arm, "victim": declared.victim, "rates": rates, "said": said}


def _tell_what_differs(found: Mapping[str, Any]) -> None:
    """Take what differs from the paper from today's declaration, for as many texts as were run."""
    declared = {row.name: row.differs for row in all_rows()}
    for record in found["rows"]:
        record["differs"] = declared[record["row"]].replace("{n}", f"{record['n']:,}")


def _add_rows_done_elsewhere() -> None:
    """Put rows and claims that are in ``attacks.json`` alone into the study they belong to."""
    every = json.loads((RESULTS / "attacks.json").read_text("utf-8"))
    for name, study in STUDIES.items():
        path = RESULTS / f"study-{name}.json"
        if not path.is_file():
            continue
        found = json.loads(path.read_text("utf-8"))
        here = {each["row"]: each for key in (every, found) for each in key["rows"] if each["paper"] == study.paper}
        found["rows"] = [here[row.name] for row in study.plans["full"].rows if row.name in here]
        known = [(claim["claim"], claim["on"]) for claim in found["claims"]]
        last = max((n for n, claim in enumerate(found["claims"]) if _is_in(claim, every["claims"])), default=-1)
        more = [c for c in every["claims"] if c["paper"] == study.paper and (c["claim"], c["on"]) not in known]
        found["claims"][last + 1 : last + 1] = more
        _write(path, found)


def _is_in(claim: Mapping[str, Any], claims: Sequence[Mapping[str, Any]]) -> bool:
    return any((each["claim"], each["on"]) == (claim["claim"], claim["on"]) for each in claims)


def _write(path: Path, found: Mapping[str, Any]) -> None:
    if json.loads(path.read_text("utf-8")) != found:
        path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main(arguments: list[str] | None = None) -> None:
    """Judge what is kept."""
    parser = argparse.ArgumentParser(
        prog="python -m unfool_papers.scripts.rejudged",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--add", nargs=2, action="append", default=[], metavar=("STUDY", "FILE"))
    given = parser.parse_args(arguments)
    tables: dict[str, dict[str, Any]] = {}
    for scale, file in (("full", "defences.json"), ("smoke", "defences-smoke.json")):
        path = RESULTS / file
        studies = json.loads(path.read_text("utf-8"))
        for study, more in given.add if scale == "full" else ():
            studies[study] |= json.loads(Path(more).read_text("utf-8"))[study]
        for study, records in studies.items():
            for name, record in records.items():
                records[name] = rejudged(record, _DECLARED[study, scale, name])
        _write(path, studies)
        tables = tables or studies
    path = RESULTS / "attacks.json"
    found = json.loads(path.read_text("utf-8"))
    _tell_what_differs(found)
    _write(path, found)
    for study in STUDIES:
        path = RESULTS / f"study-{study}.json"
        if path.is_file():
            found = json.loads(path.read_text("utf-8"))
            _tell_what_differs(found)
            _write(path, found)
    _add_rows_done_elsewhere()
    for study, records in tables.items():
        path = RESULTS / f"study-{study}.json"
        found = json.loads(path.read_text("utf-8"))
        for part in found["parts"].values():
            if known := [name for name in part if name in records]:
                _take_tables(found, part, {name: records[name] for name in known})
        _write(path, found)


def _take_tables(study: dict[str, Any], part: dict[str, Any], records: Mapping[str, Any]) -> None:
    """Put tables into the part of a study, and their claims in the place of those that stood there."""
    before_it = [claim for name in records for claim in part[name]["claims"]]
    place = study["claims"].index(before_it[0])
    rest = [claim for claim in study["claims"] if claim not in before_it]
    made = [claim for record in records.values() for claim in record["claims"]]
    study["claims"] = [*rest[:place], *made, *rest[place:]]
    part |= records
    part["notes"] = [LEGEND, *dict.fromkeys(note for record in records.values() for note in record["notes"])]


if __name__ == "__main__":
    main()
