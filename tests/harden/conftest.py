"""A tiny task that one word decides, and tiny nets of each kind that have not learnt it yet."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from tests.end_to_end.command import fetch_or_skip
from tests.toy_models import save_bert

from unfool import zoo
from unfool.training import seeded
from unfool.zoo.fronts import make_front

LABELS = ("neg", "pos")
GOOD, BAD = ("good", "fine", "great", "lovely"), ("bad", "poor", "awful", "dull")
NEUTRAL = ("the", "film", "is", "a", "plot", "and", "it", "was", "actor", "very")
WORDS = sorted({*GOOD, *BAD, *NEUTRAL})


def write_split(file: Path, count: int, seed: int) -> None:
    drawn, texts = random.Random(seed), []
    for number in range(count):
        words = drawn.choices(NEUTRAL, k=drawn.randint(2, 8))
        words.insert(drawn.randint(0, len(words)), drawn.choice(GOOD if number % 2 else BAD))
        texts.append(" ".join(words))
    table = pa.table({"text": texts, "label": [LABELS[number % 2] for number in range(count)]})
    parquet.write_table(table, file)


@pytest.fixture(scope="session")
def task(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("task")
    for seed, (split, count) in enumerate((("train", 240), ("validation", 40), ("test", 60)), start=1):
        write_split(folder / f"{split}.parquet", count, seed)
    return folder


def save_letters(folder: Path, seed: int, *, filters: int, units: int) -> str:
    """Save an untrained net that reads characters, and return its name."""
    letters = zoo.CharWords("abcdefghijklmnopqrstuvwxyz", max_length=80, words=WORDS)
    with seeded(seed):
        front = make_front("CharCNN", rows=len(letters), dimensions=10, filters=filters)
        net = zoo.make_net("LSTM", front, 2, units=units)
    zoo.save(folder, net, letters, LABELS, {"seed": seed})
    return f"zoo:{folder}"


@pytest.fixture(scope="session")
def nets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Names of untrained victims, by how they read."""
    place = tmp_path_factory.mktemp("nets")
    words = zoo.WordVocabulary(WORDS, max_length=12)
    with seeded(0):
        cnn = zoo.make_net("KimCNN", make_front("Vectors", rows=len(words), dimensions=8), 2, filters=6)
    zoo.save(place / "words", cnn, words, LABELS, {"seed": 0})
    save_bert(
        place / "bert", id2label=dict(enumerate(LABELS)), label2id={"neg": 0, "pos": 1}, initializer_range=0.2
    )
    return {
        "words": f"zoo:{place / 'words'}",
        "letters": save_letters(place / "letters", 0, filters=16, units=12),
        "bert": f"hf:{place / 'bert'}",
    }


@pytest.fixture(scope="session")
def word_lists() -> None:
    for resource in ("counter-fitted", "wordnet"):
        fetch_or_skip(resource)
