"""An attack by name, with settings, and back."""

from __future__ import annotations

from typing import Any

import pytest
from tests.toys import BagOfWords, labelled, run

from unfool.attacks import ATTACKS, attack, find_attack
from unfool.engine import Ask
from unfool.errors import UserError
from unfool.text import Sample, Text


@pytest.mark.parametrize(
    ("spec", "settings"),
    [
        ("pwws", {}),
        ("pwws:", {}),
        ("pwws:variant=released", {"variant": "released"}),
        ("pwws: variant = released , same_pos = false", {"variant": "released", "same_pos": False}),
        (
            "textfooler:candidates=7,similarity=0.25,short=none",
            {"candidates": 7, "similarity": 0.25, "short": None},
        ),
        ("textfooler:short=skip,cosine=none", {"short": "skip", "cosine": None}),
        ("random:trials=3", {"trials": 3}),
    ],
)
def test_settings_are_read_by_their_kind(spec: str, settings: dict[str, Any]) -> None:
    found = find_attack(spec)
    assert found.settings == settings
    assert {key: type(value) for key, value in found.settings.items()} == {k: type(v) for k, v in settings.items()}


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("pwvs", r"unknown attack 'pwvs'; did you mean 'pwws'\?"),
        ("", r"unknown attack ''; there is .*pwws"),
        ("zebra", r"unknown attack 'zebra'; there is .*pwws"),
        ("PWWS", r"unknown attack 'PWWS'"),
        ("pwws:varient=paper", r"'pwws' has no setting 'varient'; did you mean 'variant'\?"),
        ("pwws:sample=1", r"no setting 'sample'"),
        ("pwws:variant=relased", r"'pwws' cannot take variant=relased; did you mean 'released'\?"),
        ("pwws:same_pos=yes", r"'pwws' cannot take same_pos=yes; it is true or false"),
        ("pwws:variant", r"cannot read 'variant' in 'pwws:variant'; settings are written key=value"),
        ("textfooler:candidates=many", r"'textfooler' cannot take candidates=many; it takes a whole number"),
        ("textfooler:candidates=1.5", r"it takes a whole number"),
        ("textfooler:similarity=high", r"'textfooler' cannot take similarity=high; it takes a number"),
        ("greedy-synonym:trials=1", r"'greedy-synonym' has no setting 'trials'"),
    ],
)
def test_mistakes_are_one_line_that_helps(spec: str, said: str) -> None:
    with pytest.raises(UserError, match=said) as caught:
        find_attack(spec)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ATTACKS.names())
def test_a_repr_rebuilds_its_attack(name: str) -> None:
    found = find_attack(name)
    again = find_attack(repr(found))
    assert repr(again) == repr(found)
    assert again.settings == found.defaults()
    assert found.summary.endswith(".")


def test_a_repr_tells_what_was_set() -> None:
    found = find_attack("textfooler:similarity=0.25,short=skip")
    assert "similarity=0.25" in repr(found)
    assert "short=skip" in repr(found)
    assert "cosine=none" in repr(found)
    assert find_attack(repr(found)).settings == {**found.defaults(), **found.settings}


def test_a_coroutine_function_becomes_an_attack() -> None:
    @attack(needs=("gradients",))
    async def my_own(sample: Sample, ask: Ask, *, steps: int = 3) -> Text:
        """Do nothing."""
        return sample.text

    assert (my_own.name, my_own.needs, my_own.summary) == ("my-own", ("gradients",), "Do nothing.")
    assert repr(my_own) == "my-own:steps=3"
    assert repr(my_own.with_settings(steps=5)) == "my-own:steps=5"
    assert repr(my_own) == "my-own:steps=3"


def test_no_trials_are_no_random_attack() -> None:
    with pytest.raises(UserError, match="trials=0"):
        run(BagOfWords(), labelled(BagOfWords(), ["a film"]), find_attack("random:trials=0"))
