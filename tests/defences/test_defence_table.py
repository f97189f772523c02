"""The table: defences around every kind of net are victims like others for attacks with and without gradients."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.attacks.test_table import ODD, PLAIN, assert_promises, make_samples
from tests.toys import outcomes

from unfool.attacks import find_attack
from unfool.defences import Five, FiveSettings, Fuse, FuseSettings
from unfool.engine import Budget, Predictor
from unfool.victims import MeanOfDraws, WhiteBoxVictim, require

SMALL = FuseSettings(words=2, alternatives=3)
DEFENCES: dict[str, Callable[[WhiteBoxVictim], Predictor]] = {
    "five": lambda net: Five(net, FiveSettings(samples=3, std=0.5)),
    "five majority": lambda net: Five(net, FiveSettings(samples=4, tokens=3, vote="majority")),
    "five mask": lambda net: Five(net, FiveSettings(samples=3, arm="mask", vote="probabilities")),
    "fuse": lambda net: Fuse(net, SMALL),
    "fuse majority": lambda net: Fuse(net, FuseSettings(words=1, alternatives=4, vote="majority")),
    "fuse around five": lambda net: Fuse(Five(net, FiveSettings(samples=2)), SMALL),
    "five averaged": lambda net: MeanOfDraws(Five(net, FiveSettings(samples=2)), 2),
}
ATTACKS = ["greedy-synonym", "jsma:most=3"]
"""One that only asks, and one that follows gradients."""
NETS = ["transformer", "lstm", "cnn", "characters", "pairs"]
FEW = Budget(queries=60, words=0.4)
"""Each query asks a net many times over."""


@pytest.mark.usefixtures("lexicons")
@pytest.mark.parametrize("net", NETS)
@pytest.mark.parametrize("kind", DEFENCES)
@pytest.mark.parametrize("spec", ATTACKS)
def test_every_defence_keeps_what_victims_promise(
    spec: str, kind: str, net: str, nets: dict[str, WhiteBoxVictim]
) -> None:
    victim, attack = DEFENCES[kind](nets[net]), find_attack(spec)
    if spec.startswith("jsma") and net == "characters":
        pytest.skip("a net of characters has no words in its table")
    require(victim, attack.needs, attack.name)
    samples = make_samples(victim, "pair" if net == "pairs" else "single")
    assert len(samples) == len(PLAIN) + len(ODD)
    found = outcomes(victim, samples, attack, budget=FEW, seed=5, width=7)
    for sample, outcome in zip(samples, found, strict=True):
        if kind == "five averaged":
            assert outcome.queries % 2 == 0
        assert_promises(victim, sample, outcome, FEW)
    assert found == outcomes(victim, samples[::-1], attack, budget=FEW, seed=5, width=512)


@pytest.mark.usefixtures("lexicons")
def test_letters_can_be_flipped_behind_a_defence(nets: dict[str, WhiteBoxVictim]) -> None:
    for kind in ("five", "fuse", "five averaged"):
        victim, attack = DEFENCES[kind](nets["characters"]), find_attack("hotflip:width=1,budget=0.3")
        require(victim, attack.needs, attack.name)
        samples = make_samples(victim, "single")[:4]
        found = outcomes(victim, samples, attack, budget=FEW)
        assert any(outcome.words_changed for outcome in found)
        for sample, outcome in zip(samples, found, strict=True):
            assert_promises(victim, sample, outcome, FEW)
