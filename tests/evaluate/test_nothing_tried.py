"""An attack that proposes nothing makes no victim robust."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.end_to_end.command import VADER, fetch_or_skip

from unfool.cli._evaluate import _print
from unfool.data import from_texts
from unfool.defences.evaluate import evaluate


def test_an_attack_that_proposes_nothing_is_no_sign_of_robustness(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fetch_or_skip("wordnet")
    data = from_texts(
        [":) the and of which", ":) to the of a"], ["positive", "positive"], names=["negative", "positive"]
    )
    found = evaluate(VADER, data, ["pwws"], out=tmp_path / "e", progress=False)
    assert any(one.startswith("victim: pwws proposed no change for 2 of 2 texts") for one in found.warnings)
    assert not found.attacks[0].victim.telling
    assert found.to_json()["attacks"][0]["victim"]["accuracy_under_attack"]["value"] is None
    _print(found)
    printed = capsys.readouterr().out
    (under,) = (line for line in printed.splitlines() if line.startswith("pwws: under attack"))
    assert under.split() == ["pwws:", "under", "attack", "–"]
    assert printed.index("warning: victim: pwws proposed") < printed.index("pwws: under attack")
