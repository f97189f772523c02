"""Tables of defences, in pieces that need each other: victims trained, texts made, arms judged and attacked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from unfool import data as data_room
from unfool import zoo
from unfool.defences import Fuse
from unfool.defences.evaluate import evaluate, premade
from unfool.defences.harden import Hardened, harden
from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.job import attack
from unfool.runs import is_run
from unfool.storage import as_stored, config_changes, replacing, to_json
from unfool.victims import open_victim
from unfool_papers.analysis import Figure
from unfool_papers.defence_tables.faults import FAULTS
from unfool_papers.defence_tables.records import Place, Record, record
from unfool_papers.defence_tables.table import BASE, Arm, DefenceTable
from unfool_papers.defence_tables.word_vicinity import clouds, neighbours
from unfool_papers.study.pieces import Job, do_all
from unfool_papers.study.plan import LATER

_SEED = 1
"""Not the base's: a net tuned anew should not meet the texts in the same order."""


class Defended(NamedTuple):
    """What tables came to."""

    records: dict[str, Record]
    """By the tables' names."""
    figures: list[Figure]
    problems: dict[str, str]
    """What is not done, by piece, and why."""


def defended(
    tables: Sequence[DefenceTable],
    folder: Path,
    *,
    device: str,
    workers: int,
    say: Callable[[str], None],
    ends: float | None = None,
    progress: bool = True,
) -> Defended:
    """Do what is not done yet of some tables, side by side, and return what there is.

    Args:
        tables: The tables.
        folder: Where finished pieces, models, runs and evaluations are kept.
        device: ``cpu`` or ``cuda``.
        workers: How many pieces are done at once.
        say: Is told what was done.
        ends: When to stop, by `time.monotonic`.
        progress: Whether to show bars.

    Raises:
        UserError: If the folder was begun with other tables of these names.
    """
    places = {table.name: _place(table, folder, device, progress and workers == 1) for table in tables}
    # Woven, so that no table waits for another.
    woven = zip_longest(*(jobs(table, places[table.name]) for table in tables))
    # Tables that share what is trained name the same pieces.
    todo = {job.name: job for row in woven for job in row if job}
    results = do_all(list(todo.values()), folder, workers, say, ends)
    return Defended(
        {table.name: record(table, places[table.name], results.kept) for table in tables},
        [Figure(**found["figure"]) for found in results.kept.values() if "figure" in found],
        results.failed | dict.fromkeys(results.left, LATER),
    )


def jobs(table: DefenceTable, place: Place) -> Iterator[Job]:
    """Yield all pieces of a table, slow ones first among those that need the same."""
    name, common = table.name, (table, place)
    base, texts = f"{table.trained_in or name}-base", f"{name}-premade"
    yield Job(base, _train, (table.base, place.device))
    trained = {BASE: base}
    for arm in table.arms:
        if arm.method or arm.victim.startswith("zoo:"):
            trained[arm.name] = f"{table.trained_in or name}-{arm.file}-trained"
            do, given = (_harden, (*common, arm)) if arm.method else (_train, (arm.victim, place.device))
            yield Job(trained[arm.name], do, given, (base,) if arm.method else ())
    stored: tuple[str, ...] = ()
    if table.made:
        stored = (texts,)
        yield Job(texts, _premade, common, (base,))
    for arm in table.arms:
        inside = {trained[each] for each in {arm.name, *arm.around} if each in trained}
        for do, piece, needs in ((_attacked, "attacked", ()), (_judged, "judged", stored)):
            if piece == "attacked" and not table.attacked:
                continue
            if not arm.fault or FAULTS[arm.fault].where == piece:
                against = (trained.get(table.arms[0].name, base),) if arm.both_ways else ()
                yield Job(f"{name}-{arm.file}-{piece}", do, (*common, arm), (*sorted(inside), *needs, *against))
    if table.looked_into:
        needs = (base, trained[table.looked_into], texts)
        yield Job(f"{name}-neighbours", _draw, (*common, neighbours), needs)
        yield Job(f"{name}-clouds", _draw, (*common, partial(clouds, points=table.points)), needs)


def victim_of(table: DefenceTable, arm: Arm, place: Place) -> str:
    """Return the victim of an arm, whose trainings must be there."""
    if arm.method:
        return Hardened.open(place.model(arm)).model
    inside = {name: victim_of(table, table.arm(name), place) for name in arm.around - {BASE}}
    return arm.victim.format_map({BASE: table.base, **inside})


def _place(table: DefenceTable, folder: Path, device: str, progress: bool) -> Place:
    """Return where a table lies; what was made of another table of this name must not be mixed with it."""
    place = Place(
        folder.resolve() / table.name, device, progress, folder.resolve() / (table.trained_in or table.name)
    )
    place.folder.mkdir(parents=True, exist_ok=True)
    declared, file = as_stored(table.settings), place.folder / "table.json"
    if file.is_file() and (changes := config_changes(json.loads(file.read_bytes()), declared)):
        told = "; ".join(map(str, changes))
        raise UserError(f"{place.folder} was begun with another table ({told}); choose another folder")
    with replacing(file) as written:
        written.write(to_json(declared))
    return place


def _train(name: str, device: str) -> dict[str, Any]:
    named = zoo.parse(name)
    zoo.ensure(named, device=device, progress=False)
    return {"victim": name, "told": named.report.to_json() if named.report else None, "device": device}


def _harden(table: DefenceTable, place: Place, arm: Arm) -> dict[str, Any]:
    out = place.model(arm)
    out.parent.mkdir(parents=True, exist_ok=True)
    if out.is_dir():  # killed between the training and its note here
        return {"folder": str(out), "device": place.device}
    trained = harden(
        arm.method,
        table.base,
        zoo.parse(table.base).data,
        out,
        epochs=table.epochs,
        start=table.start,
        lr=table.lr,
        keep="last",
        seed=_SEED,
        edit=table.editable,
        device=place.device,
        resume=(out.with_name(f"{out.name}.training") / "harden.json").is_file(),
        progress=place.progress,
    )
    return trained.to_json() | {"device": place.device}


def _premade(table: DefenceTable, place: Place) -> dict[str, Any]:
    """Store texts that fool the base; the arms do without where none does."""
    assert table.made is not None
    run = attack(
        table.base,
        table.clean.load(table.n, table.editable),
        table.attack,
        n=max(1, int(table.made * table.n)),
        options=place.options,
        out=place.made,
        resume=is_run(place.made),
        progress=place.progress,
    )
    if run.summary.successes:
        premade(run, place.stored)
    return {"figures": run.summary.to_dict(), "device": place.device}


def _opened(table: DefenceTable, place: Place, arm: Arm, source: data_room.Dataset) -> Predictor:
    victim = open_victim(victim_of(table, arm, place), place.options)
    if not arm.fault:
        return victim
    assert isinstance(victim, Fuse)
    return FAULTS[arm.fault].make(victim.inner, victim.settings, source)


def _judged(table: DefenceTable, place: Place, arm: Arm) -> dict[str, Any]:
    source, out = table.clean.load(table.n, table.editable), place.judged(arm)
    found = evaluate(
        _opened(table, place, arm, source),
        source,
        out=out,
        premade=[str(place.stored)] if place.stored.is_file() else [],
        resume=(out / "evaluation.json").is_file(),
        progress=place.progress,
    )
    return found.to_json() | {"device": place.device}


def _attacked(table: DefenceTable, place: Place, arm: Arm) -> dict[str, Any]:
    assert table.attacked is not None
    source, out = table.attacked.load(table.n, table.editable), place.attacked(arm)
    whole = table.attacked._replace(share=None).load(table.n, table.editable) if arm.fault else source
    first = victim_of(table, table.arms[0], place)
    found = evaluate(
        _opened(table, place, arm, whole),
        source,
        [table.attack],
        out=out,
        against=open_victim(first, place.options) if arm.both_ways else None,
        resume=(out / "evaluation.json").is_file(),
        progress=place.progress,
    )
    return found.to_json() | {"device": place.device}


def _draw(table: DefenceTable, place: Place, draw: Callable[..., Mapping[str, Any]]) -> Mapping[str, Any]:
    trained = victim_of(table, table.arm(table.looked_into), place)
    nets = {f"before {table.looked_into}": table.base, f"after {table.looked_into}": trained}
    return draw(place.made, nets, place.options, table.name, table.labels)
