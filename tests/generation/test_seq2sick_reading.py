"""seq2sick beside a reading of its paper that shares no line with it: its steps, and each word's group lasso."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("sentencepiece")

from tests.toy_translators import save_marian

from unfool import attack
from unfool.generation import Generator, open_generator
from unfool.options import Options

SOURCE = "the film is it of a film"
STEPS = 25


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Generator:
    folder = save_marian(tmp_path_factory.mktemp("toy") / "marian")
    return open_generator(f"hf-seq2seq:{folder}#most=12", Options(device="cpu", dtype="fp32"))


def reading(model: Any, wanted: str, rate: float, lasso: float) -> list[str]:
    """The texts that Seq2Sick comes to, one after the other (Cheng et al., 2018, algorithm 1)."""
    spelt = model.spell_words()
    words, table = list(spelt.values()), model.table.detach().numpy()[list(spelt)].astype(np.float64)
    unit = np.mean([np.linalg.norm(vector - table.mean(0)) for vector in table])
    begin = np.array([table[words.index(word)] for word in SOURCE.split()])
    moved, found = np.zeros_like(begin), [SOURCE]

    def slope(text: str) -> Any:
        (told,) = model.slopes([text], [""], [wanted])
        rows, ends = [], np.cumsum([len(word) + 1 for word in text.split()])
        for end, word in zip(ends, text.split(), strict=True):
            inside = [
                number
                for number, (a, b) in enumerate(model.places(text))
                if a < b and a < end - 1 and b > end - 1 - len(word)
            ]
            rows.append(told.gradient[inside].sum(0))
        return np.array(rows)

    steep = slope(SOURCE)
    for _ in range(STEPS):
        moved = moved - rate * unit * steep / max(np.linalg.norm(row) for row in steep)
        # The proximal operator of the sum of the words' lengths.
        for row in moved:
            length = np.linalg.norm(row)
            row *= 0 if length <= lasso * unit else (length - lasso * unit) / length
        near = [int(np.argmin(np.linalg.norm(table - point, axis=1))) for point in begin + moved]
        text = " ".join(words[number] for number in near)
        if text not in found:
            found.append(text)
            steep = slope(text)
    return found


@pytest.mark.parametrize(("rate", "lasso"), [(0.3, 0.1), (0.5, 0.0), (0.5, 0.3)])
def test_each_step_is_that_of_the_paper(model: Any, rate: float, lasso: float, tmp_path: Path) -> None:
    wanted = reading(model, "tiger", rate, lasso)
    looked: list[str] = []
    plain = model.slopes

    def noted(sources: Any, *more: Any) -> Any:
        looked.extend(sources)
        return plain(sources, *more)

    model.slopes = noted
    try:
        how = f"seq2sick:steps={STEPS},rate={rate},lasso={lasso}"
        attack(model, [SOURCE], how, goal="keyword=tiger", out=tmp_path / "run", progress=False)
    finally:
        del model.slopes
    assert looked == wanted
    assert len(wanted) > 2


def test_lasso_keeps_words_where_they_stood(model: Any) -> None:
    def most(lasso: float) -> int:
        return max(
            sum(a != b for a, b in zip(text.split(), SOURCE.split(), strict=True))
            for text in reading(model, "tiger", 0.5, lasso)
        )

    assert most(0.45) < most(0.0)
