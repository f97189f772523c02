"""The numbers of the page about defences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from unfool_papers.pages.page import Page, between, kept, rows_alone, share, signed
from unfool_papers.study.claim import Term, difference
from unfool_papers.study.plan import Table

_BEFORE, _LEFT = "right before textfooler", "left by textfooler"
_ANEW = f"{_LEFT}, asked anew"
_RECOVERED = ("tuned anew", "FuSE", "FIVE", "FACT", "FuSE on FACT", "FIVE on FACT")


def _arms(data: str) -> dict[str, Any]:
    return dict(kept("defences")["firebert"][data]["arms"])


def _rates(data: str, arm: str) -> dict[str, Any]:
    return dict(_arms(data)[arm]["rates"])


def tables() -> dict[str, str]:
    """Return the tables of the page."""
    return {"two faults": _faults(), "stored texts, MNLI": _stored()}


def _faults() -> str:
    shuffled, whole = _rates("imdb", "FuSE, shuffled at load"), _rates("imdb", "FuSE")
    said = _arms("imdb")["FuSE"]["said"]
    rows = [
        [
            "`shuffled at load`",
            "clean IMDB texts with alternatives of another review, as if examples were shuffled anew at each load",
            "on clean texts, %",
            str(said["clean"]),
            f"**{share(shuffled['clean'])}** ({between(shuffled['clean'])})",
            f"{share(whole['clean'])} ({between(whole['clean'])})",
        ],
        [
            "",
            "",
            "on stored texts, %",
            str(said["premade"]),
            f"**{share(shuffled['premade'])}** ({between(shuffled['premade'])})",
            "the same: they were not shuffled",
        ],
        *(_item_0(arm, where, bold) for arm, where, bold in (("FuSE on FACT", "FACT", "**"), ("FuSE", "BERT", ""))),
    ]
    rows[2][0] = "`item 0`"
    rows[2][1] = "under attack, every query with alternatives of the first item of the data, an entailment"
    return rows_alone(
        Table("", ["fault", "what votes", "FuSE's accuracy", "published", "with the fault", "without"], rows)
    )


def _item_0(arm: str, where: str, bold: str) -> list[str]:
    fault, whole, said = _rates("mnli", f"{arm}, item 0"), _rates("mnli", arm), _arms("mnli")[arm]["said"]
    after = fault[_LEFT]
    return [
        "",
        "",
        f"around {where}, before and after, %",
        f"{said[_BEFORE]} → {said[_ANEW]}",
        f"{bold}{share(fault[_BEFORE])} → {share(after)}{bold} ({between(after)})",
        f"{share(whole[_BEFORE])} → {share(whole[_LEFT])}",
    ]


def _stored() -> str:
    rows = [
        [arm, f"{share(rate)} ({between(rate)})"]
        for arm, rate in ((arm, _rates("mnli", arm)["premade"]) for arm in _RECOVERED)
    ]
    return rows_alone(Table("", ["MNLI", "right on the stored texts, %"], rows))


def phrases() -> Iterator[str]:
    """Yield what the page says of the results."""
    imdb, mnli = _rates("imdb", "FACT"), _rates("mnli", "FACT")
    base = {data: _rates(data, "baseline") for data in ("imdb", "mnli")}
    notes = " ".join(kept("defences")["firebert"]["mnli"]["notes"])
    assert "200 of 200 texts got other probabilities and 118 another label" in notes
    yield "118 of 200 texts get another label"
    costs = 100 * (base["imdb"]["clean"]["value"] - _rates("imdb", "FuSE")["clean"]["value"])
    yield f"FuSE without faults costs {costs:.1f} points on clean reviews"
    yield f"it keeps {100 * imdb['clean']['value'] / base['imdb']['clean']['value']:.1f} % of the baseline's clean"
    yield f"has {share(imdb['premade'])} % ({between(imdb['premade'])}) of the stored texts right"
    tuned = _arms("imdb")["tuned anew"]
    yield f"has {share(tuned['rates']['premade'])} % (the paper's {tuned['said']['premade']})"
    left, bare = (_arms("mnli")[arm] for arm in ("FACT", "baseline"))
    assert f"{left['p'][_LEFT]:.0e}" == "6e-16"
    yield (
        f"it leaves {share(mnli[_LEFT])} % right where the baseline leaves {share(base['mnli'][_LEFT])} "
        f"(p = 6·10⁻¹⁶), the paper {left['said'][_ANEW]} and {bare['said'][_ANEW]}"
    )
    yield (
        f"**On MNLI FACT has {share(mnli['premade'])} % of the stored texts right, not "
        f"{left['said']['premade']:.0f}**"
    )
    clean, before = mnli["clean"], base["mnli"]["clean"]
    yield (
        f"of the table's {clean['of']:,} texts {share(clean)} % are right after {share(before)} "
        f"({100 * clean['value'] / before['value']:.1f} %)"
    )
    trained = kept("defences")["firebert"]["mnli"]["trained"]
    fact, plain = trained["mnli-fact-trained"]["test"], trained["mnli-base"]["told"]["test"]
    yield (
        f"but of all {fact['n']:,}, asked in bfloat16 at the end of each training, {100 * fact['share']:.1f} after "
        f"{100 * plain['share']:.1f} ({100 * fact['share'] / plain['share']:.1f} %)"
    )
    yield f"is right on {share(before, 0)} % of it where BERT is right on {bare['said']['clean']:.0f}"
    yield from _five()
    strongest = _rates("mnli", "FuSE on FACT")
    yield (
        f"{share(strongest[_LEFT])} % left by the rewordings the attack saw, and at most {share(strongest[_ANEW])} "
        f"if asked anew, at {_arms('mnli')['FuSE on FACT']['passes']:.0f} passes a query"
    )
    for data in ("imdb", "mnli"):
        assert _two_baselines(data) == {"imdb": (36, 47, 38, 24), "mnli": (302, 60, 286, 60)}[data]
    yield "in 60 % of the cases on MNLI, both ways; on IMDB in 47 and 24 % (of 36 and 38 texts)"


def _five() -> Iterator[str]:
    base, fact = _rates("mnli", "baseline")[_LEFT], _rates("mnli", "FACT")[_LEFT]
    five, both = (_arms("mnli")[arm] for arm in ("FIVE", "FIVE on FACT"))
    asked = five["rates"][_ANEW]
    low, high = difference(*(Term.share("", rate["count"], rate["of"], 1) for rate in (both["rates"][_LEFT], fact)))
    yield (
        f"at most {share(asked)} % ({asked['count']:.0f} of {asked['of']}) are right on MNLI where the baseline "
        "keeps "
        f"{share(base)}, and on FACT at most {share(both['rates'][_ANEW])} beside FACT's own {share(fact)}"
    )
    yield f"far from the paper's {five['said'][_ANEW]} and {both['said'][_ANEW]}"
    yield (
        f"{share(five['rates'][_LEFT])} % are left on MNLI (without FIVE {share(base)}; "
        f"p = {five['p'][_LEFT]:.1g}) and {share(both['rates'][_LEFT])} on FACT ({share(fact)}; the difference is "
        f"[{signed(low)}, {signed(high)}])"
    )


def _two_baselines(data: str) -> tuple[int, ...]:
    """Return of how many texts made on either baseline how many percent fool the other."""
    found = []
    for note in kept("defences")["firebert"][data]["notes"][:2]:
        words = note.split()
        found += [int(words[1]), int(words[-1].strip("()%"))]
    return tuple(found)


DEFENCES = Page(
    "papers/pages/defences.md",
    tables,
    phrases,
    {
        "a setting of the commands above": ["500 is the studies' number", "with 95 % Wilson intervals"],
        "what the nets read": ["the first 256 tokens of a review", "asked and attacked on 512"],
        "a bar that the issue sets": ["it keeps 98 % of clean accuracy"],
        "the name of the fault": ["item 0's", "text item 0's"],
        "by the clock of a machine that is gone": ["FireBERT's took 25 minutes"],
    },
)
