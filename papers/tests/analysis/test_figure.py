from __future__ import annotations

from pathlib import Path

import pytest

from unfool_papers.analysis import Figure, write_svg


def test_a_figure_is_drawn_with_its_data(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="draws, which needs unfool[report]")
    bars = {"mark": "bar", "encoding": {"x": {"field": "word"}, "y": {"field": "times", "type": "quantitative"}}}
    figure = Figure("words", "Words", "One bar.", [{"word": "good", "times": 3}], bars)
    drawn = write_svg(figure, tmp_path).read_text(encoding="utf-8")
    assert drawn.startswith("<svg")
    assert "good" in drawn
    assert "Words" in drawn
