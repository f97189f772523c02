"""A study: a folder with what is asked, of what texts, and the votes so far."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import Any

from unfool.errors import UserError
from unfool.rating._careless import Excluded, careless
from unfool.rating._draw import fewest_raters
from unfool.rating._items import Item, draw_items
from unfool.rating._records import Answered, Rater, Vote
from unfool.rating._store import Design, Store
from unfool.rating._tasks import Task, Wording, choices, wording
from unfool.runs import Run, storable
from unfool.storage import JSON, Kind, WorkFolder, check_fields, explaining, locked, reading, to_json, whole_lines

_ITEMS, _STORE, _STAND_IN = "items.jsonl", "votes.db", "stand-in.jsonl"
_SETTINGS = {"task": str, "per_item": int, "repeats": int, "seed": int, "labels": list, "runs": list}

KIND = Kind("a rating study", "rating.json", marks=(_ITEMS,))


class Study:
    """What raters are asked and what they answered.

    ``rating.json`` holds the settings, ``items.jsonl`` an item a line, ``votes.db`` raters and votes as they come
    in. The votes of a stand-in lie apart, in ``stand-in.jsonl``, and never count as people's.
    """

    def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
        self.folder = folder
        self.task = Task(settings["task"])
        self.per_item: int = settings["per_item"]
        self.repeats: int = settings["repeats"]
        self.seed: int = settings["seed"]
        self.labels: tuple[str, ...] = tuple(settings["labels"])
        self.run_folders = tuple(folder / run for run in settings["runs"])
        """Where the runs lay when the items were drawn; kept as seen from the study's folder."""

    @classmethod
    def open(cls, folder: str | Path) -> Study:
        """Open a study.

        Raises:
            UserError: The folder holds none, or its settings are not whole.
        """
        folder = Path(folder)
        with reading(folder):
            if not KIND.lies_in(folder):
                raise UserError(f"{folder} holds no rating study; make one with `unfool rate new {folder} RUN`")
            settings: dict[str, Any] = dict(KIND.read_settings(folder))
        for name, kind in _SETTINGS.items():
            if not isinstance(settings.get(name), kind):
                raise UserError(f"{folder / KIND.settings} is damaged ({name!r} is missing or wrong); restore it")
        if settings["task"] not in list(Task):
            raise UserError(f"{folder / KIND.settings} names a task there is not: {settings['task']!r:.40}")
        return cls(folder, settings)

    @property
    def name(self) -> str:
        """The folder's own name."""
        return self.folder.absolute().name

    @cached_property
    def items(self) -> list[Item]:
        """All items, gold ones behind the others; each item's id is its place."""
        path = self.folder / _ITEMS
        with explaining(path, "read", "restore it"):
            items = [_item(line) for _, line in whole_lines(path)]
        if [item.id for item in items] != list(range(len(items))):
            raise UserError(f"{path} is damaged (items are missing); restore it")
        return items

    @cached_property
    def answers(self) -> tuple[str, ...]:
        """The answers there are, as they are stored."""
        return choices(self.task, self.labels)

    @property
    def wording(self) -> Wording:
        """What raters read beside the texts."""
        return wording(self.task, self.labels)

    @property
    def fewest_raters(self) -> int:
        """How many raters it takes at least, as nobody sees two texts made of the same."""
        return fewest_raters(self.items, self.per_item)

    @cached_property
    def store(self) -> Store:
        """Raters and votes."""
        design = Design(
            self.items,
            self.answers,
            self.per_item,
            self.repeats,
            self.seed,
            swap=self.task is Task.READABILITY,
            careless=lambda votes: {out.rater for out in self.careless(votes)},
        )
        return Store(self.folder / _STORE, design)

    def careless(self, votes: Sequence[Vote]) -> list[Excluded]:
        """Return the raters whose votes do not count, with the rule that says so."""
        return careless(votes, self.items, self.task.is_scale)

    def add_raters(self, number: int) -> list[Rater]:
        """Add raters with personal tokens, and return all there are."""
        there = {rater.name for rater in self.store.raters()}
        free = (name for place in range(1, number + len(there) + 1) if (name := f"rater-{place}") not in there)
        return self.store.add_raters([name for name, _ in zip(free, range(number), strict=False)])

    def serving(self) -> AbstractContextManager[None]:
        """Hold the study for one server; a second is refused."""
        return locked(self.folder)

    def stand_in_votes(self) -> list[Vote]:
        """Return the votes of models that stand in for people; none if nobody asked them."""
        path = self.folder / _STAND_IN
        if not path.exists():
            return []
        with explaining(path, "read", "delete it and ask again"):
            return [Vote(**json.loads(line)) for _, line in whole_lines(path)]

    def write_stand_in(self, votes: Iterable[Vote]) -> None:
        """Keep the votes of models in place of those there were."""
        path = self.folder / _STAND_IN
        with explaining(path, "write", "see that the study's folder can be written"):
            path.write_bytes(b"".join(to_json(vote._asdict()) + b"\n" for vote in votes))

    def take(self, answers: Iterable[tuple[str, Answered]]) -> int:
        """Store what raters, by their names, answered elsewhere; return how many answers were new."""
        by_rater: dict[str, list[Answered]] = {}
        for name, answer in answers:
            if not 0 <= answer.item < len(self.items):
                raise UserError(f"{name} answers item {answer.item}, and the study has {len(self.items)}")
            by_rater.setdefault(name, []).append(answer)
        return sum(self.store.take(name, given) for name, given in by_rater.items())


def new_study(
    folder: str | Path,
    runs: Sequence[str | Path],
    task: str,
    *,
    n: int | None = None,
    per_item: int = 3,
    gold: int = 10,
    repeats: int = 3,
    seed: int = 0,
    raters: int | None = None,
) -> Study:
    """Draw a study's items from runs and make its folder, with a personal token for each rater.

    Args:
        folder: A new or an empty folder.
        runs: Folders of runs; only texts that fooled a victim are drawn.
        task: ``label``, ``readability``, ``meaning`` or ``grammar``.
        n: How many texts of each run (for readability, of each pair of runs); all if not given.
        per_item: How many raters see each item.
        gold: How many items with a known answer each rater gets; fewer if the runs have no more texts.
        repeats: How many items each rater gets twice.
        seed: Decides the texts and every order.
        raters: How many personal links to make; if not given, the fewest with which every item gets its votes.
    """
    if task not in list(Task):
        raise UserError(f"unknown task {task!r}; it is label, readability, meaning or grammar")
    opened = [Run.open(run) for run in runs]
    names = [run.name for run in opened]
    if len(set(names)) < len(names):
        raise UserError(f"two of the runs have the same name ({', '.join(names)}); rename a folder")
    labels = {tuple(run.label_names) for run in opened}
    if task == Task.LABEL and len(labels) > 1:
        raise UserError(f"the runs {', '.join(names)} have different labels; make a study of each")
    items = draw_items(opened, Task(task), n, gold, seed)
    folder = Path(folder)
    settings: dict[str, JSON] = {
        "task": str(task), "per_item": per_item, "gold": sum(item.gold for item in items), "repeats": repeats,
        "seed": seed, "labels": list(map(storable, opened[0].label_names)) if task == Task.LABEL else [],
        "runs": [os.path.relpath(run.folder.absolute(), folder.absolute()) for run in opened],
    }  # fmt: skip
    with WorkFolder(folder, KIND, settings) as work, work.writing():
        (folder / _ITEMS).write_bytes(b"".join(to_json(item) + b"\n" for item in items))
    made = Study.open(folder)
    made.add_raters(raters or made.fewest_raters)
    return made


def _item(line: bytes) -> Item:
    try:
        record = json.loads(line)
        for name in ("field_names", "versions", "right"):
            record[name] = tuple(record.get(name, ()))
        item = Item(**{**record, "texts": tuple(map(tuple, record["texts"]))})
        check_fields(item)
        return item
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise UserError(f"an item of the study is damaged ({error}); restore its items.jsonl") from error
