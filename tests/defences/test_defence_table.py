"""The table: defences around every kind of net are victims like others for attacks with and without gradients."""

from __future__ import annotations

import pytest
from tests.attacks.test_table import BUDGET, ODD, PLAIN, assert_promises, make_samples
from tests.toys import outcomes

from unfool.attacks import find_attack
from unfool.defences import Five, FiveSettings, Fuse, FuseSettings, MeanOfDraws
from unfool.engine import Predictor
from unfool.victims import WhiteBoxVictim, require

DEFENCES = [
    "five",
    "five majority",
    "five mask",
    "fuse",
    "fuse majority",
    "fuse around five",
    "five averaged",
]
ATTACKS = ["greedy-synonym", "jsma:most=3"]
"""One that only asks, and one that follows gradients."""
NETS = ["transformer", "lstm", "cnn", "characters", "pairs"]


def defended(kind: str, net: WhiteBoxVictim) -> Predictor:
    small = FuseSettings(words=2, alternatives=3)
    return {
        "five": lambda: Five(net, FiveSettings(samples=3, std=0.5)),
        "five majority": lambda: Five(net, FiveSettings(samples=4, tokens=3, vote="majority")),
        "five mask": lambda: Five(net, FiveSettings(samples=3, arm="mask", vote="probabilities")),
        "fuse": lambda: Fuse(net, small),
        "fuse majority": lambda: Fuse(net, FuseSettings(words=1, alternatives=4, vote="majority")),
        "fuse around five": lambda: Fuse(Five(net, FiveSettings(samples=2)), small),
        "five averaged": lambda: MeanOfDraws(Five(net, FiveSettings(samples=2)), 2),
    }[kind]()


@pytest.mark.usefixtures("lexicons")
@pytest.mark.parametrize("net", NETS)
@pytest.mark.parametrize("kind", DEFENCES)
@pytest.mark.parametrize("spec", ATTACKS)
def test_every_defence_keeps_what_victims_promise(
    spec: str, kind: str, net: str, nets: dict[str, WhiteBoxVictim]
) -> None:
    victim, attack = defended(kind, nets[net]), find_attack(spec)
    if spec.startswith("jsma") and net == "characters":
        pytest.skip("a net of characters has no words in its table")
    require(victim, attack.needs, attack.name)
    samples = make_samples(victim, "pair" if net == "pairs" else "single")
    assert len(samples) == len(PLAIN) + len(ODD)
    found = outcomes(victim, samples, attack, budget=BUDGET, seed=5, width=7)
    for sample, outcome in zip(samples, found, strict=True):
        if kind == "five averaged":
            assert outcome.queries % 2 == 0
        assert_promises(victim, sample, outcome)
    assert found == outcomes(victim, samples[::-1], attack, budget=BUDGET, seed=5, width=512)


@pytest.mark.usefixtures("lexicons")
def test_letters_can_be_flipped_behind_a_defence(nets: dict[str, WhiteBoxVictim]) -> None:
    for kind in ("five", "fuse", "five averaged"):
        victim, attack = defended(kind, nets["characters"]), find_attack("hotflip:width=1,budget=0.3")
        require(victim, attack.needs, attack.name)
        samples = make_samples(victim, "single")[:4]
        found = outcomes(victim, samples, attack, budget=BUDGET)
        assert any(outcome.words_changed for outcome in found)
        for sample, outcome in zip(samples, found, strict=True):
            assert_promises(victim, sample, outcome)
