"""The page that sets attacks side by side says what its results say."""

from __future__ import annotations

import json

from docs.generator import compared, searches

PAGE = compared.PAGE.read_text("utf-8")
SAID = " ".join(PAGE.split())
SEARCHES = json.loads(searches.KEPT.read_text("utf-8"))


def success(space: str, search: str, most: int) -> float:
    """Percentage that a search fools within so many queries."""
    (row,) = (each for each in SEARCHES["rows"] if each["space"] == space and each["search"].startswith(search))
    return round(100 * row["within"][str(most)] / row["attacked"], 1)


def test_the_searches_are_those_of_the_kept_results() -> None:
    assert searches.rendered(PAGE, SEARCHES["rows"]) == PAGE
    assert (compared.DOCS / "images" / "searches-compared.svg").exists()


def test_what_is_said_of_searches_follows_from_them() -> None:
    synonyms = [row for row in SEARCHES["rows"] if row["space"] == "synonyms"]
    assert {(row["attacked"], SEARCHES["sentences"]) for row in SEARCHES["rows"]} == {(154, 200)}
    others = [row for row in synonyms if row["search"] != "greedy-synonym"]
    best = max(success("synonyms", row["search"], 50) for row in others)
    fooled = success("synonyms", "greedy", 50)
    assert f"fools {fooled} % within 50 queries, where no other search fools more than {best} %" in SAID
    changed = [row["words changed %"] for row in others]
    assert (
        f"{synonyms[-1]['words changed %']} % of them change, where the others change {min(changed)} to {max(changed)}"
        in SAID
    )
    one, four, eight = (success("synonyms", f"beam:space=synonyms,width={width}", 1000) for width in (1, 4, 8))
    assert f"{one} % of the synonyms' sentences at width 1, {four} % at width 4 and {eight} % at width 8" in SAID
    for space in ("synonyms", "neighbours"):
        rows = {row["search"]: row["within"] for row in SEARCHES["rows"] if row["space"] == space}
        assert rows[f"best-first:space={space}"] == rows[f"beam:space={space},width=1"]
    greedy, swarm = (success("neighbours", name, 1000) for name in ("beam:space=neighbours,width=1", "pso"))
    late = success("neighbours", "pso", 5000)
    assert f"take `beam:width=1` to {greedy} % and `pso` to {swarm} %; 5,000 take `pso` to {late} %" in SAID
