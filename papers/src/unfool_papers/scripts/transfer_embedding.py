"""Why do word vectors hinder transfer more in our matrix than in that of Yuan et al. (2021)? Frozen against tuned.

``python -m unfool_papers.scripts.transfer_embedding --folder DIR [--data rotten_tomatoes] [--models NAME…] [--n
500]`` trains nets twice: with pretrained word vectors frozen, as the zoo has them, and tuned along with the net. It
crafts on every net and tries the texts on every other; it also mines rules with a net on random vectors and has all
nets judge them. Printed are rates by what source and target differ in, and the rules' success. Killed and called
again, it goes on. Results are in ``results/transfer-embedding-DATA.json``; ``--table`` only prints them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from unfool import data as data_room
from unfool import zoo
from unfool.resources import build_once
from unfool.rules import mine_into
from unfool.transfer import Matrix, Study, analyse, study, traits
from unfool.victims import Options
from unfool.zoo import DatasetCache, NetRecipe, train_net
from unfool_papers.study.plan import Table
from unfool_papers.study.tables import markdown
from unfool_papers.transferability.rule_sweeps import judge_all

RESULTS = Path(__file__).parents[4] / "results"
MODELS = tuple(
    f"{kind}-W-{vectors}-1" for kind in ("CNN", "LSTM") for vectors in ("Random", "GloVe", "W2vec", "fastText")
)
MINER = "CNN-W-Random-1"
PUBLISHED = ("Random", "GloVe")
"""Vectors for which nothing stands in."""
WAYS, RATES, SEEDS = ("frozen", "tuned"), ("raw", "corrected"), (0, 1)
Names = dict[tuple[str, str, int], str]


def main() -> None:
    """Train, craft, fill, mine, judge, and show."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="where the study lies; not needed for --table")
    parser.add_argument("--data", default="rotten_tomatoes")
    parser.add_argument("--models", nargs="+", default=list(MODELS), help="nets of the zoo that read words")
    parser.add_argument("--n", type=int, default=500, help="texts attacked on each net, and judged")
    parser.add_argument("--mined", type=int, default=1000, help="training texts to mine rules from")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--table", action="store_true", help="print the tables and leave")
    given = parser.parse_args()
    file = RESULTS / f"transfer-embedding-{given.data.partition('[')[0]}.json"
    if not given.table:
        if not given.folder:
            parser.error("name the --folder of the study, or only print --table")
        names = trained(given.models, given.data, given.folder, given.device)
        made = study(
            list(dict.fromkeys(names.values())),
            given.data,
            "pwws",
            out=given.folder / "study",
            n=given.n,
            options=Options(given.device, "fp32"),
            resume=(given.folder / "study" / "study.json").is_file(),
        )
        found = {
            "data": given.data,
            "n": given.n,
            "mined texts": given.mined,
            "models": given.models,
            "ways": {way: figures(made, names, given.models, way) for way in WAYS},
            "rules": rules(names, given.models, given),
        }
        file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    show(json.loads(file.read_text(encoding="utf-8")))


def trained(models: list[str], data: str, folder: Path, device: str) -> Names:
    """Train every model both ways and from both seeds, and return their names; random vectors know one way only."""
    datasets, found = DatasetCache(), Names()
    for model in models:
        for seed in SEEDS:
            named = zoo.Named(model, data, seed)
            zoo.ensure(named, device=device, datasets=datasets)
            found["frozen", model, seed] = found["tuned", model, seed] = str(named)
            recipe = zoo.CATALOGUE[model].recipe
            assert isinstance(recipe, NetRecipe)
            if recipe.vectors == "random":
                continue
            tuned = recipe._replace(frozen=False)

            def build(part: Path, named: zoo.Named = named, tuned: NetRecipe = tuned) -> None:
                train_net(tuned, named, part, device, True, datasets)

            place = build_once((folder / "tuned" / f"{model}-{seed}").resolve(), build)
            found["tuned", model, seed] = f"zoo:{place}"
    return found


def figures(made: Study, names: Names, models: list[str], way: str) -> dict[str, Any]:
    """Return what the matrices of the two seeds come to, counted as in the paper and corrected."""
    right = [made.run(names[way, model, seed]).summary.clean_accuracy.value for model in models for seed in SEEDS]
    return {
        "accuracy": round(float(np.mean([each or 0 for each in right])), 4),
        **{rate: [of_seed(made, names, models, way, seed, rate) for seed in SEEDS] for rate in RATES},
    }


def of_seed(made: Study, names: Names, models: list[str], way: str, seed: int, kind: str) -> dict[str, Any]:
    """Return the figures of the nets of one seed; those of the other are their twins."""

    def rate(source: str, target: str) -> float:
        tried = names[way, target, 1 - seed if source == target else seed]
        found = made.rate(names[way, source, seed], tried, corrected=kind == "corrected")
        return float("nan") if found is None or found.value is None else found.value

    def matrix(chosen: list[str]) -> Matrix:
        rates = np.array([[rate(source, target) for target in chosen] for source in chosen])
        return Matrix(tuple(chosen), tuple(chosen), rates, np.zeros(rates.shape, dtype=np.int64))

    every = matrix(models)
    said = analyse(every).to_json()
    published = analyse(matrix([model for model in models if _vectors(model) in PUBLISHED]))
    return {
        "base rate": round(float(np.nanmean(every.base)), 4),
        "impacts": {factor: impact["mean"] for factor, impact in said["impacts"].items() if impact["pairs"]},
        "embedding, Random and GloVe": round(published.impacts["embedding"].mean, 4),
        "by input": said["by input"],
    }


def rules(names: Names, models: list[str], given: argparse.Namespace) -> dict[str, dict[str, dict[str, float]]]:
    """Return how many percent of the texts fall by rules of a net on random vectors, and by rules of counts."""
    options = Options(given.device, "fp32")
    miner = names["frozen", MINER, 0]
    mined = mine_into([miner], given.data, given.folder / "mined", n=given.mined, options=options, resume=True)
    books = {"uawr": mined.book(), "pmi": mined.book(models=())}
    texts = data_room.load(given.data, split="test")
    found: dict[str, dict[str, dict[str, float]]] = {}
    for way in WAYS:
        for model in models:
            judges = [name for seed in SEEDS if (name := names[way, model, seed]) != miner]
            runs = [
                judge_all(books, texts, name, given.folder / "runs", n=given.n, options=options) for name in judges
            ]
            found.setdefault(way, {})[model] = {
                book: round(float(np.mean([100 * (run[book].summary.success_rate.value or 0) for run in runs])), 1)
                for book in books
            }
    return found


def show(found: dict[str, Any]) -> None:
    """Print the tables; a figure is the mean of the two seeds'."""
    factors = list(found["ways"]["frozen"]["raw"][0]["impacts"])
    rows = [
        [
            way,
            rate,
            f"{told['accuracy']:.3f}",
            _mean(each["base rate"] for each in told[rate]),
            *(_mean(each["impacts"][factor] for each in told[rate]) for factor in factors),
            _mean(each["embedding, Random and GloVe"] for each in told[rate]),
        ]
        for way, told in found["ways"].items()
        for rate in RATES
    ]
    head = (
        f"{len(found['models'])} nets and twins, {found['data']}, pwws on {found['n']} texts: differences by factor"
    )
    columns = ["vectors", "rate", "accuracy", "base rate", *factors, "embedding, Random and GloVe"]
    print(f"\n{markdown(Table(head, columns, rows))}")
    for way, told in found["ways"].items():
        tables = [each["by input"] for each in told["raw"]]
        there = [row for row, cells in tables[0].items() if any(value is not None for value in cells.values())]
        lines = [[row, *(_mean(table[row][column] for table in tables) for column in there)] for row in there]
        print(f"\n{markdown(Table(f'From vectors to vectors, {way}', ['from, to', *there], lines))}")
    lines = [
        [model, *(f"{found['rules'][way][model][book]:.1f}" for book in ("uawr", "pmi") for way in WAYS)]
        for model in found["models"]
    ]
    head = f"Rules of {MINER} from {found['mined texts']} texts, and rules of counts: success, %"
    columns = ["judge", *(f"{book}, {way}" for book in ("of the net", "of counts") for way in WAYS)]
    print(f"\n{markdown(Table(head, columns, lines))}")


def _vectors(model: str) -> str | None:
    found = traits(model)
    return found.embedding if found else None


def _mean(values: Iterable[float | None]) -> str:
    return f"{np.mean([value for value in values if value is not None]):.3f}"


if __name__ == "__main__":
    main()
