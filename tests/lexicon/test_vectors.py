from pathlib import Path

import numpy as np
import pytest

from unfool.errors import UserError
from unfool.lexicon import Vectors, glove, published_vectors

TEXT = ["good 1 0.5 -2\n", "bad 3 1e-3 4\n"]


@pytest.mark.parametrize("header", [[], ["2 3\n"]])
def test_text_with_and_without_a_line_of_counts(header: list[str], tmp_path: Path) -> None:
    (tmp_path / "two.vec").write_text("".join([*header, *TEXT]))
    vectors = published_vectors(tmp_path / "two.vec", ["good", "bad"])
    assert vectors.index == {"good": 0, "bad": 1}
    assert vectors.matrix.dtype == np.float32
    np.testing.assert_array_equal(vectors.matrix, np.array([[1, 0.5, -2], [3, 1e-3, 4]], np.float32))


def test_saved_vectors_come_back_mapped(tmp_path: Path) -> None:
    words = ["a", "b c", "\n", "é", ""]
    matrix = np.arange(10, dtype=np.float32).reshape(5, 2)
    Vectors(words, matrix).save(tmp_path)
    back = Vectors.load(tmp_path)
    assert list(back.words) == words
    assert isinstance(back.matrix, np.memmap)
    np.testing.assert_array_equal(back.matrix, matrix)
    assert "b c" in back
    assert "b" not in back


@pytest.mark.parametrize("words", [["a"], ["a", "a"]])
def test_words_must_be_distinct_and_as_many_as_rows(words: list[str]) -> None:
    with pytest.raises(ValueError, match="do not fit 2 vectors"):
        Vectors(words, np.zeros((2, 3), np.float32))


def test_glove_comes_in_two_sizes() -> None:
    with pytest.raises(UserError, match="no GloVe vectors of 100 dimensions; use 50 or 300"):
        glove(100)


@pytest.mark.net
@pytest.mark.parametrize(("dim", "count"), [(50, 400_000), (300, 33_860)])
def test_real_glove(dim: int, count: int) -> None:
    vectors = glove(dim)
    assert vectors.matrix.shape == (count, dim)
    assert vectors.matrix.dtype == np.float32
    assert eval(repr(vectors)) is vectors

    def cosine(a: str, b: str) -> float:
        x, y = vectors.matrix[vectors.index[a]], vectors.matrix[vectors.index[b]]
        return float(x @ y / np.linalg.norm(x) / np.linalg.norm(y))

    assert cosine("king", "queen") > cosine("king", "cabbage") + 0.3
