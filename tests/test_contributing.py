"""The attack that CONTRIBUTING.md teaches works as it stands there."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

from unfool.attacks import Attack
from unfool.engine import Outcome, Status, attack_samples
from unfool.text import Sample, Text
from unfool.victims import callable_victim

GUIDE = Path(__file__).parents[1] / "CONTRIBUTING.md"


def likes_great(texts: list[str]) -> list[list[float]]:
    return [[0.1, 0.9] if "great" in text else [0.8, 0.2] for text in texts]


def taught_attack() -> Attack:
    (code,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    module = ModuleType("swap_letters")
    exec(compile(code, str(GUIDE), "exec"), module.__dict__)
    found: Attack = module.swap_letters
    return found


def outcome_of(attack: Attack, text: str) -> Outcome:
    victim = callable_victim(likes_great, ["negative", "positive"])
    ((outcome,),) = attack_samples(victim, [Sample(0, Text.of(text), 1)], attack)
    assert isinstance(outcome, Outcome)
    return outcome


def test_the_taught_attack_swaps_what_matters_and_nothing_else() -> None:
    attack = taught_attack()
    assert repr(attack) == "swap-letters:shortest=4"
    outcome = outcome_of(attack, "A very great film.")
    assert outcome.status is Status.SUCCESS
    assert outcome.perturbed == ("A very gerat film.",)


def test_its_setting_is_read() -> None:
    outcome = outcome_of(taught_attack().with_settings(shortest=6), "A very great film.")
    assert outcome.status is Status.FAILED
    assert outcome.reason == "no change proposed"
