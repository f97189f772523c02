"""Table 6 of Yuan et al. (2021): rules, and what the words' PMI with each label becomes; theirs, by our counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from unfool.data import drawn
from unfool.rules import MinedRules, RuleFilter
from unfool_papers.study.plan import Table
from unfool_papers.transferability import published_rules as paper

_EACH, _SUPPORT = 5, 10
_MR = "rotten_tomatoes"
NEGATIVE, POSITIVE = 0, 1


def strongest(mined: MinedRules) -> dict[str, Any]:
    """Return the rules of the highest salience for texts of each label, and the paper's where the data is theirs.

    Rules seen in fewer than ten places are left out: their salience is that of a text or two. The paper does not
    say how it chose its ten.
    """
    found: list[dict[str, Any]] = []
    book = mined.book(RuleFilter(support=_SUPPORT))
    for label in mined.data.labels:
        own = [rule for rule in book.rules if rule.label == label][:_EACH]
        found += [
            {**_told(rule.word, rule.substitute, mined), "label": label, "salience": rule.salience} for rule in own
        ]
    if drawn(mined.data.name).name != _MR:
        return {"support": _SUPPORT, "strongest": found}
    every = {
        (rule.label, rule.word.lower(), rule.substitute.lower()): rule.salience
        for rule in mined.book(RuleFilter(per_word=None, all=True)).rules
    }
    theirs = [
        {
            **_told(word, substitute, mined),
            "label": mined.data.labels[label],
            "salience": every.get((mined.data.labels[label], word, substitute)),
        }
        for label, word, substitute, _, _ in paper.TABLE_6
    ]
    return {"support": _SUPPORT, "strongest": found, "the paper's": theirs}


def _told(word: str, substitute: str, mined: MinedRules) -> dict[str, Any]:
    both = mined.counts.associations(word, substitute)
    return {"word": word, "substitute": substitute, "pmi": [list(each) for each in both]}


def tables(found: Mapping[str, Any], about: str) -> Iterator[Table]:
    """Yield table 6 of our rules, and the paper's rules by our counts."""
    labels = list(dict.fromkeys(each["label"] for each in found["strongest"]))
    columns = ["label", "rule", "salience", *(f"PMI with {label}" for label in labels)]
    yield Table(
        f"Table 6: the rules of the highest salience, seen in {found['support']} places or more, {about}",
        columns,
        [[*_begun(each), *(_change(pair) for pair in each["pmi"])] for each in found["strongest"]],
    )
    if theirs := found.get("the paper's"):
        yield Table(
            f"The paper's rules of table 6, {about} [paper]",
            columns,
            [
                [
                    *_begun(each),
                    _change(each["pmi"][NEGATIVE], said[4]),
                    _change(each["pmi"][POSITIVE], said[3]),
                ]
                for each, said in zip(theirs, paper.TABLE_6, strict=True)
            ],
        )


def _begun(each: Mapping[str, Any]) -> list[str]:
    salience = each["salience"]
    return [each["label"], f"{each['word']} → {each['substitute']}", "–" if salience is None else f"{salience:.3f}"]


def _change(pair: list[float], said: tuple[float, float] | None = None) -> str:
    ours = f"{pair[0]:.3f} → {pair[1]:.3f}"
    return ours if said is None else f"{ours} [{said[0]:.3f} → {said[1]:.3f}]"
