"""Texts on two principal components."""

from __future__ import annotations

import numpy as np
import pytest
from tests.toy_nets import WORDS, toy_net
from tests.toys import BagOfWords

from unfool import zoo
from unfool.errors import UserError
from unfool.text import Sample, Text
from unfool_papers.analysis import principal_components
from unfool_papers.analysis.features import features
from unfool_papers.analysis.projection import project, told_apart

DRAW = np.random.default_rng(0)
ROWS = DRAW.normal(size=(40, 6)) * np.array([5.0, 3.0, 1.0, 1.0, 0.5, 0.1]) + 7
SAMPLES = [
    Sample(number, Text.of(" ".join(DRAW.choice(WORDS, size=6))), int(DRAW.integers(2))) for number in range(30)
]


def test_places_are_those_of_the_singular_vectors() -> None:
    places, explained = project(ROWS)
    left, sizes, axes = np.linalg.svd(ROWS - ROWS.mean(axis=0), full_matrices=False)
    np.testing.assert_allclose(np.abs(places), np.abs(left[:, :2] * sizes[:2]), atol=1e-9)
    np.testing.assert_allclose(explained, (sizes**2 / (sizes**2).sum())[:2])
    for way, column in zip(axes, places.T, strict=False):
        turned = way if way[np.abs(way).argmax()] > 0 else -way
        np.testing.assert_allclose(column, (ROWS - ROWS.mean(axis=0)) @ turned, atol=1e-9)


def test_sparse_rows_are_projected_as_dense_ones() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    pytest.importorskip("sklearn")
    places, explained = project(sparse.csr_matrix(ROWS))
    dense, shares = project(ROWS)
    np.testing.assert_allclose(places, dense, atol=1e-6)
    np.testing.assert_allclose(explained, shares)


def test_a_line_tells_apart_what_it_can() -> None:
    labels = [int(number % 4 < 2) for number in range(40)]  # both labels among the texts that draw the line
    apart = np.array([[10.0 * label, 0.0] for label in labels]) + DRAW.normal(size=(40, 2))
    assert told_apart(apart, labels).count == told_apart(apart, labels).of == 20
    mixed = np.array([[x, 0.0] for x in DRAW.normal(size=400)])
    assert 0.35 < (told_apart(mixed, DRAW.integers(2, size=400).tolist()).value or 0) < 0.65


def test_a_victim_projects_what_it_decides_by() -> None:
    victim = toy_net("LSTM", zoo.WordVocabulary(WORDS), units=4, pool="last")
    figure = principal_components(SAMPLES, by=victim, labels=("neg", "pos"))
    vectors = np.array([victim.summaries.launch([s.text]).result()[0].vectors[0] for s in SAMPLES])
    centred = vectors - vectors.mean(axis=0)
    ways = np.linalg.svd(centred)[2][:2]
    for row in figure.rows:
        assert np.abs(np.abs(centred @ ways.T) - np.abs([row["x"], row["y"]])).max(axis=1).min() < 2e-3
    assert len({(row["x"], row["y"]) for row in figure.rows}) == len({s.text.words for s in SAMPLES})
    assert [row["label"] for row in figure.rows].count("pos") == sum(sample.label for sample in SAMPLES)


def test_tf_idf_leaves_out_rare_words() -> None:
    pytest.importorskip("sklearn")
    texts = [Text.of(text) for text in ("good film", "good FILM", "good plot", "bad film", "bad plot once")]
    matrix, _ = features(texts, "words")
    assert matrix.shape == (5, 2)  # good and film, in any case
    both, film = matrix[0].toarray()[0], matrix[3].toarray()[0]
    np.testing.assert_allclose([np.linalg.norm(both), np.linalg.norm(film)], 1)
    assert (matrix[0] != matrix[1]).nnz == 0


def test_what_cannot_be_projected_is_refused() -> None:
    with pytest.raises(UserError, match="needs the vector it decides by, which BagOfWords"):
        principal_components(SAMPLES, by=BagOfWords())
    with pytest.raises(UserError, match="cannot be projected by 'letters'"):
        principal_components(SAMPLES, by="letters")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="2 texts are too few for principal components"):
        principal_components(SAMPLES[:2])
    two_words = [Sample(number, Text.of("a film"), 0) for number in range(5)]
    with pytest.raises(UserError, match="2 common words are too few for two components"):
        principal_components(two_words, by="words")
    with pytest.raises(UserError, match=r"1 names \(bad\) were given for 2 labels"):
        principal_components(SAMPLES, labels=["bad"])
