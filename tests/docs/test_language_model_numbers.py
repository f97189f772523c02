"""What the pages say of language models follows from the kept measurements."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def kept(part: str) -> Any:
    return json.loads((ROOT / "results" / f"language-models-{part}.json").read_text("utf-8"))


def page(name: str) -> str:
    return " ".join((ROOT / "docs" / name).read_text("utf-8").split())


def test_how_much_faster_texts_are_read_together() -> None:
    found = kept("batches")
    for name in ("prompt", "longer prompt"):
        each = found[name]
        assert each["largest difference of a label's mass"] <= 1e-5
        first, last = each["tokens a prompt"]
        times = each["together is faster than one at a time"]
        told = f"{times:.2f} times as fast as one call a text behind a prompt of {first} to {last} tokens"
        assert told in page("victims.md"), told
    assert found["longer prompt"]["together is faster than one at a time"] >= 5


def test_suffixes_bring_the_loss_below_a_value_in_so_many_steps() -> None:
    told = page("attacks/gcg.md")
    for row in kept("gcg")["rows"]:
        steps = "" if row["steps"] is None else f"{row['steps']:.0f} "
        name = row["attack"].partition(":")[0]
        cells = f"| {row['text']} | `{name}` | {row['loss before']:.2f} | {row['loss after']:.2f} | {steps}| "
        assert f"{cells}{row['queries']} |" in told, cells
    every = kept("gcg")["rows"]
    assert all(row["loss after"] < 0.693 for row in every)
    rows = [row for row in every if row["attack"].startswith("gcg")]
    turned = sum(row["loss after"] < 0.693 for row in rows)
    assert turned == len(rows)
    assert "In 12 steps `gcg` brings the loss below 0.693, where the target becomes the model's answer" in told
    assert f"for {turned} of {len(rows)} reviews" in told
    assert f"Either attack reaches it for {sum(row['loss after'] <= 0.105 for row in every)} of them" in told
    assert all(row["steps"] <= 12 for row in rows)


def test_a_small_model_is_attacked_end_to_end() -> None:
    found = kept("server")
    outside = found["account"].partition("outside all labels ")[2].partition(" of the belief")[0]
    fooled = sum(row["status"] == "success" for row in found["rows"])
    told = f"{fooled} of {len(found['rows'])} attacks succeeded, {outside} of the belief lay outside the labels"
    assert told in page("victims.md"), told
    missing = found["texts without a result"]
    assert sum(missing.values()) + len(found["rows"]) == found["texts"] * len(missing)
    assert "could not be used" not in found["account"]
