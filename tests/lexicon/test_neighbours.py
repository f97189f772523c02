import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unfool.errors import UserError
from unfool.lexicon import Neighbours, counter_fitted

WORDS = ["east", "also-east", "north-east", "north", "west", "nowhere"]
VECTORS = np.array([[2, 0], [1, 0], [3, 3], [0, 1], [-1, 0], [0, 0]], np.float32)


@pytest.fixture(scope="module")
def compass(tmp_path_factory: pytest.TempPathFactory) -> Neighbours:
    return Neighbours.build(WORDS, VECTORS, tmp_path_factory.mktemp("compass") / "tables")


def test_nearest_first_without_the_word_itself(compass: Neighbours) -> None:
    words, cosines = compass.of("east", k=5, min_cosine=-1)
    assert words == ["also-east", "north-east", "north", "nowhere", "west"]
    np.testing.assert_allclose(cosines, [1, 0.5**0.5, 0, 0, -1], atol=1e-6)


def test_k_and_the_least_cosine_both_limit(compass: Neighbours) -> None:
    assert compass.of("east", k=1, min_cosine=-1)[0] == ["also-east"]
    assert compass.of("east", k=5, min_cosine=0.7)[0] == ["also-east", "north-east"]
    assert compass.of("east", k=5, min_cosine=1.0)[0] == ["also-east"]


def test_ties_keep_the_order_of_the_vocabulary(compass: Neighbours) -> None:
    assert compass.of("north-east", k=3, min_cosine=0.5)[0] == ["east", "also-east", "north"]


def test_lookups_are_in_lower_case_and_unknown_words_have_no_neighbours(compass: Neighbours) -> None:
    assert compass.of("East", k=1)[0] == compass.of("east", k=1)[0] == ["also-east"]
    assert "EAST" in compass
    assert "south" not in compass
    words, cosines = compass.of("south", k=1)
    assert words == []
    assert cosines.shape == (0,)


def test_cosine(compass: Neighbours) -> None:
    assert compass.cosine("east", "North-East") == pytest.approx(0.5**0.5, abs=1e-6)
    assert compass.cosine("east", "south") is None


def test_what_is_handed_out_may_be_changed(compass: Neighbours) -> None:
    words, cosines = compass.of("east", k=2)
    words.clear()
    cosines[:] = 0
    assert compass.of("east", k=2)[0] == ["also-east", "north-east"]
    assert compass.of("east", k=2)[1][0] == 1


def test_more_than_is_kept_cannot_be_asked_for(tmp_path: Path) -> None:
    few = Neighbours.build(WORDS, VECTORS, tmp_path / "few", k=2)
    with pytest.raises(UserError, match="keeps 2 neighbours of a word, fewer than 3; ask for fewer"):
        few.of("east", k=3)


def test_what_was_built_is_loaded_and_not_built_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    built = Neighbours.build(WORDS, VECTORS, tmp_path / "tables")
    assert capsys.readouterr().err == f"finding the nearest words of {len(WORDS)}, once\n"
    again = Neighbours.build(WORDS, -VECTORS[::-1], tmp_path / "tables")
    loaded = eval(repr(built))
    for word in WORDS:
        expected, cosines = built.of(word, k=5)
        for other in (again, loaded):
            assert other.of(word, k=5)[0] == expected
            np.testing.assert_array_equal(other.of(word, k=5)[1], cosines)


def test_a_repeated_word_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        Neighbours.build(["a", "a"], VECTORS[:2], tmp_path / "tables")
    assert not (tmp_path / "tables").exists()


@settings(max_examples=30, deadline=None)
@given(count=st.integers(2, 60), k=st.integers(1, 8), seed=st.integers(0, 2**32 - 1))
def test_it_finds_what_a_full_sort_finds(count: int, k: int, seed: int) -> None:
    vectors = np.random.default_rng(seed).integers(-2, 3, (count, 3)).astype(np.float32)  # many exact ties
    words = [f"w{i}" for i in range(count)]
    lengths = np.linalg.norm(vectors.astype(float), axis=1, keepdims=True)
    units = vectors / np.where(lengths > 0, lengths, 1)
    with tempfile.TemporaryDirectory() as folder:
        tables = Neighbours.build(words, vectors, Path(folder) / "tables", k=k)
        kept = min(k, count - 1)
        for i, word in enumerate(words):
            exact = np.round(units @ units[i], 6)
            order = [j for j in np.argsort(-exact, kind="stable") if j != i][:kept]
            assert tables.of(word, k=kept, min_cosine=-1)[0] == [words[j] for j in order]


def test_more_words_than_one_block_holds(tmp_path: Path) -> None:
    vectors = np.random.default_rng(0).normal(size=(1500, 8)).astype(np.float32)
    tables = Neighbours.build([f"w{i}" for i in range(1500)], vectors, tmp_path / "tables", k=5)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    for i in (0, 511, 512, 1023, 1024, 1499):
        order = [j for j in np.argsort(-(units @ units[i]), kind="stable") if j != i][:5]
        assert tables.of(f"w{i}", k=5, min_cosine=-1)[0] == [f"w{j}" for j in order]


def test_naming_the_counter_fitted_vectors_loads_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNFOOL_CACHE", str(tmp_path))
    assert eval(repr(counter_fitted())) is counter_fitted()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.net
@pytest.mark.slow
def test_the_real_counter_fitted_vectors() -> None:
    near = counter_fitted()
    assert len(near.words) == 65_713
    words, cosines = near.of("film", k=50, min_cosine=0.5)
    assert {"movie", "films"} <= set(words)
    assert "film" not in words
    assert np.all(np.diff(cosines) <= 0)
    assert [near.cosine("film", w) for w in words] == pytest.approx(cosines.tolist(), abs=2e-6)
    assert (near.cosine("good", "bad") or 0) < 0.3
