"""The numbers about attacks are those of the kept results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from docs.generator import field

ROOT = Path(__file__).parents[2]


def kept(name: str) -> Any:
    return json.loads((ROOT / "results" / f"{name}.json").read_bytes())


def said(page: str) -> str:
    return " ".join((ROOT / "docs" / f"{page}.md").read_text("utf-8").split())


def test_how_weak_the_stand_in_for_a_masked_language_model_is_stands_on_the_page() -> None:
    found = kept("masked-model")
    page = said("attacks")
    assert f"trained on {found['settings']['texts']:,} film reviews" in page
    first, ten = (100 * found[f"top_{most}_accuracy"] for most in (1, 10))
    assert f"its perplexity is {found['held_out_perplexity']}, and the hidden token is the likeliest" in page
    assert f"at {first:.1f} % of the places and among the ten likeliest at {ten:.1f} %" in page


def test_attacks_beside_textattacks_recipes_are_those_of_the_kept_results() -> None:
    whole = field.PAGE.read_text("utf-8")
    assert field.rendered(whole, field.pairs()) == whole
    page = said("benchmarks")
    rows = {(ours["victim"], ours["attack"]): (ours, theirs) for ours, theirs in field.pairs()}
    assert {ours["date"] for ours, _ in rows.values()} == {"2026-11-19"}
    net = {attack: pair for (victim, attack), pair in rows.items() if victim == "word CNN"}
    times = {attack: ours["times TextAttack"] for attack, (ours, _) in net.items()}
    short = [
        attack for (_, attack), (ours, _) in rows.items() if ours["times TextAttack"] < (field.floor(ours) or 0)
    ]
    assert short == ["deepwordbug"]
    assert f"`deepwordbug` misses its floor of 8 ×**: {times['deepwordbug']}." in page
    assert f"`checklist`, {times['checklist']} ×, is little else" in page
    ours, theirs = net["iga"]
    assert f"{ours['success %']} % for {theirs['success %']} % on {ours['attacked by both']} sentences" in page
    assert f"changes {theirs['words changed %']} % of the words, ours {ours['words changed %']} %" in page
    apart = [abs(a["success %"] - b["success %"]) for attack, (a, b) in net.items() if attack not in ("iga", "bae")]
    assert f"The others on the CNN agree within {max(apart):.1f} points" in page
    ours, theirs = rows["MiniLM", "deepwordbug"]
    fallen = [round(each["success %"] * each["attacked by both"] / 100) for each in (ours, theirs)]
    assert f"`deepwordbug` is {ours['times TextAttack']:g} times as fast" in page
    assert f"success is {fallen[0]} and {fallen[1]} of {ours['attacked by both']} sentences" in page
    assert not {"textbugger", "clare", "a2t"} & {attack for _, attack in rows}
    ours, theirs = net["bae"]
    fallen = [round(each["success %"] * each["attacked by both"] / 100) for each in (ours, theirs)]
    assert (
        f"on {ours['attacked by both']} sentences, of which ours fools {fallen[0]} and theirs {fallen[1]}" in page
    )
    assert f"Ours asks {ours['queries']} texts a sentence, theirs {theirs['queries']}" in page
    ours, theirs = net["input-reduction"]
    assert f"leaves {theirs['words left']} words; ours ranks anew" in page
    assert f"after each deletion and leaves {ours['words left']}." in page
    assert round(ours["queries"] / theirs["queries"]) == 7
    assert f"It asks seven times as much, and is {times['input-reduction']} times as fast" in page
