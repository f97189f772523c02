"""A transfer matrix, the factors behind it and ensembles chosen from it, beside Yuan et al. (2021)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from functools import partial
from math import comb
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from unfool import data as data_room
from unfool import zoo
from unfool.attacks import find_attack
from unfool.devices import torch_device
from unfool.parallel import Folder, Workers
from unfool.runs import is_finished
from unfool.storage import JSON
from unfool.transfer import (
    POPULATION,
    Ensemble,
    Matrix,
    Plan,
    Study,
    Target,
    analyse,
    craft,
    craft_touches,
    ensemble_name,
    exhaustive,
    expert,
    fill,
    fill_touches,
    fitness,
    fooling_texts,
    genetic,
    short_name,
    study,
    summary,
)
from unfool.victims import Options
from unfool.zoo.victim_names import models_home, slow_first
from unfool_papers.transferability import published as paper
from unfool_papers.transferability.findings import Finding, asymmetry, findings, texts_tried
from unfool_papers.transferability.overfitting import gaps
from unfool_papers.transferability.rule_sweeps import replacements

SIZES = (2, 3, 4, 5, 6, 7)
CHECKED = (2, 3, 4)
SEEDS = 100
Found = dict[str, Any]
Fields = tuple[str, ...]


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
    sizes: tuple[int, ...] = SIZES
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
    """Train, craft and fill what is not done yet, and return what came of it; `complete` adds what follows.

    A folder that holds the whole matrix, perhaps made on another machine, is read without any model.
    """
    clock, made, untrained = Clock(), whole(asked, folder), dict[str, str]()
    if made is None or asked.sizes:
        untrained = train(
            [named._replace(seed=seed) for named in asked.named for seed in (0, 1)], device, workers, say, progress
        )
        clock.lap("train")
    # A model without a twin has no base rate, and one that cannot be trained would be tried again at every cell.
    models = [
        named for named in asked.named if not {str(named._replace(seed=seed)) for seed in (0, 1)} & set(untrained)
    ]

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
            options=Options(device, "fp32"),
            progress=progress,
        )

    if made is None:
        say(f"{asked.attack} on {len(models)} models, each text tried on all others")
        made = go_on()
        clock.lap("craft and fill")
    chosen = ensembles(made.matrix(), asked.data, asked.sizes)
    if chosen:
        say(f"{asked.attack} on {len(chosen)} ensembles")
        made = go_on([ensemble_name(each.members) for each in chosen])
        clock.lap("ensembles")
    return {
        "data": asked.data,
        "attack": made.settings["attack"],
        "n": asked.n,
        "keep": asked.keep,
        "device": _crafted_on(made),
        "workers": workers,
        "seconds": clock.laps,
        "problems": {**untrained, **made.problems},
        "stand-ins": {named.model: said for named in models if (said := zoo.stand_in(named.model))},
        **_figures(made),
        "fool most": fool_most(made),
        "ensembles": [_outcome(made, each) for each in chosen],
    }


def whole(asked: Matrices, folder: Path) -> Study | None:
    """Return the study in a folder if it holds every text and every answer that the matrix asks for."""
    if not (folder / "study.json").is_file():
        return None
    made, names = Study.open(folder), [str(named) for named in asked.named]
    settings = {"attack": repr(find_attack(asked.attack)), "data": asked.data, "n": asked.n, "keep": asked.keep}
    if not settings.items() <= made.settings.items() or names != made.victims:
        return None
    crafted = all(is_finished(made.places.run(name)) and made.run(name).whole for name in names)
    answered = all(made.rate(source, target) is not None for source in names for target in names)
    return made if crafted and answered else None


def fits(asked: Matrices, found: Found) -> bool:
    """Return whether results are of the matrix that is asked for, whatever else they hold."""
    same = all(found[key] == getattr(asked, key) for key in ("data", "n", "keep"))
    models = [model["name"] for model in found["models"]]
    return same and found["attack"].partition(":")[0] == asked.attack and set(models) == set(map(str, asked.named))


def _crafted_on(made: Study) -> str:
    """Return the kind of device that the texts were made on last."""
    session = json.loads((made.run(made.victims[0]).folder / "environment.json").read_bytes())["sessions"][-1]
    return str(session["device"])


def craft_on_ensembles(
    asked: Matrices,
    chosen_by: Found,
    folder: Path,
    *,
    device: str,
    workers: int | None,
    say: Callable[[str], None],
) -> Found:
    """Craft on ensembles chosen by rates measured before, and on nothing else; their texts are tried on all models.

    The models are trained anew where they are not here: ensembles are chosen by the rates of nets of the same names
    whose weights differ. Members come first, so that crafting need not wait for those that only judge.
    """
    clock = Clock()
    chosen = ensembles(matrix_of(chosen_by), asked.data, asked.sizes)
    members = [zoo.parse(name) for name in dict.fromkeys(name for each in chosen for name in each.members)]
    problems = train(members, device, workers, say, progress=False)
    clock.lap("train")
    names = list(dict.fromkeys(ensemble_name(each.members) for each in chosen))
    source = data_room.load(asked.data)
    settings: dict[str, JSON] = {"attack": asked.attack, "data": asked.data, "n": asked.n, "keep": asked.keep}
    made = Study(
        folder, settings, {"victims": [str(named) for named in asked.named], "twins": {}, "sources": names}
    )
    for place in (made.places.runs, made.places.cells):
        place.mkdir(parents=True, exist_ok=True)
    made.write()
    plan = Plan(made.places, source, asked.attack, asked.n, asked.keep, 0, Options(device, "fp32"), bars=False)
    folders = [Folder(folder), Folder(models_home(), models_home)]
    with Workers(workers or 1, plan, folders=folders, device=device) as processes:
        # The largest take longest.
        for crafted in processes.do(craft, names[::-1], pieces=partial(craft_touches, made.places)):
            say(f"{crafted.job}: {crafted.problem or crafted.result or 'crafted'}")
        clock.lap("craft")
        problems |= train(asked.named, device, workers, say, progress=False)
        clock.lap("train the others")
        made.victims = [name for name in made.victims if name not in problems]
        made.write()
        targets = [Target(name, names) for name in slow_first(made.victims)]
        for filled in processes.do(fill, targets, pieces=partial(fill_touches, made.places)):
            if told := str(filled.problem) if filled.problem else "; ".join(filled.result or ()):
                problems[filled.job.name] = told
    clock.lap("fill")
    return {
        "data": asked.data,
        "attack": asked.attack,
        "n": asked.n,
        "keep": asked.keep,
        "device": torch_device(device).type,
        "workers": workers,
        "seconds": clock.laps,
        "problems": problems,
        "ensembles": [_outcome(made, each) for each in chosen],
    }


def fool_most(made: Study, most: int = 3) -> Found:
    """Return how many of the texts that were tried fool every model, and those that turn most models (table 1).

    A text fools a model that has it wrong, as the paper counts; it turns one that had its original right.
    """
    columns = [made.places.column(name).cells() for name in made.victims]
    texts, fool_all, originals, turned = 0, 0, set[Fields](), list[tuple[tuple[int, int], Found]]()
    for source in made.victims:
        keep = made.settings["keep"]
        found = fooling_texts(made.places.run(source), keep if isinstance(keep, int) else None, 0)
        gold = np.array(found.gold)
        right = np.array([column[source].before for column in columns]) == gold
        wrong = np.array([column[source].after for column in columns]) != gold
        texts += len(gold)
        everywhere = wrong.all(axis=0)
        fool_all += int(everywhere.sum())
        originals |= {found.originals[number] for number in np.flatnonzero(everywhere)}
        for number in range(len(gold)):
            told: Found = {
                "text": (found.originals[number], found.perturbed[number]),
                "label": int(gold[number]),
                "made on": short_name(source),
                "fooled": int(wrong[:, number].sum()),
                "right": int(right[:, number].sum()),
                "turned": int((wrong & right)[:, number].sum()),
            }
            turned.append(((told["turned"], told["fooled"]), told))
    best = dict[Fields, Found]()
    for _, told in sorted(turned, key=lambda each: each[0], reverse=True):
        best.setdefault(told["text"][0], told)
    return {
        "texts": texts,
        "fool all": fool_all,
        "of as many originals": len(originals),
        "turn all": sum(told["turned"] == len(made.victims) for _, told in turned),
        "most": [told | {"text": replacements(*told["text"])} for told in list(best.values())[:most]],
    }


def complete(found: Found) -> Found:
    """Return results with all that follows from their rates alone; a search that is there is not done again.

    That is tables and findings by either rate, the ensembles that are chosen by the rates, and from how many seeds
    the genetic search finds the best of all ensembles.
    """
    matrix, data = matrix_of(found), found["data"]
    return found | {
        "analysis": analysed(matrix),
        "analysis, corrected": analysed(matrix_of(found, corrected=True)),
        "chosen": [each.told for each in ensembles(matrix, data, SIZES)],
        "search": found.get("search") or searched(matrix),
    }


def analysed(matrix: Matrix) -> Found:
    """Return what follows from a matrix as plain values, with the paper's six findings."""
    analysis, symmetry = analyse(matrix), asymmetry(matrix)
    return {
        **analysis.to_json(),
        "asymmetry": symmetry.to_json(),
        "findings": [finding.to_json() for finding in findings(analysis, symmetry, texts=texts_tried(matrix))],
    }


def train(
    chosen: Sequence[zoo.Named], device: str, workers: int | None, say: Callable[[str], None], progress: bool
) -> dict[str, str]:
    """Train what is not trained yet, and return what could not be."""
    missing = [named for named in dict.fromkeys(chosen) if named.report is None]
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
    matrix = made.matrix()
    return {
        "models": [model.to_json() for model in summary(made).models],
        "rates": _rounded(matrix),
        "corrected": _rounded(made.matrix(corrected=True)),
        "texts": matrix.texts.max(axis=1).tolist(),
        "mean base rate": round(float(np.nanmean(matrix.base)), 4),
        "mean rate between models": round(float(np.nanmean(matrix.between)), 4),
    }


def _rounded(matrix: Matrix) -> list[list[float | None]]:
    return [[None if np.isnan(rate) else round(float(rate), 3) for rate in row] for row in matrix.rates]


class ChosenEnsemble(NamedTuple):
    """Models chosen by the rates, by whom, and the mean over targets of the best rate of any of them."""

    size: int
    how: str
    members: tuple[str, ...]
    fitness: float

    @property
    def told(self) -> Found:
        """Plain values, models by their short names."""
        members = [zoo.parse(member).model for member in self.members]
        return self._asdict() | {"members": members, "fitness": round(self.fitness, 4)}


def ensembles(matrix: Matrix, data: str, sizes: Sequence[int]) -> list[ChosenEnsemble]:
    """Choose ensembles of every size: by the genetic search, by our script of an expert, by the paper's expert."""
    found = []
    made = {name for name, rates in zip(matrix.sources, matrix.rates, strict=True) if not np.isnan(rates).all()}
    for size in sizes:
        if size >= len(made):
            break
        ways = {"genetic": genetic(matrix, size), "expert": expert(matrix, size)}
        theirs = tuple(f"zoo:{name}@{data}" for name in paper.EXPERT[:size])
        if set(theirs) <= made:
            places = np.array([[matrix.sources.index(name) for name in theirs]])
            ways["the paper's expert"] = Ensemble(theirs, float(fitness(np.nan_to_num(matrix.rates), places)[0]))
        found += [ChosenEnsemble(size, how, *chosen) for how, chosen in ways.items()]
    return found


def searched(matrix: Matrix) -> Found:
    """Return the best ensembles of all by size, and from how many seeds the genetic search finds one as good.

    Where a generation of the search holds as many ensembles as there are, finding the best shows nothing.
    """
    found = {}
    for size in CHECKED:
        if comb(len(matrix.sources), size) > POPULATION:
            best = exhaustive(matrix, size)
            seeds = sum(genetic(matrix, size, seed=seed).fitness >= best.fitness - 1e-12 for seed in range(SEEDS))
            found[str(size)] = {**ChosenEnsemble(size, "exhaustive", *best).told, "seeds": seeds}
    return found


def _outcome(made: Study, chosen: ChosenEnsemble) -> Found:
    """Return how often texts crafted on an ensemble fool the models outside, together and on average."""
    name = ensemble_name(chosen.members)
    outside = [model for model in made.victims if model not in chosen.members]
    rates = [rate for model in outside if (rate := made.rate(name, model)) and rate.value is not None]
    return {
        **chosen.told,
        "rate": round(float(np.mean([rate.value for rate in rates])), 4) if rates else None,
        "fooled": sum(rate.count for rate in rates),
        "texts": sum(rate.of for rate in rates),
        "outside": len(rates),
    }


def matrix_of(found: Found, *, corrected: bool = False) -> Matrix:
    """Return the matrix that was written.

    Args:
        found: The results.
        corrected: Whether to take the rates over texts whose original the target has right. How many of a source's
            texts these are is not written; by the target's accuracy it is known well enough.
    """
    names = tuple(model["name"] for model in found["models"])
    rates = np.array(found["corrected" if corrected else "rates"], dtype=np.float64)
    texts = np.repeat(np.array(found["texts"])[:, None], len(names), axis=1)
    if corrected:
        texts = np.rint(texts * [(model["accuracy"] or {}).get("value") or 0 for model in found["models"]])
    return Matrix(names, names, rates, texts.astype(np.int64))


def six_findings(found: Found, genetic_attack: Found | None, *, corrected: bool = False) -> list[Finding]:
    """Return the six findings by either rate; the fourth needs the genetic attack's results beside PWWS'."""
    matrix = matrix_of(found, corrected=corrected)
    beside = genetic_attack and gaps(matrix, matrix_of(genetic_attack, corrected=corrected))
    return findings(analyse(matrix), asymmetry(matrix), beside, texts_tried(matrix))


def read(file: Path) -> Found | None:
    """Return results that were written, if there are."""
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else None
