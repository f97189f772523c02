"""How many words matter, and what is claimed of it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from unfool_papers.study.kept import Kept
from unfool_papers.study.plan import Work
from unfool_papers.transferability.spread import Spread, spread_part, words_that_matter

ASKED = Spread(("BERT", "CNN-W-GloVe-1"), "films", 20)


@pytest.mark.parametrize(
    ("importance", "words"),
    [([1, 0, 0, 0], 1), ([1, -1, 1, -1], 4), ([2, 2, 0, 0], 2), ([0.5, 0.25, 0.25], 2**1.5)],
)
def test_words_that_matter_equally_are_as_many_as_they_are(importance: list[float], words: float) -> None:
    assert words_that_matter(np.array(importance, dtype=np.float64)) == pytest.approx(words)


def work(folder: Path) -> Work:
    return Work(folder / "out", "cpu", 1, print, ends=0.0, kept=Kept(folder))


@pytest.mark.parametrize(("bert", "verdict"), [(60.0, "holds"), (51.0, "cannot be told"), (40.0, "does not hold")])
def test_berts_spread_more_where_the_intervals_say_so(tmp_path: Path, bert: float, verdict: str) -> None:
    models = {
        name: {"texts": 20, "words %": value, "interval": [value - 2, value + 2]}
        for name, value in zip(ASKED.models, (bert, 50.0), strict=True)
    }
    (tmp_path / "spread-films.json").write_text(json.dumps({"data": "films", "n": 20, "models": models}))
    (claim,) = spread_part(ASKED).do(work(tmp_path)).claims
    assert claim["verdict"] == verdict


def test_what_was_not_kept_is_named_with_its_command(tmp_path: Path) -> None:
    ((_, why),) = spread_part(ASKED).do(work(tmp_path)).problems.items()
    assert "scripts.spread --data 'films' --models BERT CNN-W-GloVe-1 --n 20" in why
