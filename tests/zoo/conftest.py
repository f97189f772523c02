from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from unfool import zoo
from unfool.text import Sample, Text
from unfool.training import seeded
from unfool.zoo.fronts import make_front
from unfool.zoo.nets.net import Net

LABELS = ("neg", "pos")
GOOD, BAD = ("good", "fine", "great", "lovely"), ("bad", "poor", "awful", "dull")
NEUTRAL = ("the", "film", "is", "a", "plot", "and", "it", "was", ",", "actor", "n't", "very")


@pytest.fixture(scope="session")
def vocabulary() -> zoo.WordVocabulary:
    return zoo.WordVocabulary(sorted({*GOOD, *BAD, *NEUTRAL}), max_length=12)


@pytest.fixture(params=["KimCNN", "BiLSTM"])
def kind(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


SIZES = {"KimCNN": {"filters": 6}, "BiLSTM": {"units": 9}}


@pytest.fixture(scope="session")
def make_tiny(vocabulary: zoo.WordVocabulary) -> Callable[..., Net]:
    """Makes a small net from a seed; its word vectors are narrower than its states."""

    def make(kind: str, seed: int = 0) -> Net:
        with seeded(seed):
            front = make_front("Vectors", rows=len(vocabulary), dimensions=8)
            return zoo.make_net(kind, front, 2, **SIZES[kind])

    return make


@pytest.fixture
def net(kind: str, make_tiny: Callable[..., Net]) -> Net:
    return make_tiny(kind).eval()


@pytest.fixture
def victim(net: Net, vocabulary: zoo.WordVocabulary) -> zoo.NetVictim:
    return zoo.NetVictim(net, vocabulary, LABELS, name="zoo:tiny", device="cpu")


@pytest.fixture(scope="session")
def reviews() -> Callable[[int, int], list[Sample]]:
    """Draws reviews that one word decides."""

    def draw(count: int, seed: int) -> list[Sample]:
        drawn = random.Random(seed)
        samples = []
        for number in range(count):
            label = number % 2
            words = drawn.choices(NEUTRAL, k=drawn.randint(1, 8))
            words.insert(drawn.randint(0, len(words)), drawn.choice(GOOD if label else BAD))
            samples.append(Sample(number, Text.of(" ".join(words)), label))
        return samples

    return draw


@pytest.fixture(scope="session")
def write_split(reviews: Callable[[int, int], list[Sample]]) -> Callable[[Path, int, int], None]:
    """Writes reviews as one split of a data set, labels by name."""

    def write(file: Path, count: int, seed: int) -> None:
        samples = reviews(count, seed)
        columns = {"text": [str(each.text) for each in samples], "label": [LABELS[each.label] for each in samples]}
        file.parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(pa.table(columns), file)

    return write
