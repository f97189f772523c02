"""The page that sets attacks side by side says what its results say."""

from __future__ import annotations

import json

from docs.generator import compared, searches

PAGE = compared.PAGE.read_text("utf-8")
SAID = " ".join(PAGE.split())
SEARCHES = json.loads(searches.KEPT.read_text("utf-8"))
KEPT = json.loads(compared.KEPT.read_text("utf-8"))
VICTIMS = {each["victim"]: each for each in KEPT["victims"]}
ATTACKS = {name: {row["attack"]: row for row in each["attacks"]} for name, each in VICTIMS.items()}
BOTH = ("word CNN", "VADER")


def fooled(victim: str, attack: str) -> float:
    """Percentage that an attack fools."""
    return round(100 * float(ATTACKS[victim][attack]["success"]["value"]), 1)


def test_the_attacks_are_those_of_the_kept_results() -> None:
    assert compared.rendered(PAGE, KEPT) == PAGE
    assert (compared.PAGE.parent / "images" / "attacks-compared.svg").exists()
    assert not any(row["errors"] for rows in ATTACKS.values() for row in rows.values())


def test_what_is_said_of_attacks_follows_from_them() -> None:
    net, rules = (ATTACKS[name] for name in BOTH)
    kept, stands = (VICTIMS[name]["worst"]["accuracy"] for name in BOTH)
    hard, swarm = ([fooled(name, attack) for name in BOTH] for attack in ("hard-label", "pso"))
    out = {attack: [each[attack]["out of queries"] for each in (net, rules)] for attack in ("beam", "pso", "pwws")}
    most = [rules[attack]["out of queries"] for attack in ("clare", "pruthi")]
    phrases = (
        f"the CNN keeps {kept['count']} of {kept['of']} sentences under all that were run, VADER {stands['count']}",
        f"fool all {net['jsma']['success']['of']} sentences that the CNN has right",
        f"leads with {fooled('VADER', 'textfooler')} %",
        f"`encodings` fools {fooled('VADER', 'encodings')} %",
        f"`deepwordbug` fools {fooled('word CNN', 'deepwordbug')} % of the CNN's sentences",
        f"at a median of {net['deepwordbug']['queries']:.0f} queries, and {fooled('VADER', 'deepwordbug')} %",
        f"fools {hard[0]} % and {hard[1]} %. `pso` sees them and fools {swarm[0]} % and {swarm[1]} %",
        f"`textfooler` is near the top on both: it fools {fooled('word CNN', 'textfooler')} % on the CNN",
        f"`charmer` changes {net['charmer']['characters']:.1f} % of the characters",
        f"stays at a similarity of {net['charmer']['similarity']:.2f}; `textfooler` changes",
        f"{net['textfooler']['characters']:.1f} % and stays at {net['textfooler']['similarity']:.2f}",
        f"on {out['beam'][0]} and {out['beam'][1]} sentences, `pso` on {out['pso'][0]} and {out['pso'][1]}, `pwws`",
        f"`clare` runs out on {most[0]} and `pruthi` on {most[1]}.",
    )
    assert [each for each in phrases if each not in SAID] == []
    everyone = sorted(name for name, row in net.items() if row["success"]["value"] == 1)
    assert everyone == ["charmer", "encodings", "jsma", "triggers"]
    ranked = sorted(rules, key=lambda name: -fooled("VADER", name))
    least = rules["textfooler"]["success"]["low"]
    assert ranked[0] == "textfooler"
    assert [rules[name]["success"]["high"] > least for name in ranked[1:5]] == [True, True, True, False]
    assert out["pwws"] == [0, 0]
    few = VICTIMS["MiniLM"]
    assert f"it got {few['sentences']} sentences and {few['queries']} queries each" in SAID
    rate = ATTACKS["MiniLM"]["gs-gr"]["success"]
    value, low, high = (100 * rate[each] for each in ("value", "low", "high"))
    assert f"({value:.0f} % of {rate['of']} may be {low:.0f} to {high:.0f} %)" in SAID
    assert not {"bert-attack", "bae", "clare", "gs-ec"} & set(net)
    assert not {"clare", "triggers", "gs-ec", "asmin-ec", "asmax-ec"} & set(ATTACKS["MiniLM"])
    unasked = {name for name, row in net.items() if row["queries of all"] == 0 and row["success"]["count"]}
    assert unasked == {"triggers", "strongest-swap", "tack-on", "noise"}


def success(space: str, search: str, most: int) -> float:
    """Percentage that a search fools within so many queries."""
    (row,) = (each for each in SEARCHES["rows"] if each["space"] == space and each["search"].startswith(search))
    return round(100 * float(row["within"][str(most)] / row["attacked"]), 1)


def test_the_searches_are_those_of_the_kept_results() -> None:
    assert searches.rendered(PAGE, SEARCHES["rows"]) == PAGE
    assert (compared.PAGE.parent / "images" / "searches-compared.svg").exists()


def test_what_is_said_of_searches_follows_from_them() -> None:
    synonyms = [row for row in SEARCHES["rows"] if row["space"] == "synonyms"]
    assert {(row["attacked"], SEARCHES["sentences"]) for row in SEARCHES["rows"]} == {(154, 200)}
    others = [row for row in synonyms if row["search"] != "greedy-synonym"]
    best = max(success("synonyms", row["search"], 50) for row in others)
    fooled = success("synonyms", "greedy", 50)
    assert f"fools {fooled} % within 50 queries, where no other search fools more than {best} %" in SAID
    changed = [row["words changed %"] for row in others]
    most = synonyms[-1]["words changed %"]
    assert f"{most} % of them change, where the others change {min(changed)} to {max(changed)}" in SAID
    one, four, eight = (success("synonyms", f"beam:space=synonyms,width={width}", 1000) for width in (1, 4, 8))
    assert f"{one} % of the synonyms' sentences at width 1, {four} % at width 4 and {eight} % at width 8" in SAID
    for space in ("synonyms", "neighbours"):
        rows = {row["search"]: row["within"] for row in SEARCHES["rows"] if row["space"] == space}
        assert rows[f"best-first:space={space}"] == rows[f"beam:space={space},width=1"]
    early = [success("neighbours", name, 250) for name in ("pso", "beam:space=neighbours,width=1")]
    assert f"up to 250 queries, with {early[0]} % beside {early[1]} %." in SAID
    greedy, swarm = (success("neighbours", name, 1000) for name in ("beam:space=neighbours,width=1", "pso"))
    late = success("neighbours", "pso", 5000)
    assert f"take `beam:width=1` to {greedy} % and `pso` to {swarm} %; 5,000 take `pso` to {late} %" in SAID
