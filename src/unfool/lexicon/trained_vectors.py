"""Word vectors trained by us with gensim, and read again without it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import numpy as np

from unfool.errors import not_installed
from unfool.lexicon._vectors import Matrix, Vectors

Kind = Literal["w2vec", "fasttext"]
Sentences = Sequence[Sequence[str]]

_NGRAMS, _SOURCE = "ngrams.npy", "SOURCE.json"
_OFFSET, _PRIME, _MASK = 2_166_136_261, 16_777_619, 0xFFFF_FFFF


@dataclass(frozen=True)
class Settings:
    """How vectors are trained: skip-gram with negative samples."""

    dimensions: int = 300
    epochs: int = 4
    rate: float = 0.025  # at first; it falls to nearly nothing
    least: int = 2  # words seen less often get no vector
    most_words: int = 40_000  # of the commonest
    window: int = 5  # words on either side
    downsample: float = 1e-4  # the share of the text above which a word is skipped now and then
    buckets: int = 50_000  # rows that fastText's character n-grams share
    shortest: int = 3  # characters of an n-gram
    longest: int = 5
    seed: int = 1


def need_gensim() -> None:
    """Raise a `UserError` where gensim is missing."""
    try:
        import_module("gensim")
    except ImportError:
        raise not_installed("training word vectors needs gensim", "vectors") from None


def train_vectors(
    kind: Kind, sentences: Sentences, folder: Path, *, settings: Settings, told: dict[str, Any], progress: bool
) -> None:
    """Train word2vec or fastText with gensim and write what `open_trained` reads into an existing folder.

    The same sentences give the same vectors: one thread trains. ``told`` says what the sentences are, and is kept
    beside the vectors.
    """
    need_gensim()
    import gensim
    from gensim.models import FastText, Word2Vec

    options: dict[str, Any] = {
        "vector_size": settings.dimensions,
        "epochs": settings.epochs,
        "alpha": settings.rate,
        "min_count": settings.least,
        "max_final_vocab": settings.most_words,
        "window": settings.window,
        "sample": settings.downsample,
        "seed": settings.seed,
        "sg": 1,
        "workers": 1,
    }
    passes = _Passes(sentences, settings.epochs + 1, f"training {kind} vectors", shown=progress)  # the first counts
    with passes.bar:
        if kind == "w2vec":
            trained = Word2Vec(passes, **options).wv
        else:
            trained = FastText(
                passes, **options, bucket=settings.buckets, min_n=settings.shortest, max_n=settings.longest
            ).wv
            np.save(folder / _NGRAMS, trained.vectors_ngrams.astype(np.float16))
    Vectors(trained.index_to_key, trained.vectors.astype(np.float16)).save(folder)
    source = {"kind": kind, **told, "gensim": gensim.__version__, "settings": asdict(settings)}
    (folder / _SOURCE).write_text(json.dumps(source, indent=2) + "\n", encoding="utf-8")


def read_source(folder: Path) -> dict[str, Any]:
    """Return what `train_vectors` wrote about its vectors."""
    source: dict[str, Any] = json.loads((folder / _SOURCE).read_text(encoding="utf-8"))
    return source


def open_trained(folder: Path, words: Iterable[str], name: str) -> Vectors:
    """Return the vectors of some words; fastText has one for nearly any word, word2vec for those it saw."""
    known = Vectors.load(folder)
    subwords = None
    if (folder / _NGRAMS).exists():
        settings = read_source(folder)["settings"]
        subwords = Subwords(np.load(folder / _NGRAMS, mmap_mode="r"), settings["shortest"], settings["longest"])
    rows: dict[str, Matrix] = {}
    for word in words:
        if word in known:
            rows[word] = known.matrix[known.index[word]]
        elif subwords and (row := subwords.vector(word)) is not None:
            rows[word] = row
    dimensions = known.matrix.shape[1]
    return Vectors(list(rows), np.array(list(rows.values()), np.float32).reshape(-1, dimensions), name)


@dataclass(frozen=True, eq=False)
class Subwords:
    """fastText's vectors of character n-grams, which share rows by their hash."""

    matrix: Matrix  # a row a hash value
    shortest: int  # characters of an n-gram
    longest: int

    def vector(self, word: str) -> Matrix | None:
        """Return the mean vector of a word's n-grams; None if the word is too short to have an n-gram."""
        marked = f"<{word}>"
        grams = (
            marked[start : start + length]
            for length in range(self.shortest, self.longest + 1)
            for start in range(len(marked) - length + 1)
        )
        rows = [_hash(gram) % len(self.matrix) for gram in grams]
        return self.matrix[rows].mean(axis=0, dtype=np.float32) if rows else None


def _hash(gram: str) -> int:
    """Return the FNV-1a hash with bytes taken as signed, as fastText takes them."""
    value = _OFFSET
    for byte in gram.encode():
        signed = byte if byte < 0x80 else byte | 0xFFFF_FF00
        value = ((value ^ signed) * _PRIME) & _MASK
    return value


class _Passes:
    """Sentences that can be walked through again and again, with one bar over all the passes."""

    def __init__(self, sentences: Sentences, passes: int, title: str, *, shown: bool) -> None:
        from rich.progress import TimeRemainingColumn

        from unfool.progress import vanishing

        self.bar = vanishing(TimeRemainingColumn(), shown=shown)
        self._task = self.bar.add_task(title, total=passes * len(sentences))
        self._sentences = sentences

    def __iter__(self) -> Iterator[Sequence[str]]:
        for sentence in self._sentences:
            yield sentence
            self.bar.advance(self._task)
