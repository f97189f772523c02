from __future__ import annotations

from pathlib import Path

import pytest
from tests.toy_table import Table
from tests.toys import BagOfWords

from unfool.errors import UserError
from unfool.text import Text
from unfool_papers.analysis import attention_figure, attention_shift, write_svg

GOOD, BAD = Text.of("a good film"), Text.of("a bad film")


def weights(words: object) -> list[float]:
    return [word.attention for word in words]  # type: ignore[attr-defined]


def test_a_words_attention_is_the_sum_over_its_tokens() -> None:
    found = attention_shift(Table(), GOOD, BAD)
    # Six tokens weigh 1 to 6 of 21, the first is no word; of the other text, five weigh 1 to 5 of 15.
    assert weights(found.before) == pytest.approx([2 / 21, 7 / 21, 11 / 21], abs=1e-5)
    assert weights(found.after) == pytest.approx([2 / 15, 3 / 15, 9 / 15], abs=1e-5)
    assert found.changed == (False, True, False)
    assert found.moved == pytest.approx((4 / 105 + 14 / 105 + 8 / 105) / 2, abs=1e-5)


def test_another_layer_may_be_looked_at() -> None:
    assert weights(attention_shift(Table(), GOOD, BAD, layer=-1).before) == pytest.approx(
        [5 / 21, 7 / 21, 3 / 21], abs=1e-5
    )
    with pytest.raises(UserError, match="no layer=2"):
        attention_shift(Table(), GOOD, BAD, layer=2)


def test_a_word_that_only_one_text_has_stands_alone() -> None:
    found = attention_shift(Table(), Text.of("a film"), GOOD)
    assert found.before[1] is None
    assert found.after[1] is not None
    assert found.after[1].word == "good"


def test_words_the_victim_does_not_read_have_no_attention() -> None:
    found = attention_shift(Table(), Text.of("a a a a film"), Text.of("bad a a a film"))
    assert found.before[4] is not None
    assert found.before[4].attention is None


def test_the_answers_are_the_victims() -> None:
    victim = Table()
    for text, said in zip((GOOD, BAD), attention_shift(victim, GOOD, BAD).answers, strict=True):
        row = victim.probability_row(text.strings)
        assert said == f"class {row.argmax()} ({row.max():.0%})"


def test_a_victim_that_shows_no_attention_is_named() -> None:
    with pytest.raises(UserError, match=r"attention weights, which BagOfWords\(2\) does not show; use"):
        attention_shift(BagOfWords(), GOOD, BAD)


def test_the_figure_shows_both_texts_and_boxes_the_change(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="draws, which needs unfool[report]")
    victim = Table()
    victim.labels = ("it's", "<b>\\")
    figure = attention_figure([attention_shift(victim, GOOD, BAD)])
    assert [row["word"] for row in figure.rows if row["changed"]] == ["good", "bad"]
    drawn = write_svg(figure, tmp_path).read_text(encoding="utf-8")
    assert all(f">{word}<" in drawn for word in ("good", "bad", "film", "original", "adversarial"))
    assert drawn.count('stroke="#d2222d"') == 2


@pytest.mark.parametrize("spot", [0, 50, 99])
def test_of_a_long_text_the_words_around_the_change_are_shown(spot: int) -> None:
    long = Text.of(" ".join(f"w{number}" for number in range(100)))
    figure = attention_figure([attention_shift(Table(), long, long.replace(spot, "new"))])
    assert "new" in {row["word"] for row in figure.rows}
    assert len({row["place"] for row in figure.rows}) == 32
    assert "32 words" in figure.caption


def test_nothing_cannot_be_drawn() -> None:
    with pytest.raises(UserError, match="at least one"):
        attention_figure([])
