from __future__ import annotations

import math
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
import torch
from tests.toy_models import save_bert
from tests.toy_table import Table, outcome
from tests.toys import BagOfWords
from transformers import AutoModel, AutoTokenizer

from unfool.errors import UserError
from unfool.text import Text
from unfool.victims import Transformer
from unfool_papers.analysis import (
    Pair,
    embedding_variation_figure,
    embedding_variations,
    relative_variation,
    relative_variation_figure,
    share_moved,
    spread_by_layer,
    write_svg,
)

GOOD, BAD = Text.of("a good film"), Text.of("a bad film")
SHARE_ABOVE = 52.5**2 / (3 * 956.25)
"""Of 15, 22.5 and 15."""


def test_a_words_state_is_the_mean_over_its_tokens() -> None:
    (found,) = embedding_variations(Table(), [Pair(GOOD, BAD)])
    # "good" is (3, 4) and (6, 8), so (4.5, 6), and "bad" zero; above, all also move with the sum, by (9, 12).
    np.testing.assert_allclose(found.norms, [[0, 7.5, 0], [15, 22.5, 15]])
    assert found.words == ("a", "good → bad", "film")
    assert found.changed == (False, True, False)
    assert found.spread == pytest.approx([1 / 3, SHARE_ABOVE])


def test_words_without_a_counterpart_and_unread_ones_are_left_open() -> None:
    inserted, unread = embedding_variations(
        Table(), [Pair(Text.of("a film"), GOOD), Pair(Text.of("a a a a film"), Text.of("bad a a a film"))]
    )
    assert inserted.words == ("a", "– → good", "film")
    np.testing.assert_allclose(inserted.norms[0], [0, np.nan, 0])
    np.testing.assert_allclose(unread.norms[0], [1, 0, 0, 0, np.nan])
    assert unread.spread[0] == pytest.approx(1 / 4)


def test_many_pairs_come_back_in_their_order() -> None:
    pairs = [Pair(GOOD, GOOD.replace(number % 3, "bad")) for number in range(80)]
    for number, found in enumerate(embedding_variations(Table(), pairs)):
        assert found.changed.index(True) == number % 3


def test_the_states_are_those_of_the_model(tmp_path: Path) -> None:
    folder = save_bert(tmp_path / "bert")
    pair = Pair(Text.of("the plot is good"), Text.of("the film is good"))
    model, tokenizer = AutoModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    with torch.no_grad():
        before, after = (
            torch.cat(model(**tokenizer(str(text), return_tensors="pt"), output_hidden_states=True).hidden_states)
            for text in pair
        )
    (found,) = embedding_variations(Transformer(str(folder), device="cpu"), [pair])
    assert before.shape[1] == 6  # each word is a token, between two that are none
    np.testing.assert_allclose(found.norms, (after - before).norm(dim=2)[:, 1:-1].numpy(), atol=1e-4)


@pytest.mark.parametrize(("norms", "share"), [((2, 2, 2, 2), 1), ((0, 3, 0, 0), 1 / 4), ((1, 3), 16 / 20)])
def test_the_share_of_words_moved(norms: tuple[float, ...], share: float) -> None:
    assert share_moved(np.array([*norms, np.nan], dtype=np.float64)) == pytest.approx(share)


def test_where_nothing_moved_there_is_no_share() -> None:
    assert math.isnan(share_moved(np.zeros(3)))


def test_the_spread_of_a_run_is_the_mean_over_its_successes() -> None:
    outcomes = [outcome("a good film", "a bad film"), outcome("a film", "bad film")]
    below, above = spread_by_layer(Table(), outcomes)
    assert below.n == above.n == 2
    assert below.value == pytest.approx((1 / 3 + 1 / 2) / 2)
    # In the second, "a" is (1, 0) and the sum moves as far: 2 and 1.
    assert above.value == pytest.approx((SHARE_ABOVE + 9 / 10) / 2)


@pytest.mark.filterwarnings("error")
def test_a_layer_in_which_nothing_moved_has_no_share() -> None:
    """An inserted word has no counterpart, and at the input the others stay as they are."""
    below, above = spread_by_layer(Table(), [outcome("a film", "a good film")])
    assert (below.n, above.n) == (0, 1)
    assert math.isnan(below.value)
    drawn = embedding_variation_figure(embedding_variations(Table(), [Pair(Text.of("a film"), GOOD)]))
    assert "from the input up: –, 100%" in drawn.caption


def test_relative_variation_of_the_sentence() -> None:
    found = relative_variation(Table(), [outcome("a good film", "a bad film"), outcome("a film", "bad film")])
    # (4, 6) became (1, 2); (1, 2) became (0, 2).
    assert found.values == pytest.approx((5 / math.sqrt(52), 1 / math.sqrt(5)))
    row = found.to_row()
    assert row["Re"] == pytest.approx((5 / math.sqrt(52) + 1 / math.sqrt(5)) / 2, abs=1e-4)
    assert row["low"] <= row["Re"] <= row["high"]
    assert row["texts"] == 2
    assert row["paper"] == 0.56, "a twin of BERT is BERT"


@pytest.mark.parametrize("reading", ["sentence", "words"])
def test_a_text_that_is_zero_to_the_victim_has_no_relative_variation(reading: Literal["sentence", "words"]) -> None:
    unknown, known = outcome("bad bad", "bad good"), outcome("a good film", "a bad film")
    assert relative_variation(Table(), [unknown, known], reading) == relative_variation(Table(), [known], reading)
    with pytest.raises(UserError, match="knows nothing in the texts that fooled it"):
        relative_variation(Table(), [unknown], reading)


def test_relative_variation_of_the_words() -> None:
    found = relative_variation(Table(), [outcome("a good film", "a bad film")], "words")
    norms_before = (11**2 + 18**2) + (14.5**2 + 24**2) + (10**2 + 21**2)
    assert found.values == pytest.approx((math.sqrt(956.25 / norms_before),))
    assert found.to_row()["low"] is None, "one value has no interval"


def test_a_victim_the_paper_does_not_have_stands_alone() -> None:
    class Other(Table):
        def __repr__(self) -> str:
            return "hf:mine"

    assert relative_variation(Other(), [outcome("a good film", "a bad film")]).to_row()["paper"] is None


@pytest.mark.parametrize("reading", ["sentence", "words"])
def test_a_victim_that_cannot_be_looked_into_is_named(reading: str) -> None:
    told = [outcome("a good film", "a bad film")]
    with pytest.raises(UserError, match=r"which BagOfWords\(2\) does not show; use a neural victim"):
        relative_variation(BagOfWords(), told, reading)  # type: ignore[arg-type]
    with pytest.raises(UserError, match="hidden states"):
        spread_by_layer(BagOfWords(), told)


def test_an_unknown_reading_is_refused() -> None:
    with pytest.raises(UserError, match="did you mean 'words'"):
        relative_variation(Table(), [outcome("a good film", "a bad film")], "word")  # type: ignore[arg-type]


def test_the_figures_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="draws, which needs unfool[report]")
    heat = embedding_variation_figure(embedding_variations(Table(), [Pair(GOOD, BAD)]))
    assert [row["norm"] for row in heat.rows] == [0, 7.5, 0, 15, 22.5, 15]
    drawn = write_svg(heat, tmp_path).read_text(encoding="utf-8")
    assert ">good → bad<" in drawn
    assert ">input<" in drawn
    assert drawn.count('stroke="#d2222d"') == 1
    strokes = relative_variation_figure([relative_variation(Table(), [outcome("a good film", "a bad film")])])
    assert [row["kind"] for row in strokes.rows] == ["one text", "mean, 95 % interval", "mean in the paper"]
    assert "paper: 0.56" in strokes.caption
    assert ">BERT@yelp_polarity#1<" in write_svg(strokes, tmp_path).read_text(encoding="utf-8")


def test_nothing_cannot_be_drawn() -> None:
    for draw in (embedding_variation_figure, relative_variation_figure):
        with pytest.raises(UserError, match="nothing to draw"):
            draw([])
