"""Do texts that fool one model fool others? The 63 models of Yuan et al. (2021), or some of them.

``python -m studies.transfer --data ag_news --attack pwws --folder DIR [--device cuda --workers 12] [--ensembles]``
trains what is not trained yet, crafts on every model, tries the texts on every other, and with ``--ensembles``
crafts on ensembles chosen from the rates. Killed and called again, it goes on. Results are in
``results/transfer-DATA-ATTACK.json``; tables with the paper's figures come last. ``--table`` only prints them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from studies import transfer_paper as paper
from unfool import zoo
from unfool.transfer import (
    Impact,
    Matrix,
    Study,
    analyse,
    describe,
    ensemble_name,
    exhaustive,
    expert,
    findings,
    genetic,
    study,
    summary,
)
from unfool.victims import Options
from unfool.victims._device import torch_device

RESULTS = Path(__file__).parents[1] / "results"
SIZES = range(2, 8)
CHECKED = (2, 3, 4)
SEEDS = 100


def main() -> None:
    """Train, craft, fill, and show."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="ag_news")
    parser.add_argument("--attack", default="pwws")
    parser.add_argument("--models", nargs="+", default=["zoo63"], help="zoo63, or names and patterns of the zoo")
    parser.add_argument("--n", type=int, default=1000, help="samples attacked on each source")
    parser.add_argument("--keep", type=int, default=500, help="successes of each source that are tried on others")
    parser.add_argument("--folder", type=Path, required=True, help="where the study lies")
    parser.add_argument("--ensembles", action="store_true")
    parser.add_argument("--workers", type=int, default=None)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--out", type=Path, help="the file of results, where it is not to be the one in results/")
    parser.add_argument("--table", action="store_true", help="print the tables and leave")
    given = parser.parse_args()
    file = given.out or RESULTS / f"transfer-{given.data}-{given.attack.partition(':')[0]}.json"
    if not given.table:
        keep(file, make(given))
    show(json.loads(file.read_text(encoding="utf-8")))


def make(given: argparse.Namespace) -> dict[str, Any]:
    """Do all that is not done yet, and return what came of it."""
    clock = Clock()
    models = [named for pattern in given.models for named in zoo.expand(f"{pattern}@{given.data}")]
    every = [zoo.Named(named.model, named.data, seed) for named in models for seed in (0, 1)]
    workers = given.workers or 1
    untrained = {}
    for trained in zoo.train_many(every, workers=workers, device=given.device):
        print(trained.named, trained.error or "trained", f"{clock.total:.0f} s", flush=True)
        if trained.error:
            untrained[str(trained.named)] = trained.error
    clock.lap("train")
    settings: dict[str, Any] = {
        "n": given.n,
        "keep": given.keep,
        "twins": True,
        "workers": given.workers,
        "options": Options(given.device),
    }

    def go_on(sources: Sequence[str] = ()) -> Study:
        there = (given.folder / "study.json").is_file()
        names = [str(named) for named in models]
        return study(names, given.data, given.attack, out=given.folder, sources=sources, resume=there, **settings)

    made = go_on()
    clock.lap("craft and fill")
    chosen = ensembles(made.matrix(), given.data) if given.ensembles else []
    if chosen:
        made = go_on([each["name"] for each in chosen])
        clock.lap("ensembles")
    return {
        "data": given.data,
        "attack": made.settings["attack"],
        "n": given.n,
        "keep": given.keep,
        "device": torch_device(given.device).type,
        "workers": given.workers,
        "seconds": clock.laps,
        "problems": {**untrained, **made.problems},
        "stand-ins": {named.model: said for named in models if (said := zoo.stand_in(named.model))},
        **figures(made),
        "ensembles": [outcome(made, each) for each in chosen],
        "search": {size: hits(made.matrix(), size) for size in CHECKED if given.ensembles and size < len(models)},
    }


class Clock:
    """How long each stage took; one that was done before takes no time."""

    def __init__(self) -> None:
        self._began = self._last = time.perf_counter()
        self.laps: dict[str, float] = {}

    @property
    def total(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._began

    def lap(self, stage: str) -> None:
        """Note the end of a stage."""
        now = time.perf_counter()
        self.laps[stage], self._last = round(now - self._last, 1), now


def figures(made: Study) -> dict[str, Any]:
    """Return a study's figures, as few as say all."""
    found, matrix = summary(made), made.matrix()
    rates, corrected = matrix.rates, made.matrix(corrected=True).rates
    return {
        "models": found["models"],
        "rates": [[None if np.isnan(rate) else round(float(rate), 3) for rate in row] for row in rates],
        "corrected": [[None if np.isnan(rate) else round(float(rate), 3) for rate in row] for row in corrected],
        "texts": matrix.texts.max(axis=1).tolist(),
        "mean base rate": round(float(np.nanmean(matrix.base)), 4),
        "mean rate between models": round(float(np.nanmean(matrix.between)), 4),
        "analysis": describe(analyse(matrix)),
    }


def ensembles(matrix: Matrix, data: str) -> list[dict[str, Any]]:
    """Choose ensembles of every size: by the genetic search, by our script of an expert, by the paper's expert."""
    chosen = []
    for size in SIZES:
        if size >= len(matrix.sources):
            break
        ways = {"genetic": genetic(matrix, size).members, "expert": expert(matrix, size).members}
        theirs = tuple(f"zoo:{name}@{data}" for name in paper.EXPERT[:size])
        if set(theirs) <= set(matrix.sources):
            ways["the paper's expert"] = theirs
        for how, members in ways.items():
            chosen.append({"size": size, "how": how, "members": members, "name": ensemble_name(members)})
    return chosen


def hits(matrix: Matrix, size: int) -> int:
    """Count the seeds from which the genetic search finds the best ensemble of all."""
    best = exhaustive(matrix, size).fitness
    return sum(genetic(matrix, size, seed=seed).fitness >= best - 1e-12 for seed in range(SEEDS))


def outcome(made: Study, chosen: dict[str, Any]) -> dict[str, Any]:
    """Return how often texts crafted on an ensemble fool the models outside."""
    outside = [name for name in made.victims if name not in chosen["members"]]
    rates = [rate.value for name in outside if (rate := made.rate(chosen["name"], name)) and rate.value is not None]
    return {
        "size": chosen["size"],
        "how": chosen["how"],
        "members": [zoo.parse(member).model for member in chosen["members"]],
        "rate": round(float(np.mean(rates)), 4) if rates else None,
        "outside": len(rates),
    }


def keep(file: Path, found: dict[str, Any]) -> None:
    """Write the results; stages that were done before keep the time they took then."""
    if file.is_file():
        before = json.loads(file.read_text(encoding="utf-8"))
        if [model["name"] for model in before["models"]] == [model["name"] for model in found["models"]]:
            for stage, seconds in before["seconds"].items():
                found["seconds"][stage] = max(seconds, found["seconds"].get(stage, 0))
    file.write_text(json.dumps(found, ensure_ascii=False) + "\n", encoding="utf-8")


def show(found: dict[str, Any]) -> None:
    """Print every table, the paper's figures behind ours."""
    setting = (paper.DATA.get(found["data"], ""), found["attack"].partition(":")[0])
    print(f"\n{found['data']}, {found['attack']}: {len(found['models'])} models on {found['device']}")
    print("seconds: " + ", ".join(f"{stage} {seconds}" for stage, seconds in found["seconds"].items()))
    for name, problem in found["problems"].items():
        print(f"{name}: {problem}")
    print(
        f"mean base rate {found['mean base rate']:.3f}; mean between models {found['mean rate between models']:.3f}"
    )
    analysis = found["analysis"]
    theirs = paper.TABLE_2.get(setting, (float("nan"),) * 4)
    print("\nTable 2: mean |r - base|, pairs, paper")
    for factor, reported in zip(paper.FACTORS, theirs, strict=True):
        impact = analysis["impacts"][factor]
        print(f"  {factor:14} {number(impact['mean'])}  {impact['pairs']:4}  {reported:.3f}")
    for title, key, reported_table in (
        ("Table 3: rows are sources; ours (paper)", "by architecture", paper.TABLE_3),
        ("Table 4: rows are sources; ours (paper)", "by input", paper.TABLE_4),
    ):
        print(f"\n{title}")
        show_classes(analysis[key], reported_table if setting == ("AGNEWS", "pwws") else {})
    show_ensembles(found["ensembles"], paper.GENETIC.get(setting, {}))
    for size, seeds in found["search"].items():
        print(f"ensembles of {size}: the genetic search finds the best of all from {seeds} of {SEEDS} seeds")
    show_findings(found)


def show_classes(table: dict[str, dict[str, float | None]], reported: dict[str, tuple[float, ...]]) -> None:
    """Print a table from classes to classes."""
    classes = list(table)
    print(" " * 12 + "".join(f"{name:>14}" for name in classes))
    for row in classes:
        theirs = reported.get(row, (None,) * len(classes))
        pairs = zip(table[row].values(), theirs, strict=True)
        print(f"  {row:10}" + "".join(f"{number(ours)} ({number(said)})".rjust(14) for ours, said in pairs))


def show_ensembles(found: Iterable[dict[str, Any]], reported: dict[int, str]) -> None:
    """Print how well texts crafted on ensembles transfer (figure 1), and who their members are (table 8)."""
    for each in found:
        said = f"; paper's search: {reported[each['size']]}" if each["how"] == "genetic" and reported else ""
        told = f"ensemble of {each['size']}, {each['how']}: {number(each['rate'])} on {each['outside']} others"
        print(f"{told}; {' '.join(each['members'])}{said}")


def show_findings(found: dict[str, Any]) -> None:
    """Print the six findings; the fourth needs the results of the genetic attack beside those of PWWS."""
    rival = RESULTS / f"transfer-{found['data']}-ga.json"
    tested = found["analysis"]["findings"]
    if found["attack"].startswith("pwws") and rival.is_file():
        impacts = json.loads(rival.read_text(encoding="utf-8"))["analysis"]["impacts"]
        against = {factor: impact(each) for factor, each in impacts.items()}
        tested[3] = describe(analyse(matrix_of(found)), findings(analyse(matrix_of(found)), against))["findings"][3]
    for place, finding in enumerate(tested, start=1):
        said = {True: "yes", False: "no", None: "cannot be told"}[finding["holds"]]
        print(f"\nfinding {place}: {finding['claim']}: {said}")
        print("  " + ", ".join(f"{name} {number(value)}" for name, value in finding["figures"].items()))


def impact(described: dict[str, Any]) -> Impact:
    """Return an impact as `describe` wrote it."""
    mean = described["mean"]
    return Impact(float("nan") if mean is None else mean, described["pairs"])


def matrix_of(found: dict[str, Any]) -> Matrix:
    """Return the matrix that was written."""
    names = tuple(model["name"] for model in found["models"])
    rates = np.array(found["rates"], dtype=np.float64)
    return Matrix(names, names, rates, np.repeat(np.array(found["texts"])[:, None], len(names), axis=1))


def number(value: float | None) -> str:
    """Write a rate."""
    return "  –  " if value is None else f"{value:.3f}"


if __name__ == "__main__":
    main()
