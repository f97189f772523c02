"""Figure 8 of the CS229 report is drawn of the rows alone."""

from __future__ import annotations

from unfool_papers.cs229.accuracies import accuracies


def row(attack: str, victim: str, clean: float, left: float) -> dict[str, object]:
    return {
        "attack": attack,
        "victim": f"zoo:{victim}@imdb",
        "n": 1000,
        "clean accuracy %": clean,
        "accuracy under attack %": left,
    }


def test_what_is_right_before_an_attack_stands_once_beside_what_is_left() -> None:
    records = [
        row("tack-on", "NB", 80.4, 69.4),
        row("jsma", "NB", 80.4, 0.0),
        row("tack-on", "LSTM:read=mean", 85, 80),
    ]
    figure = accuracies(records, "NB", {"clean": 82.24, "jsma": 39.86})
    assert [(bar["panel"], bar["name"], bar["ours"], bar["paper"]) for bar in figure.rows] == [
        ("clean", "NB", 80.4, 82.24),
        ("clean", "LSTM:read=mean", 85, None),
        ("tack-on", "NB", 69.4, None),
        ("tack-on", "LSTM:read=mean", 80, None),
        ("jsma", "NB", 0.0, 39.86),
    ]
    assert all(bar["low"] - 1e-9 <= bar["ours"] <= bar["high"] for bar in figure.rows)
