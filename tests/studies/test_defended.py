"""A table of defences: who is trained, who is asked, what is compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from unfool.errors import UserError
from unfool.studies import _defended as room
from unfool.studies._defended import Arm, DefenceTable, Said, defended
from unfool.studies._plan import Section, Work

TABLE = DefenceTable(
    4,
    "zoo:WordCNN@films",
    "films",
    ("pwws",),
    (
        Arm("base", said=(Said("clean", 84.3),)),
        Arm("FACT", method="fact:words=2"),
        Arm("FIVE on FACT", "five[std=2]:{FACT}"),
        Arm("lost", method="broken"),
        Arm("on the lost", "five:{lost}"),
    ),
    "Table 1",
    (("left by pwws", ("FACT", "base")), ("clean", ("base", "lost"))),
    n=50,
    made_by="textfooler",
    epochs=2,
)
LEFT = {"zoo:WordCNN@films": 2, "zoo:OUT/t/models/fact": 40, "five[std=2]:zoo:OUT/t/models/fact": 30}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What was trained, made and evaluated, in order."""
    done: list[tuple[Any, ...]] = []

    def harden(method: str, victim: str, data: str, out: Path, *, resume: bool, **more: Any) -> None:
        if method == "broken":
            raise UserError("it broke")
        done.append(("harden", method, victim, data, more["epochs"], resume))
        out.mkdir()

    def attack(victim: str, data: str, recipe: str, *, n: int, out: Path, **more: Any) -> None:
        done.append(("attack", victim, recipe, n))
        out.mkdir(parents=True)
        (out / "summary.json").write_text("{}")

    def evaluate(victim: str, data: str, attacks: Any, *, out: Path, premade: Any, **more: Any) -> dict[str, Any]:
        name = victim.replace(str(out.parents[2]), "OUT")
        done.append(("evaluate", name, len(premade)))
        rate = {"count": 80, "of": 100}
        under = {"count": LEFT[name], "of": 50}
        found = {"words_changed": 9.5, "queries_mean": 30.0, "accuracy_under_attack": under, "success_rate": under}
        return {
            "clean": {"victim": {"accuracy": rate}},
            "premade": [{"victim": {"accuracy": {"count": 3, "of": 20}}}],
            "attacks": [{"attack": "pwws:unknown=x", "victim": found}],
            "cost": {"victim": {"seconds": 0.002}},
            "warnings": ["beware"] if name.startswith("five") else [],
        }

    for name, fake in {"harden": harden, "attack": attack, "evaluate": evaluate}.items():
        monkeypatch.setattr(room, name, fake)
    monkeypatch.setattr(room, "premade", lambda run, file: None)
    monkeypatch.setattr(room, "open_victim", lambda name, options: name)
    monkeypatch.setattr("unfool.data.load", lambda name, **more: name)
    return done


def carry_out(out: Path) -> Section:
    return defended(TABLE, "t", Work(out, "cpu", 1, lambda told: None))


def test_arms_are_trained_asked_and_compared(tmp_path: Path, asked: list[tuple[Any, ...]]) -> None:
    found = carry_out(tmp_path)
    assert asked == [
        ("attack", "zoo:WordCNN@films", "textfooler", 50),
        ("evaluate", "zoo:WordCNN@films", 1),
        ("harden", "fact:words=2", "zoo:WordCNN@films", "films", 2, False),
        ("evaluate", "zoo:OUT/t/models/fact", 1),
        ("evaluate", "five[std=2]:zoo:OUT/t/models/fact", 1),
    ]
    (table,) = found.tables
    assert [row[0] for row in table.rows] == ["base", "FACT", "FIVE on FACT"]
    cells = dict(zip(table.columns, table.rows[0], strict=True))
    assert cells["clean, % [paper]"] == "80.0 (71–87, 100) [84.3]"
    assert cells["premade, % [paper]"] == "15.0 (5–36, 20)"
    assert cells["left by pwws, % [paper]"] == "4.0 (1–13, 50)"
    assert cells["queries, pwws"] == "30.0"
    assert cells["ms a query"] == "2"
    (claim,) = found.claims  # nobody can tell about what was lost
    assert (claim["claim"], claim["verdict"]) == ("accuracy under pwws: FACT > base", "holds")
    assert found.notes == [
        "lost: it broke",
        "on the lost: there is no 'lost' to put it around",
        "FIVE on FACT: beware",
    ]


def test_what_is_trained_and_made_is_not_made_again(tmp_path: Path, asked: list[tuple[Any, ...]]) -> None:
    first = carry_out(tmp_path)
    asked.clear()
    assert carry_out(tmp_path) == first
    assert {each[0] for each in asked} == {"evaluate"}


def test_a_stopped_training_goes_on(tmp_path: Path, asked: list[tuple[Any, ...]]) -> None:
    stopped = tmp_path / "t" / "models" / "fact.training"
    stopped.mkdir(parents=True)
    (stopped / "harden.json").write_text("{}")
    carry_out(tmp_path)
    assert ("harden", "fact:words=2", "zoo:WordCNN@films", "films", 2, True) in asked
