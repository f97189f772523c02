"""Find a net's learning rate on held-out text, where a paper names none.

``python -m unfool_papers.scripts.learning_rate CharCNN-LSTM@ag_news --rates 0.1 0.3 1 3 --epochs 3`` trains
the net with each rate and keeps its accuracy on the held-out tenth of the training texts in
``results/learning-rate.json``:
no test text is looked at. What is trained is not trained again, so that a search that was stopped goes on.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from unfool import zoo
from unfool.resources import build_once, cache_root
from unfool.training import TrainingReport
from unfool.zoo import DatasetCache, Named, NetRecipe, train_net

RESULTS = Path(__file__).parents[4] / "results" / "learning-rate.json"


def tried(named: Named, rate: float, epochs: int, device: str, read: DatasetCache, root: Path) -> dict[str, Any]:
    """Train a net with a rate, if that has not been done, and return what it reached on held-out texts."""
    recipe = zoo.entry(named.model).recipe
    assert isinstance(recipe, NetRecipe), "only nets have a rate to look for"
    short = recipe._replace(lr=rate, epochs=epochs, patience=epochs)
    folder = root / f"{named.folder.name},lr={rate:g},epochs={epochs}"
    build_once(folder, lambda part: train_net(short, named, part, device, progress=False, datasets=read))
    report = TrainingReport.read(folder)
    assert report
    return {"rate": rate, "held out": report.validation._asdict(), "epoch": report.epoch, "seconds": report.seconds}


def main() -> None:
    """Try the rates, and keep and print what came of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="such as CharCNN-LSTM@ag_news")
    parser.add_argument("--rates", type=float, nargs="+", default=[0.1, 0.3, 1.0, 3.0])
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--folder", type=Path, default=cache_root() / "studies" / "learning-rate")
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    named, read = zoo.parse(given.model), DatasetCache()
    kept = json.loads(given.out.read_text("utf-8")) if given.out.is_file() else {}
    for rate in given.rates:
        found = tried(named, rate, given.epochs, given.device, read, given.folder)
        kept.setdefault(str(named), {})[f"{rate:g}"] = found
        given.out.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        print(found, flush=True)
    best = max(kept[str(named)].values(), key=lambda each: each["held out"]["share"])
    print(f"best on held-out text: {best['rate']:g}")


if __name__ == "__main__":
    main()
