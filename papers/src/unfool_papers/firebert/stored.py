"""FireBERT's stored sets: texts of train, dev and test that fool a victim."""

from __future__ import annotations

from typing import NamedTuple

from unfool_papers.defence_tables.table import Texts
from unfool_papers.firebert.tables import FINE_TAGS


class StoredSets(NamedTuple):
    """Texts of several splits that fool a victim, stored: of dev to choose settings by, of test to judge by."""

    victim: str
    attack: str
    splits: dict[str, Texts]
    editable: str | None = None
    differs: str = ""


_FILMS = "rotten_tomatoes"
STORED = {
    "mnli": StoredSets(
        "zoo:BERT@mnli",
        FINE_TAGS,
        {
            "train": Texts("mnli", "train", None),
            "dev": Texts("mnli", "validation_matched", None),
            "test": Texts("attack_sets/mnli_mismatched", None, None),
        },
        "hypothesis",
        "dev is dev_matched, test the 1,000 pairs of dev_mismatched that TextFooler's authors drew",
    ),
    "imdb": StoredSets(
        "zoo:BERT@imdb",
        FINE_TAGS,
        {split: Texts("imdb", split, None) for split in ("train", "test")},
        differs="the reviews as they were published, 25,000 and 25,000, where the paper splits them 40,000, 5,000 "
        "and 5,000: no dev set",
    ),
    _FILMS: StoredSets(
        f"zoo:WordCNN@{_FILMS}",
        FINE_TAGS,
        {"train": Texts(_FILMS, "train", None), "dev": Texts(_FILMS, "validation", None)},
        differs="a word CNN and sentences of film reviews, which two cores can do",
    ),
}
"""What ``python -m unfool_papers.scripts.stored_sets`` makes."""
