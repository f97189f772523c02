"""Base rates between twins, and victims that answer about some texts only; the nets are toys."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.end_to_end.command import REVIEWS
from tests.transfer import crowd

from unfool.engine import Predictor
from unfool.report import heat_map
from unfool.transfer import Study, analyse, short_name, study, summary
from unfool.victims import Options, callable_victim
from unfool.zoo.victim_names import slow_first, spell_out

pytestmark = pytest.mark.usefixtures("wordnet")

NAMES = [f"zoo:{model}@tiny" for model in ("LSTM-W-Random-1", "CNN-W-Random-1", "CNN-C-Random-1")]
COMMON: dict[str, Any] = {"data": str(REVIEWS), "attack": "greedy-synonym", "n": 30, "progress": False}
Toy = Callable[[Sequence[str]], list[list[float]]]


def toy(name: str) -> Toy:
    return crowd.classifier(zlib.crc32(name.encode()))


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []

    def opening(name: str, options: Options) -> Predictor:
        names.append(name)
        return callable_victim(toy(name), crowd.labels)

    for place in ("transfer._jobs", "victims._given"):
        monkeypatch.setattr(f"unfool.{place}.open_victim", opening)
    return names


def test_the_diagonal_holds_the_rates_between_twins(opened: list[str], tmp_path: Path) -> None:
    made = study(NAMES, out=tmp_path / "s", twins=True, **COMMON)
    assert not made.problems
    twins = [f"{name}#1" for name in NAMES]
    assert sorted(opened) == sorted([*NAMES, *NAMES, *twins])
    matrix = made.matrix()
    for place, (name, twin) in enumerate(zip(NAMES, twins, strict=True)):
        assert list(made.places.column(twin).cells()) == [name]
        rate, _ = made.places.column(twin).cells()[name].rates
        assert matrix.rates[place, place] == matrix.base[place] == rate.value
        assert summary(made).models[place].base == made.rate(name, name)
    impacts = analyse(matrix).impacts
    assert impacts["architecture"].pairs == 2
    assert impacts["architecture"].mean == pytest.approx(
        np.mean([abs(matrix.rates[0, 1] - matrix.base[1]), abs(matrix.rates[1, 0] - matrix.base[0])])
    )
    assert impacts["input form"].pairs == 2
    assert heat_map(matrix).count(" → ") == 9


def test_a_text_without_an_answer_costs_its_cell_until_it_is_resumed(
    opened: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = study(NAMES, out=tmp_path / "whole", **COMMON)
    stumbles = {next(iter(_texts(whole, NAMES[0])))}

    def stumbling(name: str, options: Options) -> Predictor:
        answer = toy(name)

        def stumble(texts: Sequence[str]) -> list[list[float]]:
            if name == NAMES[2] and stumbles & set(texts):
                raise TimeoutError("too slow")
            return answer(texts)

        return callable_victim(stumble, crowd.labels)

    for place in ("transfer._jobs", "victims._given"):
        monkeypatch.setattr(f"unfool.{place}.open_victim", stumbling)
    made = study(NAMES, out=tmp_path / "s", **COMMON)
    assert list(made.problems) == [NAMES[2]]
    assert "too slow" in made.problems[NAMES[2]]
    assert made.rate(NAMES[0], NAMES[2]) is None
    assert made.rate(NAMES[1], NAMES[2])
    stumbles.clear()
    assert not study(NAMES, out=tmp_path / "s", resume=True, **COMMON).problems
    assert (tmp_path / "s" / "matrix.json").read_bytes() == whole.places.matrix.read_bytes()


def _texts(made: Study, source: str) -> set[str]:
    """Texts that fool one source and no other was made of."""
    others = {
        text
        for name in made.victims
        if name != source
        for outcome in made.run(name).outcomes()
        for text in (*outcome.original, *outcome.perturbed)
    }
    return {outcome.perturbed[0] for outcome in made.run(source).outcomes() if outcome.status == "success"} - others


def test_patterns_stand_for_models_of_the_zoo() -> None:
    assert spell_out(["zoo:CNN-W-GloVe-*@d", "hf:./x", "zoo:CNN-W-GloVe-1@d"]) == [
        *(f"zoo:CNN-W-GloVe-{layers}@d" for layers in (1, 2, 4, 6)),
        "hf:./x",
    ]
    assert len(spell_out(["zoo63@d"])) == 63
    ensemble = "ensemble-logits:zoo:LSTM-W-GloVe-1@d+zoo:BERT@d"
    assert spell_out([ensemble]) == [ensemble]


def test_the_slow_are_started_first() -> None:
    names = spell_out(["zoo:CNN-W-Random-1@d", "zoo:CNN-W-Random-6@d", "zoo:LSTM-C-Random-1@d", "zoo:BERT@d"])
    assert slow_first(names) == [names[3], names[2], names[1], names[0]]


def test_ensembles_are_told_apart_by_their_members() -> None:
    tail = "+zoo:CNN-W-GloVe-1@rotten_tomatoes"
    names = [f"ensemble-logits:zoo:{first}@rotten_tomatoes{tail}" for first in ("BERT", "CNN-C-Random-1")]
    assert [short_name(name) for name in names] == ["BERT+CNN-W-GloVe-1", "CNN-C-Random-1+CNN-W-GloVe-1"]
