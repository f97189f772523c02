"""Sentence encoders, and the pieces the universal one reads."""

from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unfool import devices, resources
from unfool.devices import Half
from unfool.errors import UserError
from unfool.lexicon.encoders import SentenceEncoder, TransformerEncoder, sentence_encoder
from unfool.lexicon.universal_encoder import Pieces

SENTENCES = [
    "A good film with a fine cast.",
    "A great movie with good actors.",
    "The volcano erupted twice in winter.",
]
ODD = ["", " ", "\n\t", "😀 👍", "הסרט היה נהדר", "g\u0301ood fi\u200blm \ufeffplot \0 end", "word " * 900]


@pytest.fixture(scope="module", params=["minilm", "universal"])
def encoder(request: pytest.FixtureRequest) -> SentenceEncoder:
    try:
        return sentence_encoder(request.param)
    except UserError as error:
        pytest.skip(str(error))


def test_what_means_the_same_lies_near(encoder: SentenceEncoder) -> None:
    film, movie, volcano = encoder.encode(SENTENCES)
    assert film @ movie > 0.7 > 0.3 > film @ volcano


def test_vectors_are_units_and_do_not_depend_on_their_company(encoder: SentenceEncoder) -> None:
    together = encoder.encode([*SENTENCES, *ODD])
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    for string, vector in zip([*SENTENCES, *ODD], together, strict=True):
        np.testing.assert_allclose(encoder.encode([string])[0], vector, atol=2e-6)
    assert encoder.encode([]).shape == (0, together.shape[1])


def test_a_request_is_a_list_and_its_answer_a_matrix(encoder: SentenceEncoder) -> None:
    first, second = encoder.launch([SENTENCES[:2], SENTENCES[1:]]).result()
    assert first.shape[0] == second.shape[0] == 2
    assert (first[1] == second[0]).all()


@pytest.mark.parametrize("fast", [True, False])
def test_quick_vectors_are_near_and_only_where_half_precision_is_fast(
    fast: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devices, "measured_half", lambda device: Half(4.0 if fast else 0.9, 0.003))
    encoder = TransformerEncoder(resources.get("minilm"), "minilm", "cpu")
    assert (encoder.quick is not encoder) is fast
    exact, quick = (each.encode(SENTENCES) for each in (encoder, encoder.quick))
    np.testing.assert_allclose(quick @ quick.T, exact @ exact.T, atol=0.01)
    assert (quick != exact).any() == fast


def test_an_unknown_encoder_is_named() -> None:
    with pytest.raises(UserError, match="unknown sentence encoder 'univrsal'; did you mean 'universal'"):
        sentence_encoder("univrsal")


PIECES = [("<unk>", 0.0), ("<s>", 0.0), ("</s>", 0.0)] + [
    (piece, -float(score))
    for piece, score in {"▁": 3, "a": 2.5, "b": 2.25, "ab": 4, "▁a": 5, "ba": 4.5, "aba": 7, "▁b": 4.75}.items()
]


def likeliest(word: str) -> float:
    """Try every way to cut a word."""
    scores = dict(PIECES[3:])
    unknown = min(scores.values()) - 10
    found = []
    for count in range(len(word)):
        for cuts in combinations(range(1, len(word)), count):
            bounds = [0, *cuts, len(word)]
            parts = [word[a:b] for a, b in pairwise(bounds)]
            if all(part in scores or len(part) == 1 for part in parts):
                found.append(sum(scores.get(part, unknown) for part in parts))
    return max(found)


@settings(deadline=None, max_examples=60)
@given(st.text(alphabet="abc", min_size=1, max_size=8))
def test_a_word_is_cut_the_likeliest_way(word: str) -> None:
    start, *middle, end = Pieces(PIECES).encode(word)
    assert (start, end) == (1, 2)
    unknown = min(score for _, score in PIECES) - 10
    assert sum(PIECES[n][1] if n else unknown for n in middle) == pytest.approx(likeliest("▁" + word))
    assert "".join(PIECES[n][0] if n else "c" for n in middle) == "▁" + word


def test_words_are_cut_apart_at_spaces_of_any_kind() -> None:
    pieces = Pieces(PIECES)
    assert pieces.encode("  ab\u00a0\t ba\n") == pieces.encode("ab ba")
    assert pieces.encode("") == pieces.encode(" \u200b ") == [1, 0, 2]


def test_no_piece_of_the_universal_encoder_reaches_across_a_space() -> None:
    try:
        folder = resources.get("universal-sentence-encoder", progress=False)
    except UserError as error:
        pytest.skip(str(error))
    known = Pieces.load(Path(folder) / "sp.model")._known
    assert len(known) > 100_000
    assert not [piece for piece in known if "▁" in piece[1:]]
