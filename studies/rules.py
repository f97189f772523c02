"""Do universal rules fool models they were not mined with? Tables 5, 9 and 10 of Yuan et al. (2021).

``python -m studies.rules --data rotten_tomatoes --folder DIR [--device cuda --dtype bf16 --workers 12]`` mines once
with the seven models of the paper's expert, reads from that the rules of its first two to seven, mines rules by
counts alone, and has every model of the zoo judge what all these books make of 1,000 test texts. Killed and called
again, it goes on. Results are in ``results/rules-DATA.json``; tables with the paper's figures come last.
``--members`` and ``--targets`` choose other models (then sizes go as far as there are members), ``--n`` and
``--texts`` fewer texts to mine and to judge, ``--table`` only prints what is there.

One word may change in any text, however short: the paper's success at a budget of 5 %, one word of twenty, asks for
it.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from studies import rules_paper as paper
from studies import transfer_paper
from unfool import data as data_room
from unfool import zoo
from unfool.transfer._crew import Crew
from unfool.transfer._names import slow_first, spell_out
from unfool.transfer.rules import RuleBook, books_by_size, by_budget, by_class, gather, judge_all, write_rules
from unfool.victims import Options

RESULTS = Path(__file__).parents[1] / "results"


class Shared(NamedTuple):
    """What every judge needs."""

    books: dict[str, RuleBook]
    data: data_room.Dataset
    texts: int
    folder: Path
    options: Options


def judge(shared: Shared, victim: str) -> None:
    """Have one model judge all books."""
    judge_all(shared.books, shared.data, victim, shared.folder / "runs", n=shared.texts, options=shared.options)


def main() -> None:
    """Mine, judge, and show."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="rotten_tomatoes")
    parser.add_argument("--folder", type=Path, required=True, help="where the study lies")
    parser.add_argument(
        "--members", nargs="+", default=list(transfer_paper.EXPERT), help="models of the zoo that mine"
    )
    parser.add_argument("--targets", nargs="+", default=["zoo63"], help="models that judge")
    parser.add_argument("--n", type=int, default=None, help="training texts to mine; all by default")
    parser.add_argument("--texts", type=int, default=1000, help="test texts to judge")
    parser.add_argument("--workers", type=int, default=None)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--dtype", default="fp32")
    parser.add_argument("--table", action="store_true", help="print the tables and leave")
    parser.add_argument("--out", type=Path, default=None, help="the results; else results/rules-DATA.json")
    given = parser.parse_args()
    file = given.out or RESULTS / f"rules-{given.data}.json"
    if not given.table:
        file.write_text(json.dumps(make(given), indent=1) + "\n", encoding="utf-8")
    show(json.loads(file.read_text(encoding="utf-8")))


def make(given: argparse.Namespace) -> dict[str, Any]:
    """Do all that is not done yet, and return what came of it."""
    started = time.perf_counter()
    members = spell_out(f"zoo:{name}@{given.data}" for name in given.members)
    targets = spell_out(f"zoo:{name}@{given.data}" for name in given.targets)
    every = [zoo.parse(name) for name in (*members, *targets)]
    problems = {
        str(trained.named): trained.error
        for trained in zoo.train_many(every, workers=given.workers or 1, device=given.device)
        if trained.error
    }
    trained_in = time.perf_counter() - started
    options = Options(given.device, given.dtype)
    mined = gather(
        members,
        given.data,
        given.folder / "mined",
        n=given.n,
        options=options,
        workers=given.workers,
        resume=True,
    )
    mined_in = time.perf_counter() - started - trained_in
    sizes = [size for size in paper.SIZES if size <= len(members)] or [len(members)]
    books = {f"uawr-{size}": book for size, book in books_by_size(mined, sizes).items()}
    counted = gather([], given.data, given.folder / "counted", by="pmi", n=given.n, resume=True)
    books["pmi"] = counted.book()
    for name, book in books.items():
        write_rules(book, given.folder / f"{name}.jsonl")
    shared = Shared(books, data_room.load(given.data, split="test"), given.texts, given.folder, options)
    judging = [name for name in targets if name not in problems]
    with Crew(given.workers or 1, shared) as crew:
        for done in crew.do(judge, slow_first(judging)):
            print(done.job, done.problem or "judged", f"{time.perf_counter() - started:.0f} s", flush=True)
            if done.problem:
                problems[done.job] = done.problem
    judged = {
        name: judge_all(books, shared.data, name, given.folder / "runs", n=given.texts)
        for name in judging
        if name not in problems
    }
    tables = {book: by_class({name: runs[book] for name, runs in judged.items()}) for book in books}
    largest = f"uawr-{max(sizes)}"
    return {
        "data": given.data,
        "members": members,
        "mined texts": mined.told.texts,
        "replacements": mined.told.replacements,
        "judged texts": given.texts,
        "stand-ins": {name: zoo.stand_in(name) for name in given.members if zoo.stand_in(name)},
        "problems": problems,
        "rules": {name: len(book) for name, book in books.items()},
        "success": {book: {name: each._asdict() for name, each in table.items()} for book, table in tables.items()},
        "budgets": by_budget([runs[largest] for runs in judged.values()], paper.BUDGETS),
        "models": {
            name: {book: round(100 * (run.summary.success_rate.value or 0), 1) for book, run in runs.items()}
            for name, runs in judged.items()
        },
        "seconds": {
            "training": round(trained_in),
            "mining": round(mined_in),
            "all": round(time.perf_counter() - started),
        },
    }


def show(found: dict[str, Any]) -> None:
    """Print the tables, the paper's figures beside ours."""
    data, success = found["data"], found["success"]
    sizes = sorted(int(name.removeprefix("uawr-")) for name in success if name.startswith("uawr-"))
    size = max(size for size in sizes if size <= paper.TABLE_5_SIZE or size == sizes[0])
    print(f"\nTable 5: success % (words %), {data}, an ensemble of {size}; the paper's in brackets\n")
    rows = []
    for place, name in enumerate(paper.CLASSES):
        cells = []
        for book, method in (("pmi", "pmi"), (f"uawr-{size}", "uawr")):
            theirs = paper.TABLE_5.get((data, method))
            cells.append(
                _pair(success[book].get(name)) + (f" [{theirs[place][0]} ({theirs[place][1]})]" if theirs else "")
            )
        rows.append([name, *cells])
    _print(["class", "PMI", "UAWR"], rows)
    print(f"\nTable 9: success % by size of the ensemble, {data}; the paper's in brackets\n")
    reported = paper.TABLE_9.get(data)
    _print(
        ["class", *map(str, sizes)],
        [
            [
                name,
                *(
                    _one(success[f"uawr-{size}"].get(name))
                    + (f" [{reported[place][paper.SIZES.index(size)]}]" if reported and size in paper.SIZES else "")
                    for size in sizes
                ),
            ]
            for place, name in enumerate(paper.CLASSES)
        ],
    )
    print(f"\nTable 10: success % by budget, {data}, an ensemble of {sizes[-1]}; the paper's in brackets\n")
    printed = paper.TABLE_10.get(data)
    _print(
        [f"{float(budget):.0%}" for budget in found["budgets"]],
        [[f"{ours}" + (f" [{printed[n]}]" if printed else "") for n, ours in enumerate(found["budgets"].values())]],
    )
    for model, problem in found["problems"].items():
        print(f"no figure of {model}: {problem}")
    print(f"\n{found['rules']} rules; {len(found['models'])} judges; seconds: {found['seconds']}")


def _pair(found: dict[str, float] | None) -> str:
    return f"{found['success']} ({found['words']})" if found else "–"


def _one(found: dict[str, float] | None) -> str:
    return str(found["success"]) if found else "–"


def _print(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    print("| " + " | ".join(columns) + " |")
    print("|" + " --- |" * len(columns))
    for row in rows:
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
