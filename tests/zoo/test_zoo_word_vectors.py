from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from unfool.errors import UserError
from unfool.lexicon import trained_vectors as trained
from unfool.zoo import word_vectors as word_vectors_module
from unfool.zoo.word_vectors import stand_in, word_vectors

SENTENCES = ("a good plain film", "a bad dull film", "a film, it's fine")


@pytest.fixture
def at_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Gives an empty cache and one small data set at hand, and no published file."""
    monkeypatch.setenv("UNFOOL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("UNFOOL_DATA", str(tmp_path / "data"))
    for variable in ("UNFOOL_W2VEC", "UNFOOL_FASTTEXT"):
        monkeypatch.delenv(variable, raising=False)
    (tmp_path / "data" / "rotten_tomatoes").mkdir(parents=True)
    table = pa.table({"text": SENTENCES * 3, "label": [1, 0, 1] * 3})
    parquet.write_table(table, tmp_path / "data" / "rotten_tomatoes" / "train.parquet")
    tiny = trained.Settings(dimensions=4, buckets=20)
    monkeypatch.setattr(word_vectors_module, "SETTINGS", {"w2vec": tiny, "fasttext": tiny})
    return tmp_path


def test_a_published_file_is_no_stand_in(at_hand: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (at_hand / "news.vec").write_text("2 3\nfilm 1 2 3\nplot 4 5 6\n")
    monkeypatch.setenv("UNFOOL_W2VEC", str(at_hand / "news.vec"))
    vectors = word_vectors("w2vec", ["film", "unseen"])
    assert list(vectors.words) == ["film"]
    np.testing.assert_array_equal(vectors.matrix, [[1, 2, 3]])
    assert not stand_in("w2vec")
    assert not (at_hand / "cache").exists()


def test_without_a_file_vectors_are_trained_once_and_called_a_stand_in(
    at_hand: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("gensim", reason="trains vectors, which needs unfool[vectors]")
    assert "trained by unfool on the data sets at hand" in stand_in("fasttext")
    first = word_vectors("fasttext", ["film", "'s", "unseen"], progress=False)
    assert list(first.words) == ["film", "'s", "unseen"]
    assert "trained by unfool on rotten_tomatoes (train)" in stand_in("fasttext")

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("trained again")

    monkeypatch.setattr(trained, "train_vectors", fail)
    again = word_vectors("fasttext", ["film", "'s", "unseen"])
    np.testing.assert_array_equal(again.matrix, first.matrix)


def test_repeated_texts_are_read_once_and_no_more_than_the_limit(
    at_hand: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[list[str]] = []

    def keep(kind: str, sentences: list[list[str]], folder: Path, **options: dict[str, dict[str, int]]) -> None:
        read.extend(sentences)
        assert options["told"]["texts"] == {"rotten_tomatoes (train)": sum(map(len, read))}
        raise UserError("enough")

    monkeypatch.setattr(trained, "train_vectors", keep)
    with pytest.raises(UserError, match="enough"):
        word_vectors("w2vec", ["film"])
    assert sorted(map(" ".join, read)) == ["a bad dull film", "a film , it 's fine", "a good plain film"]
    read.clear()
    monkeypatch.setattr(word_vectors_module, "MOST_TOKENS", 5)
    with pytest.raises(UserError, match="enough"):
        word_vectors("w2vec", ["film"])
    assert 5 <= sum(map(len, read)) < 5 + max(map(len, read))
