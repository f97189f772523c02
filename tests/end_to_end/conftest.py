"""Victims of every kind, small enough to make on the spot."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path

import pytest
from tests.end_to_end.command import REVIEWS, VADER, fetch_or_skip

from unfool.text import Sample, Text


@pytest.fixture(scope="session")
def rows() -> list[tuple[str, int]]:
    with REVIEWS.open(encoding="utf-8", newline="") as file:
        return [(row["text"], int(row["label"])) for row in csv.DictReader(file)]


@pytest.fixture(scope="session")
def wordnet() -> None:
    """What attacks with synonyms need before they can start."""
    fetch_or_skip("wordnet")


@pytest.fixture(scope="session")
def word_vectors() -> None:
    """What random words are drawn from where a victim has no vocabulary."""
    fetch_or_skip("counter-fitted")


@pytest.fixture(scope="session")
def many_reviews(rows: list[tuple[str, int]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Reviews joined two by two: enough work for a process to be killed in the middle of it."""
    path = tmp_path_factory.mktemp("data") / "many.csv"
    chosen = [pair for pair in itertools.combinations(rows, 2) if pair[0][1] == pair[1][1]][::3]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "label"])
        writer.writerows((f"{one} {other}", label) for (one, label), (other, _) in chosen)
    return path


@pytest.fixture(scope="session")
def vader_victim() -> str:
    return VADER


@pytest.fixture(scope="session")
def skops_victim(rows: list[tuple[str, int]], tmp_path_factory: pytest.TempPathFactory) -> str:
    import skops.io
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    texts, labels = zip(*rows, strict=True)
    pipeline = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LogisticRegression(C=10)).fit(texts, labels)
    path = tmp_path_factory.mktemp("skops") / "pipeline.skops"
    skops.io.dump(pipeline, path)
    return f"skops:{path}"


@pytest.fixture(scope="session")
def bert_victim(rows: list[tuple[str, int]], tmp_path_factory: pytest.TempPathFactory) -> str:
    """A BERT that has learnt nothing: weights so large that one word may turn its answer."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder = tmp_path_factory.mktemp("bert")
    letters = [*map(chr, range(33, 127))]
    words = sorted({word for text, _ in rows for word in text.lower().replace(",", "").replace(".", "").split()})
    pieces = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        *letters,
        *(f"##{letter}" for letter in letters),
        *words,
    ]
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(dict.fromkeys(pieces)), encoding="utf-8")
    tokenizer = BertTokenizerFast(vocab=str(vocabulary))
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=128,
        initializer_range=0.5,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return f"hf:{folder}"


@pytest.fixture(scope="session")
def cnn_victim(rows: list[tuple[str, int]], tmp_path_factory: pytest.TempPathFactory) -> str:
    """A CNN of the zoo that has learnt the reviews by heart."""
    import torch

    from unfool import zoo
    from unfool.zoo.fronts import make_front

    samples = [Sample(number, Text.of(text), label) for number, (text, label) in enumerate(rows)]
    vocabulary = zoo.WordVocabulary.from_texts(text for text, _ in rows)
    torch.manual_seed(0)
    net = zoo.make_net("KimCNN", make_front("Vectors", rows=len(vocabulary), dimensions=16), 2)
    cpu = torch.device("cpu")
    texts = zoo.encode_splits(vocabulary, samples, samples, [], cpu)
    zoo.train(net, texts, cpu, seed=0, epochs=5, lr=1e-3, patience=2, batch=8, progress=False)
    folder = tmp_path_factory.mktemp("zoo") / "cnn"
    zoo.save(folder, net, vocabulary, ("negative", "positive"), {"data": "reviews"})
    return f"zoo:{folder}"
