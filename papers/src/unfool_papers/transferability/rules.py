"""Universal rules, mined with ensembles and judged by other models: tables 1, 5, 9 and 10 of Yuan et al. (2021)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from unfool import data as data_room
from unfool import zoo
from unfool.parallel import Folder, Workers
from unfool.rules import RuleBook, mine_into, write_rules
from unfool.victims import Options
from unfool.zoo.victim_names import model_folders, models_home, slow_first, spell_out
from unfool_papers.study.plan import Table
from unfool_papers.transferability import published, strongest_rules
from unfool_papers.transferability import published_rules as paper
from unfool_papers.transferability.matrix import Clock, train
from unfool_papers.transferability.rule_sweeps import (
    books_by_size,
    by_budget,
    by_class,
    fool_most,
    judge_all,
    judged_folders,
)
from unfool_papers.transferability.strongest_rules import strongest

Found = dict[str, Any]


class Rules(NamedTuple):
    """Who mines, who judges, and on how much."""

    data: str = "rotten_tomatoes"
    members: tuple[str, ...] = published.EXPERT
    targets: tuple[str, ...] = ("zoo63",)
    n: int | None = None
    """Training texts to mine; all where None."""
    texts: int = 1000
    """Test texts to judge."""

    @property
    def judges(self) -> list[str]:
        """The models that judge, by their full names."""
        return spell_out(f"zoo:{name}@{self.data}" for name in self.targets)


def fits(asked: Rules, found: Found) -> bool:
    """Return whether results are of the rules that are asked for, judged by all who were to judge."""
    members = [f"zoo:{name}@{asked.data}" for name in asked.members]
    whole = found["members"] == members and set(found["models"]) == set(asked.judges)
    mined = asked.n is None or found["mined texts"] == asked.n
    return whole and mined and (found["data"], found["judged texts"]) == (asked.data, asked.texts)


class _Shared(NamedTuple):
    """What every judge needs."""

    books: dict[str, RuleBook]
    data: data_room.Dataset
    texts: int
    folder: Path
    options: Options


def _judge(shared: _Shared, victim: str) -> None:
    judge_all(shared.books, shared.data, victim, shared.folder / "runs", n=shared.texts, options=shared.options)


def _touched(shared: _Shared, victim: str) -> list[Path]:
    runs = judged_folders(shared.books, shared.folder / "runs", victim)
    return [*runs.values(), *model_folders(victim)]


def rules(
    asked: Rules,
    folder: Path,
    *,
    device: str,
    workers: int | None,
    say: Callable[[str], None],
    dtype: str = "fp32",
    progress: bool = True,
) -> Found:
    """Mine and judge what is not done yet, and return what came of it.

    The members are trained first, so that mining need not wait for the models that only judge.
    """
    clock = Clock()
    wanted = spell_out(f"zoo:{name}@{asked.data}" for name in asked.members)
    targets = asked.judges
    problems = train([zoo.parse(name) for name in wanted], device, workers, say, progress)
    members = [name for name in wanted if name not in problems]
    clock.lap("training")
    options = Options(device, dtype)
    say(f"mining rules with {len(members)} models")
    mined = mine_into(
        members,
        asked.data,
        folder / "mined",
        n=asked.n,
        options=options,
        workers=workers,
        resume=True,
        progress=progress,
    )
    clock.lap("mining")
    problems |= train([zoo.parse(name) for name in targets], device, workers, say, progress)
    clock.lap("training the others")
    sizes = [size for size in paper.SIZES if size <= len(members)] or [len(members)]
    books = {f"uawr-{size}": book for size, book in books_by_size(mined, sizes).items()}
    books["pmi"] = mined.book(models=())
    for name, book in books.items():
        write_rules(book, folder / f"{name}.jsonl")
    shared = _Shared(books, data_room.load(asked.data, split="test"), asked.texts, folder, options)
    judging = [name for name in targets if name not in problems]
    say(f"{len(judging)} models judge {len(books)} books of rules")
    folders = [Folder(folder), Folder(models_home(), models_home)]
    with Workers(workers or 1, shared, folders=folders, device=device) as processes:
        for done in processes.do(_judge, slow_first(judging), pieces=partial(_touched, shared)):
            if done.problem:
                say(f"{done.job}: {done.problem}")
                problems[done.job] = str(done.problem)
    judged = {
        name: judge_all(books, shared.data, name, folder / "runs", n=asked.texts, options=shared.options)
        for name in judging
        if name not in problems
    }
    clock.lap("judging")
    by_book = {book: {name: runs[book] for name, runs in judged.items()} for book in books}
    outside = [name for name in judged if name not in members]
    largest = f"uawr-{max(sizes)}"
    return {
        "data": asked.data,
        "members": members,
        "mined texts": mined.figures.texts,
        "replacements": mined.figures.replacements,
        "judged texts": asked.texts,
        "stand-ins": {name: zoo.stand_in(name) for name in asked.members if zoo.stand_in(name)},
        "problems": problems,
        "rules": {name: len(book) for name, book in books.items()},
        "success": {
            book: {name: each._asdict() for name, each in by_class(runs).items()} for book, runs in by_book.items()
        },
        "judges outside": len(outside),
        "outside": {
            book: [
                sum(runs[name].summary.success_rate.count for name in outside),
                sum(runs[name].summary.success_rate.of for name in outside),
            ]
            for book, runs in by_book.items()
        },
        "budgets": by_budget([runs[largest] for runs in judged.values()], paper.BUDGETS),
        "fool most": [
            {**each._asdict(), "label": shared.data.labels[each.label]}
            for each in fool_most(runs[largest] for runs in judged.values())
        ],
        "table 6": strongest(mined),
        "models": {
            name: {book: round(100 * (run.summary.success_rate.value or 0), 1) for book, run in runs.items()}
            for name, runs in judged.items()
        },
        "seconds": {**clock.laps, "all": round(sum(clock.laps.values()), 1)},
    }


def tables(found: Found) -> Iterator[Table]:
    """Yield the tables, the paper's figures in brackets behind ours."""
    named, success = found["data"], found["success"]
    data = data_room.drawn(named).name
    sizes = sorted(int(name.removeprefix("uawr-")) for name in success if name.startswith("uawr-"))
    size = max(size for size in sizes if size <= paper.TABLE_5_SIZE or size == sizes[0])
    places = {name: place for place, name in enumerate(paper.CLASSES)}
    judged = f"{found['judged texts']} texts judged by {len(found['models'])} models"
    yield Table(
        f"Table 5: success % (words %), {named}, an ensemble of {size}, {judged} [paper]",
        ["class", "PMI", "UAWR"],
        [
            [
                name,
                *(
                    _pair(success[book].get(name), paper.TABLE_5.get((data, method)), place)
                    for book, method in (("pmi", "pmi"), (f"uawr-{size}", "uawr"))
                ),
            ]
            for name, place in places.items()
        ],
    )
    if most := found.get("fool most"):
        yield Table(
            f"Table 1: the texts that rules turn against most models, {named}, an ensemble of {sizes[-1]}",
            ["text", "label", "models that had it right", "of these, fooled"],
            [[each["text"], each["label"], str(each["right"]), str(each["fooled"])] for each in most],
        )
    if chosen := found.get("table 6"):
        yield from strongest_rules.tables(chosen, f"{named}, an ensemble of {sizes[-1]}")
    by_size = paper.TABLE_9.get(data)
    yield Table(
        f"Table 9: success % by size of the ensemble, {named} [paper]",
        ["class", *map(str, sizes)],
        [
            [
                name,
                *(
                    _one(
                        success[f"uawr-{size}"].get(name),
                        by_size[place][paper.SIZES.index(size)] if by_size and size in paper.SIZES else None,
                    )
                    for size in sizes
                ),
            ]
            for name, place in places.items()
        ],
    )
    printed = paper.TABLE_10.get(data)
    ours = found["budgets"]
    yield Table(
        f"Table 10: success % by budget, {named}, an ensemble of {sizes[-1]} [paper, of {paper.TABLE_10_SIZE}]",
        [f"{float(budget):.0%}" for budget in ours],
        [[f"{value}" + (f" [{printed[n]}]" if printed else "") for n, value in enumerate(ours.values())]],
    )


def _pair(found: Mapping[str, float] | None, reported: tuple[tuple[float, float], ...] | None, place: int) -> str:
    ours = f"{found['success']} ({found['words']})" if found else "–"
    return ours + (f" [{reported[place][0]} ({reported[place][1]})]" if reported else "")


def _one(found: Mapping[str, float] | None, reported: float | None) -> str:
    ours = str(found["success"]) if found else "–"
    return ours if reported is None else f"{ours} [{reported}]"
