"""Where a paper's claim does not hold: what the runs of `scripts.attacks` tell about the reason.

``python -m unfool_papers.scripts.exceptions [--runs DIR]`` prints three tables: how often attention picks the word
that greedy selection finds weakest; how often one random word fools, by label; and two victims on the texts both
have right.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from unfool.engine import Outcome, Status
from unfool.resources import cache_root
from unfool.stats import mcnemar
from unfool.text import Text
from unfool_papers.scripts.attacks import ROWS
from unfool_papers.study.plan import Table
from unfool_papers.study.record import finished
from unfool_papers.study.tables import markdown

Attacked = Mapping[int, Outcome]
WEAKEST = "gs-ec:candidates=1000"
LAYERS = {"first": "asmax-ec:candidates=1000", "last": "asmax-ec:layer=-1,candidates=1000"}
MNLI_LABELS = ("entailment", "neutral", "contradiction")


def attacked(runs: Path, attack: str, victim: str, data: str) -> Attacked:
    """Return the outcomes of a finished row, of the texts that the victim had right."""
    (row,) = (row for row in ROWS if row.name == f"{attack} on {victim}@{data}, {data}")
    run = finished(row, runs, row.n)
    if run is None:
        raise SystemExit(
            f"{row.name} is not done; python -m unfool_papers.scripts.attacks --only '{row.name}' does it"
        )
    return {each.id: each for each in run.outcomes() if each.status is not Status.SKIPPED}


def place(outcome: Outcome) -> tuple[int, str] | None:
    """Return which word was changed, and which it was."""
    fields = outcome.original, outcome.perturbed
    old, new = ([word for field in texts for word in Text.of(field).words] for texts in fields)
    pairs = enumerate(zip(old, new, strict=False))
    return next(((number, before.lower()) for number, (before, after) in pairs if before != after), None)


def attention(runs: Path) -> Table:
    """How often the word that attention picks is the one whose absence hurts most."""
    lines = []
    for victim, data in (("BERT", "yelp_polarity"), ("BERT-NOPT", "yelp_polarity"), ("BERT", "mnli")):
        weakest = attacked(runs, WEAKEST, victim, data)
        for layer, attack in LAYERS.items():
            found = attacked(runs, attack, victim, data)
            places = {number: place(each) for number, each in found.items()}
            same = sum(places[number] == place(weakest[number]) for number in found)
            fooled = sum(each.status is Status.SUCCESS for each in found.values())
            common = Counter(where[1] for where in places.values() if where).most_common(3)
            words = ", ".join(f"{word} {count}" for word, count in common)
            lines.append((f"{victim}@{data}", layer, share(same, found), share(fooled, found), words))
    return Table("", ("victim", "layer", "the weakest word, %", "fooled, %", "picked most"), lines)


def share(count: int, of: Attacked) -> str:
    """Write how many of the texts these are."""
    return f"{100 * count / len(of):.1f} ({count} of {len(of)})"


def by_label(runs: Path) -> Table:
    """How often one random word fools the LSTM and BERT, on the pairs both have right."""
    lstm, bert = (attacked(runs, "random:trials=500", victim, "mnli") for victim in ("LSTM-Attention", "BERT"))
    both = lstm.keys() & bert.keys()
    lines = []
    for label in (None, *range(len(MNLI_LABELS))):
        of = [number for number in both if label in (None, lstm[number].label)]
        means = (sum(run[n].notes["mean success over trials"] for n in of) / len(of) for run in (lstm, bert))
        name = "all" if label is None else MNLI_LABELS[label]
        lines.append((name, str(len(of)), *(f"{100 * mean:.1f}" for mean in means)))
    return Table("", ("label", "pairs", "LSTM-Attention, %", "BERT, %"), lines)


def same_texts(runs: Path) -> Table:
    """The CS229 report's LSTM beside the SVM, on the reviews both have right."""
    lines = []
    for attack in ("tack-on", *(f"strongest-swap:n={n}" for n in (1, 3, 5))):
        lstm, svm = (attacked(runs, attack, victim, "imdb") for victim in ("CS229-LSTM", "SVM-Linear"))
        both = sorted(lstm.keys() & svm.keys())
        fooled = [[run[number].status is Status.SUCCESS for number in both] for run in (lstm, svm)]
        only = [sum(a and not b for a, b in zip(*pair, strict=True)) for pair in (fooled, fooled[::-1])]
        told = (f"{100 * sum(each) / len(both):.1f}" for each in fooled)
        lines.append((f"`{attack}`", str(len(both)), *told, f"{mcnemar(*only):.2g}"))
    return Table("", ("attack", "reviews", "LSTM fooled, %", "SVM fooled, %", "p"), lines)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=Path, default=cache_root() / "studies" / "attacks", help="the runs' folder")
    given = parser.parse_args()
    for table in (attention, by_label, same_texts):
        print(f"{table.__doc__}\n\n{markdown(table(given.runs))}\n")


if __name__ == "__main__":
    main()
