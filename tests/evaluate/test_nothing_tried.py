"""An attack that proposes nothing makes no victim robust."""

from __future__ import annotations

from pathlib import Path

from tests.end_to_end.command import VADER, fetch_or_skip, unfool

from unfool.defences.evaluate import Evaluation


def test_an_attack_that_proposes_nothing_is_no_sign_of_robustness(tmp_path: Path) -> None:
    fetch_or_skip("wordnet")
    (tmp_path / "data.csv").write_text("text,label\n:) the and of which,positive\n:) to the of a,positive\n")
    said = unfool(
        "evaluate", "--victim", VADER, "--data", "data.csv", "--labels", "negative,positive", "--attack", "pwws",
        "--out", "e", "--quiet", cwd=tmp_path,
    )  # fmt: skip
    assert (said.code, said.err) == (0, "")
    found = Evaluation.open(tmp_path / "e")
    assert any(one.startswith("victim: pwws proposed no change for 2 of 2 texts") for one in found.warnings)
    assert not found.attacks[0].victim.telling
    assert found.to_json()["attacks"][0]["victim"]["accuracy_under_attack"]["value"] is None
    (under,) = (line for line in said.out.splitlines() if line.startswith("pwws: under attack"))
    assert under.split() == ["pwws:", "under", "attack", "–"]
    assert said.out.index("warning: victim: pwws proposed") < said.out.index("pwws: under attack")
