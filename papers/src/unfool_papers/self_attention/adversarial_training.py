"""Adversarial training on the paper's own attacks, which Hsieh et al. (2019) name as future work."""

from __future__ import annotations

from unfool_papers.defence_tables.table import Arm, DefenceTable, Texts, fooled, left
from unfool_papers.study.plan import Scale

_PLAIN, _GREEDY, _ATTENTION = "trained on plainly", "trained on gs-ec", "trained on asmax-ec"


def _trained(victim: str, data: str, *, n: int, asked: int, candidates: int, epochs: int) -> DefenceTable:
    """Return a table of one net, plainly trained on and on what two attacks make of it.

    Args:
        victim: The net, of the zoo.
        data: The texts it has learnt from; those attacked are of its test split.
        n: How many texts are attacked on each arm.
        asked: How many training texts are attacked for an epoch.
        candidates: Words tried at a place.
        epochs: How long each arm is trained on.
    """
    each, whole = f"candidates={candidates}", data.partition("[")[0]
    return DefenceTable(
        1,
        whole,
        f"zoo:{victim}@{data}",
        "future work",
        Texts(whole),
        Texts(whole),
        f"gs-ec:{each}",
        (
            Arm(_PLAIN, method="plain"),
            Arm(_GREEDY, method=f"adversarial:attack=gs-ec:{each},n={asked}"),
            Arm(_ATTENTION, method=f"adversarial:attack=asmax-ec:{each},n={asked}"),
        ),
        (
            (left("gs-ec"), (_GREEDY, _PLAIN)),
            (left("gs-ec"), (_ATTENTION, _PLAIN)),
            (fooled("gs-ec"), (_PLAIN, _GREEDY)),
            (fooled("gs-ec"), (_PLAIN, _ATTENTION)),
        ),
        n=n,
        epochs=epochs,
        differs="the paper names a scheme of adversarial training as future work and has no figures: that it helps "
        f"is our expectation, not its claim; {asked:,} training texts are attacked for each epoch, {candidates:,} "
        "words tried at a place.",
    )


TABLES: dict[Scale, tuple[DefenceTable, ...]] = {
    "full": (
        _trained("LSTM-Attention", "rotten_tomatoes", n=300, asked=500, candidates=50, epochs=2)._replace(
            clean=Texts("rotten_tomatoes", share=None)
        ),
    ),
    "smoke": (_trained("LSTM-Attention", "rotten_tomatoes[500]", n=30, asked=60, candidates=20, epochs=1),),
}
BESIDE: tuple[DefenceTable, ...] = ()
