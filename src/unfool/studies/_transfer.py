"""A transfer matrix, the factors behind it and ensembles chosen from it, beside Yuan et al. (2021)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from unfool import data as data_room
from unfool import zoo
from unfool.studies import _yuan_transfer as paper
from unfool.studies._plan import Table
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

CHECKED = (2, 3, 4)
SEEDS = 100
Found = dict[str, Any]


class Matrices(NamedTuple):
    """Which models, on what, attacked how."""

    models: tuple[str, ...] = ("zoo63",)
    """Names and patterns of the zoo."""
    data: str = "ag_news"
    attack: str = "pwws"
    n: int = 1000
    """Samples attacked on each source."""
    keep: int = 500
    """Successes of each source that are tried on others."""
    sizes: tuple[int, ...] = (2, 3, 4, 5, 6, 7)
    """Ensembles to craft on; none for no ensembles."""

    @property
    def named(self) -> list[zoo.Named]:
        """The models, spelt out."""
        return [named for pattern in self.models for named in zoo.expand(f"{pattern}@{self.data}")]


def transfer(
    asked: Matrices,
    folder: Path,
    *,
    device: str,
    workers: int | None,
    say: Callable[[str], None],
    progress: bool = True,
) -> Found:
    """Train, craft and fill what is not done yet, and return what came of it."""
    clock = Clock()
    untrained = train(
        [named._replace(seed=seed) for named in asked.named for seed in (0, 1)], device, workers, say, progress
    )
    # A model without a twin has no base rate, and one that cannot be trained would be tried again at every cell.
    models = [
        named for named in asked.named if not {str(named._replace(seed=seed)) for seed in (0, 1)} & set(untrained)
    ]
    clock.lap("train")

    def go_on(sources: Sequence[str] = ()) -> Study:
        return study(
            [str(named) for named in models],
            asked.data,
            asked.attack,
            out=folder,
            sources=sources,
            resume=(folder / "study.json").is_file(),
            n=asked.n,
            keep=asked.keep,
            twins=True,
            workers=workers,
            options=Options(device),
            progress=progress,
        )

    say(f"{asked.attack} on {len(models)} models, each text tried on all others")
    made = go_on()
    clock.lap("craft and fill")
    chosen = ensembles(made.matrix(), asked)
    if chosen:
        say(f"{asked.attack} on {len(chosen)} ensembles")
        made = go_on([each["name"] for each in chosen])
        clock.lap("ensembles")
    return {
        "data": asked.data,
        "attack": made.settings["attack"],
        "n": asked.n,
        "keep": asked.keep,
        "device": torch_device(device).type,
        "workers": workers,
        "seconds": clock.laps,
        "problems": {**untrained, **made.problems},
        "stand-ins": {named.model: said for named in models if (said := zoo.stand_in(named.model))},
        **_figures(made),
        "ensembles": [_outcome(made, each) for each in chosen],
        "search": {
            size: hits(made.matrix(), size) for size in CHECKED if size in asked.sizes and size < len(models)
        },
    }


def train(
    chosen: Sequence[zoo.Named], device: str, workers: int | None, say: Callable[[str], None], progress: bool
) -> dict[str, str]:
    """Train what is not trained yet, and return what could not be."""
    missing = [named for named in dict.fromkeys(chosen) if named.told is None]
    say(f"training {len(missing)} of {len(set(chosen))} models")
    problems = {}
    for trained in zoo.train_many(missing, workers=workers or 1, device=device, progress=progress):
        say(f"{trained.named}: {trained.error or 'trained'}")
        if trained.error:
            problems[str(trained.named)] = trained.error
    return problems


class Clock:
    """How long each stage took; one that was done before takes no time."""

    def __init__(self) -> None:
        self._last = time.perf_counter()
        self.laps: dict[str, float] = {}

    def lap(self, stage: str) -> None:
        """Note the end of a stage."""
        now = time.perf_counter()
        self.laps[stage], self._last = round(now - self._last, 1), now


def _figures(made: Study) -> Found:
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


def ensembles(matrix: Matrix, asked: Matrices) -> list[Found]:
    """Choose ensembles of every size: by the genetic search, by our script of an expert, by the paper's expert."""
    chosen = []
    for size in asked.sizes:
        if size >= len(matrix.sources):
            break
        ways = {"genetic": genetic(matrix, size).members, "expert": expert(matrix, size).members}
        theirs = tuple(f"zoo:{name}@{asked.data}" for name in paper.EXPERT[:size])
        if set(theirs) <= set(matrix.sources):
            ways["the paper's expert"] = theirs
        for how, members in ways.items():
            chosen.append({"size": size, "how": how, "members": members, "name": ensemble_name(members)})
    return chosen


def hits(matrix: Matrix, size: int) -> int:
    """Count the seeds from which the genetic search finds the best ensemble of all."""
    best = exhaustive(matrix, size).fitness
    return sum(genetic(matrix, size, seed=seed).fitness >= best - 1e-12 for seed in range(SEEDS))


def _outcome(made: Study, chosen: Found) -> Found:
    """Return how often texts crafted on an ensemble fool the models outside, together and on average."""
    outside = [name for name in made.victims if name not in chosen["members"]]
    rates = [rate for name in outside if (rate := made.rate(chosen["name"], name)) and rate.value is not None]
    return {
        "size": chosen["size"],
        "how": chosen["how"],
        "members": [zoo.parse(member).model for member in chosen["members"]],
        "rate": round(float(np.mean([rate.value for rate in rates])), 4) if rates else None,
        "fooled": sum(rate.count for rate in rates),
        "texts": sum(rate.of for rate in rates),
        "outside": len(rates),
    }


def matrix_of(found: Found) -> Matrix:
    """Return the matrix that was written."""
    names = tuple(model["name"] for model in found["models"])
    rates = np.array(found["rates"], dtype=np.float64)
    return Matrix(names, names, rates, np.repeat(np.array(found["texts"])[:, None], len(names), axis=1))


def six_findings(found: Found, genetic_attack: Found | None) -> list[Found]:
    """Return the six findings; the fourth needs the results of the genetic attack beside those of PWWS."""
    given: list[Found] = found["analysis"]["findings"]
    if genetic_attack is None:
        return given
    impacts = genetic_attack["analysis"]["impacts"]
    against = {
        factor: Impact(float("nan") if each["mean"] is None else each["mean"], each["pairs"])
        for factor, each in impacts.items()
    }
    analysis = analyse(matrix_of(found))
    both: list[Found] = describe(analysis, findings(analysis, against))["findings"]
    return both


def read(file: Path) -> Found | None:
    """Return results that were written, if there are."""
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else None


def tables(found: Found) -> Iterator[Table]:
    """Yield every table, the paper's figures in brackets behind ours."""
    data = data_room.drawn(found["data"]).name
    setting = (paper.DATA.get(data, ""), found["attack"].partition(":")[0])
    about = f"{found['data']}, {setting[1]}"
    analysis = found["analysis"]
    yield Table(
        f"{len(found['models'])} models, {about}: {found['n']} texts attacked on each",
        ["model", "accuracy", "fooled", "base rate", "sends", "receives", "receives, corrected"],
        [
            [
                zoo.parse(model["name"]).model,
                *(_rate(model[key]) for key in ("accuracy", "success", "base")),
                *(number(model[key]) for key in ("sends", "receives", "receives, corrected")),
            ]
            for model in found["models"]
        ],
    )
    theirs = paper.TABLE_2.get(setting, (None,) * 4)
    yield Table(
        f"Table 2: how much a rate differs from the base rate by one factor alone, {about} [paper]",
        ["factor", "mean difference", "pairs of models"],
        [
            [factor, number(analysis["impacts"][factor]["mean"], said), str(analysis["impacts"][factor]["pairs"])]
            for factor, said in zip(paper.FACTORS, theirs, strict=True)
        ],
    )
    known = setting == ("AGNEWS", "pwws")
    yield _classes(f"Table 3, from architecture to architecture, {about} [paper]", analysis["by architecture"],
                   paper.TABLE_3 if known else {})  # fmt: skip
    yield _classes(f"Table 4, from input to input, {about} [paper]", analysis["by input"],
                   paper.TABLE_4 if known else {})  # fmt: skip
    if found["ensembles"]:
        yield Table(
            f"Figure 1 and table 8: texts crafted on ensembles, {about}",
            ["size", "chosen by", "fools others", "models outside", "members", "the paper's search"],
            [
                [
                    str(each["size"]),
                    each["how"],
                    number(each["rate"]),
                    str(each["outside"]),
                    " ".join(each["members"]),
                    paper.GENETIC.get(setting, {}).get(each["size"], "") if each["how"] == "genetic" else "",
                ]
                for each in found["ensembles"]
            ],
        )
    if found["search"]:
        yield Table(
            f"From how many of {SEEDS} seeds the genetic search finds the best ensemble of all",
            ["size", "seeds"],
            [[str(size), str(seeds)] for size, seeds in found["search"].items()],
        )


def _classes(
    title: str, table: Mapping[str, Mapping[str, float | None]], reported: Mapping[str, tuple[float, ...]]
) -> Table:
    there = [row for row in table if any(value is not None for value in table[row].values())]
    places = {column: place for place, column in enumerate(table)}
    rows = [
        [row, *(number(table[row][c], reported[row][places[c]] if row in reported else None) for c in there)]
        for row in there
    ]
    return Table(title, ["from, to", *there], rows)


def _rate(rate: Mapping[str, Any] | None) -> str:
    if rate is None or rate["value"] is None:
        return "–"
    return f"{rate['value']:.3f} ({rate['low']:.2f}–{rate['high']:.2f}, {rate['of']})"


def number(value: float | None, reported: float | None = None) -> str:
    """Write a rate, and the paper's behind it."""
    ours = "–" if value is None else f"{value:.3f}"
    return ours if reported is None else f"{ours} [{reported:.3f}]"
