"""Train models of the zoo and set their test accuracies beside what we expect of them.

``python -m unfool_papers.scripts.zoo NAME… [--twins] [--workers N] [--device cpu|cuda]``, with names as ``unfool
train`` takes them (``zoo63@rotten_tomatoes``, ``'CNN-W-*@ag_news'``). Results are added to ``results/zoo.json``,
and those of another machine by ``--add FILE``; the table comes last. ``--table`` only prints what is there.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

from unfool import zoo
from unfool.devices import torch_device
from unfool.stats import wilson

_NET = re.compile(r"(?P<kind>LSTM|BiLSTM|CNN)-(?P<reads>W-\w+|C-Random|WC-ELMo)-(?P<layers>\d)")
RESULTS = Path(__file__).parents[4] / "results" / "zoo.json"


class Floor(NamedTuple):
    """What a kind of model must reach on a data set, in percent, and what its paper reports."""

    data: str
    models: str
    least: float
    paper: str = ""


FLOORS = (
    Floor("rotten_tomatoes", "*-W-GloVe-*", 75),
    Floor("rotten_tomatoes", "*-W-Random-*", 70),
    Floor("rotten_tomatoes", "*-C-Random-*", 60),
    Floor("rotten_tomatoes", "BERT", 82),
    Floor("rotten_tomatoes", "RoBERTa", 80),
    Floor("ag_news", "*-W-*", 88),
    Floor("ag_news", "*-C-Random-*", 82),
    Floor("ag_news", "BERT", 91),
    Floor("ag_news", "CharCNN-LSTM-Adam", 86, "91.7, on the full training set"),
    Floor("imdb", "CS229-LSTM", 82, "82.24"),
    Floor("imdb", "SVM-Linear", 85),
    Floor("imdb", "NB", 80),
    Floor("sst2", "KimCNN", 82),
    Floor("sst2", "BERT", 89),
    Floor("snli", "LSTM-Attention", 72),
    Floor("snli", "BERT", 80),
)


def row(trained: zoo.Trained, device: str) -> dict[str, Any]:
    """Tell what a model reached."""
    named, report = trained.named, trained.report
    if not report or not report.test:
        return {"model": str(named), "problem": trained.error or "no test split"}
    share, n = report.test
    low, high = wilson(round(share * n), n)
    return {
        "model": str(named),
        "test %": 100 * share,
        "interval": [100 * low, 100 * high],
        "n": n,
        "seconds": report.seconds,
        "device": device,
        "stand-in": zoo.stand_in(named.model),
    }


def floor_of(model: str) -> Floor | None:
    """Return what is expected of a model."""
    named = zoo.parse(model)
    found = (floor for floor in FLOORS if floor.data == named.data and fnmatchcase(named.model, floor.models))
    return next(found, None)


def show(rows: list[dict[str, Any]]) -> None:
    """Print the table."""
    print("| model | test accuracy, % | of | expected | holds | paper | seconds | device |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for each in rows:
        if "problem" in each:
            print(f"| {each['model']} | {each['problem']} | | | | | | |")
            continue
        floor = floor_of(each["model"])
        least = f"{floor.least:g}" if floor else ""
        holds = ("yes" if each["test %"] >= floor.least else "**no**") if floor else ""
        low, high = each["interval"]
        print(
            f"| {each['model']} | {each['test %']:.1f} [{low:.1f}, {high:.1f}] | {each['n']} | {least} | {holds} "
            f"| {floor.paper if floor else ''} | {each['seconds']} | {each['device']} |"
        )


def show_grid(rows: list[dict[str, Any]]) -> None:
    """Print the nets of the 63 by what they read, both seeds in one cell, for each data set there are any of.

    Rows and columns come in the order of the rows given.
    """
    reached = {each["model"]: each["test %"] for each in rows if "problem" not in each}
    of_data: dict[str, dict[tuple[str, str], list[float]]] = {}
    for model, percent in reached.items():
        named = zoo.parse(model)
        if match := _NET.fullmatch(named.model):
            cell = (f"{match['kind']}-…-{match['layers']}", match["reads"])
            of_data.setdefault(named.data, {}).setdefault(cell, []).append(percent)
    for data, cells in of_data.items():
        columns = list(dict.fromkeys(reads for _, reads in cells))
        print(f"\n| {data} | {' | '.join(columns)} |\n| --- |{' --- |' * len(columns)}")
        for net in dict.fromkeys(net for net, _ in cells):
            told = (" / ".join(f"{each:.1f}" for each in cells.get((net, reads), [])) or "–" for reads in columns)
            print(f"| `{net}` | {' | '.join(told)} |")


def _read(file: Path) -> dict[str, dict[str, Any]]:
    return {each["model"]: each for each in json.loads(file.read_text(encoding="utf-8"))}


def _write(file: Path, rows: dict[str, dict[str, Any]]) -> None:
    file.write_text(json.dumps(list(rows.values()), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    """Train, keep and show."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--twins", action="store_true", help="each model twice, with seeds 0 and 1")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--add", type=Path, metavar="FILE", help="what this script wrote on another machine")
    parser.add_argument("--table", action="store_true", help="print the table and leave")
    given = parser.parse_args()
    kept: dict[str, dict[str, Any]] = {}
    if given.out.is_file():
        kept = _read(given.out)
    if given.add:
        kept |= _read(given.add)
        _write(given.out, kept)
    chosen = zoo.expand_all(given.names, twins=given.twins)
    started = time.perf_counter()
    if chosen and not given.table:
        device = torch_device(given.device).type
        for trained in zoo.train_many(chosen, workers=given.workers, device=given.device):
            made = row(trained, device)
            before = kept.get(made["model"], {})
            # Trained before, perhaps on another machine.
            if "seconds" in made and before.get("seconds") == made["seconds"]:
                made |= {"device": before["device"]}
            kept[made["model"]] = made
            print(made, f"{time.perf_counter() - started:.0f} s", flush=True)
            _write(given.out, kept)
    order = {name: number for number, name in enumerate(zoo.CATALOGUE)}

    def place(each: dict[str, Any]) -> tuple[str, int, int]:
        named = zoo.parse(each["model"])
        return named.data, order[named.model], named.seed

    rows = sorted(kept.values(), key=place)
    show(rows)
    show_grid(rows)
    print(f"\n{len(rows)} models; {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
