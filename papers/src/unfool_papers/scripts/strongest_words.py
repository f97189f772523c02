"""The ten words that Naive Bayes holds strongest on IMDB, beside those the CS229 report names.

``python -m unfool_papers.scripts.strongest_words``. It prints a table of the model that ``tack-on`` and
``strongest-swap`` use.
"""

from __future__ import annotations

import numpy as np

from unfool.victims import Options, open_victim
from unfool.zoo.classical import NaiveBayesVictim

MODEL = "zoo:NB@imdb"
POSITIVE = 1
PAPER = {
    POSITIVE: ("edie", "antwone", "din", "gunga", "yokai"),
    1 - POSITIVE: ("boll", "410", "uwe", "tashan", "hobgoblins"),
}


def main() -> None:
    """Print the table."""
    model = open_victim(MODEL, Options(device="cpu", dtype="fp32"))
    assert isinstance(model, NaiveBayesVictim)
    print("| speaks for | place | ours | times as likely | the report's |")
    print("| --- | --- | --- | --- | --- |")
    for label, theirs in PAPER.items():
        ours = model.strongest(label, len(theirs))
        ratios = np.exp(model.sway_of(ours, label))
        for place, (word, ratio, other) in enumerate(zip(ours, ratios, theirs, strict=True), 1):
            side = "positive" if label == POSITIVE else "negative"
            print(f"| {side} | {place} | {word} | {ratio:.1f} | {other} |")


if __name__ == "__main__":
    main()
