import random
import sys
from pathlib import Path

import numpy as np
import pytest

from unfool.errors import UserError
from unfool.lexicon.trained_vectors import (
    Kind,
    Settings,
    Subwords,
    open_trained,
    read_source,
    train_vectors,
)

TINY = Settings(dimensions=8, epochs=3, least=2, most_words=100, buckets=50, downsample=0)
FILM, MONEY = ("film", "actor", "scene", "naïve", "plot"), ("oil", "bank", "price", "market", "shares")


@pytest.fixture(scope="module")
def sentences() -> list[list[str]]:
    draw = random.Random(0)
    return [draw.choices(topic, k=6) for topic in (FILM, MONEY) * 40] + [["hapax"]]


def train(kind: Kind, sentences: list[list[str]], folder: Path, settings: Settings = TINY) -> Path:
    pytest.importorskip("gensim", reason="trains vectors, which needs unfool[vectors]")
    folder.mkdir()
    train_vectors(kind, sentences, folder, settings=settings, told={"texts": {"made up": 480}}, progress=False)
    return folder


@pytest.mark.parametrize("kind", ["w2vec", "fasttext"])
def test_the_same_sentences_give_the_same_files(kind: Kind, sentences: list[list[str]], tmp_path: Path) -> None:
    one, two = (train(kind, sentences, tmp_path / name) for name in ("one", "two"))
    assert {path.name for path in one.iterdir()} >= {"vectors.npy", "words.json", "SOURCE.json"}
    for path in one.iterdir():
        assert path.read_bytes() == (two / path.name).read_bytes()


def test_trained_files_are_read_without_gensim(
    sentences: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = train("fasttext", sentences, tmp_path / "vectors")
    monkeypatch.setitem(sys.modules, "gensim", None)
    vectors = open_trained(folder, ["oil", "unseen"], "named")
    assert (list(vectors.words), repr(vectors)) == (["oil", "unseen"], "named")
    assert vectors.matrix.dtype == np.float32
    assert read_source(folder)["texts"] == {"made up": 480}


def test_word2vec_leaves_out_what_it_never_saw(sentences: list[list[str]], tmp_path: Path) -> None:
    folder = train("w2vec", sentences, tmp_path / "vectors")
    assert list(open_trained(folder, ["unseen", "oil", "hapax"], "").words) == ["oil"]
    assert open_trained(folder, ["unseen"], "").matrix.shape == (0, 8)


def test_words_of_one_topic_are_near_each_other(sentences: list[list[str]], tmp_path: Path) -> None:
    settings = Settings(dimensions=8, epochs=60, downsample=0)
    vectors = open_trained(train("w2vec", sentences, tmp_path / "vectors", settings), FILM + MONEY, "")
    unit = vectors.matrix / np.linalg.norm(vectors.matrix, axis=1, keepdims=True)
    cosines = unit @ unit.T
    assert cosines[:5, :5].mean() > cosines[:5, 5:].mean() + 0.3


@pytest.mark.parametrize("word", ["films", "naïvely", "日本語", "x", "naïve-ish"])
def test_unseen_words_get_gensims_own_vector(sentences: list[list[str]], word: str) -> None:
    models = pytest.importorskip("gensim.models", reason="compares with gensim, which unfool[vectors] brings")
    trained = models.FastText(
        sentences, vector_size=8, epochs=1, min_count=2, bucket=50, min_n=3, max_n=5, workers=1, seed=1
    ).wv
    assert word not in trained.key_to_index
    ours = Subwords(trained.vectors_ngrams, 3, 5).vector(word)
    assert ours is not None
    np.testing.assert_allclose(ours, trained[word], rtol=1e-5)


def test_a_word_shorter_than_any_piece_has_no_vector() -> None:
    assert Subwords(np.ones((4, 2), np.float32), 4, 5).vector("a") is None


def test_training_without_gensim_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gensim", None)
    with pytest.raises(UserError, match=r"needs gensim: pip install 'unfool\[vectors\]'"):
        train_vectors("w2vec", [["a"]], tmp_path, settings=TINY, told={}, progress=False)
