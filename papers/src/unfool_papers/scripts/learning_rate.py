"""Find a net's learning rate on held-out text, where a paper names none.

``python -m unfool_papers.scripts.learning_rate CharCNN-LSTM@ag_news --rates 0.1 0.3 1 3 --epochs 3 --workers 4``
trains the net with each rate and keeps its accuracy on the held-out tenth of the training texts in
``results/learning-rate.json``: no test text is looked at. The last line is what goes into the catalogue
(``src/unfool/zoo/_catalogue.py``). What is trained is not trained again, so that a search that was stopped goes on.
"""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path
from typing import Any

from unfool import zoo
from unfool.devices import torch_device
from unfool.resources import build_once, cache_root
from unfool.training import TrainingReport
from unfool.zoo import DatasetCache, NetRecipe, train_net
from unfool_papers.study.pieces import Job, do_all

RESULTS = Path(__file__).parents[4] / "results" / "learning-rate.json"


def tried(model: str, rate: float, epochs: int, device: str, root: Path) -> dict[str, Any]:
    """Train a net with a rate, if that has not been done, and return what it reached on held-out texts."""
    named = zoo.parse(model)
    recipe = zoo.entry(named.model).recipe
    assert isinstance(recipe, NetRecipe), "only nets have a rate to look for"
    short = recipe._replace(lr=rate, epochs=epochs, patience=epochs)
    folder = root / f"{named.folder.name},lr={rate:g},epochs={epochs}"
    build_once(folder, lambda part: train_net(short, named, part, device, progress=False, datasets=DatasetCache()))
    report = TrainingReport.read(folder)
    assert report
    return {"rate": rate, "held out": report.validation._asdict(), "epoch": report.epoch}


def main(arguments: list[str] | None = None) -> None:
    """Try the rates, and keep and print what came of them."""
    parser = argparse.ArgumentParser(
        prog="python -m unfool_papers.scripts.learning_rate",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", help="such as CharCNN-LSTM@ag_news")
    parser.add_argument("--rates", type=float, nargs="+", default=[0.1, 0.3, 1.0, 3.0])
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--workers", type=int, default=1, help="rates tried at once")
    parser.add_argument("--device", default="auto", help="cpu, cuda or auto")
    parser.add_argument("--folder", type=Path, default=cache_root() / "studies" / "learning-rate")
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args(arguments)
    named = str(zoo.parse(given.model))
    common = given.epochs, torch_device(given.device).type, given.folder
    jobs = [
        Job(f"{Path(named).name},lr={rate:g},epochs={given.epochs}", tried, (given.model, rate, *common))
        for rate in given.rates
    ]
    found = do_all(jobs, given.folder, given.workers, partial(print, flush=True))
    kept = json.loads(given.out.read_text("utf-8")) if given.out.is_file() else {}
    for each in found.kept.values():
        kept.setdefault(named, {})[f"{each['rate']:g}, {given.epochs} epochs"] = each
    given.out.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    for problem in found.failed.values():
        print(problem)
    for each in found.kept.values():
        print(f"{each['rate']:g}: {each['held out']['share']:.1%} of {each['held out']['n']} held-out texts right")
    best = max(found.kept.values(), key=lambda each: float(each["held out"]["share"]))
    print(f"lr={best['rate']:g}")


if __name__ == "__main__":
    main()
