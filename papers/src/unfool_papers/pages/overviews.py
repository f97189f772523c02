"""The numbers of the two pages about all five papers: the overview and how studies work."""

from __future__ import annotations

from collections.abc import Iterator

from unfool.stats import wilson
from unfool_papers.pages.page import Page, kept, rows_alone, signed
from unfool_papers.scripts import smoke
from unfool_papers.study.claim import Term, difference
from unfool_papers.study.tables import PARTS


def _no_tables() -> dict[str, str]:
    return {}


def _tables_of_studies() -> dict[str, str]:
    return {"seconds": rows_alone(smoke.table(kept("studies-smoke")["studies"]))}


def _readme() -> Iterator[str]:
    whole = {name: f"{part.published / part.texts:.0f}" for name, part in PARTS.items()}
    yield (
        f"Yelp 1/{whole['yelp_polarity']}, MNLI 1/{whole['mnli']}, AG News 1/{whole['ag_news']}, SNLI "
        f"1/{whole['snli']}"
    )
    readings = kept("jsma-readings")
    left = readings["readings"]["words put into padding"]["left"]["value"]
    yield (
        f"a net that learnt from 10,000 reviews: {100 * left:.1f} % left, so padding does not explain "
        f"{readings['reported % left']}"
    )
    rules = kept("rules-rotten_tomatoes")
    (many, of), (few, _) = (rules["outside"][book] for book in ("uawr-7", "uawr-2"))
    seven, two = (Term.share("", fooled, of, rules["judges outside"]) for fooled in (many, few))
    low, high = difference(seven, two)
    yield f"*cannot be told*, [{signed(low)}, {signed(high)}]"
    yield f"on {len(kept('26-nets-ga')['models'])} nets: figure 1's panel, and finding 4 [does not hold"
    yield from _waiting()


def _waiting() -> Iterator[str]:
    trained = [each for each in kept("study-self-attention")["claims"] if "trained on plainly" in each["claim"]]
    assert sorted(each["verdict"] for each in trained) == [*3 * ["cannot be told"], "holds"]
    yield "one of four claims holds, three cannot be told"
    lease = kept("lease-2026-11-19")
    slowest = lease["steps"][1]["to s"]
    yield f"the {lease['nets of AG News']['trained']} nets of AG News took {slowest} s"


def _studies() -> Iterator[str]:
    small = kept("studies-smoke")
    assert (small["cores"], small["threads"]) == (2, "as many")
    minutes = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven"}
    together = sum(each["wall s"] for each in small["studies"])
    yield f"all five took {minutes[round(together / 60)]} minutes"
    low, high = wilson(24, 40)
    yield f"of 40 texts, 60 % may be {100 * low:.0f} % or {100 * high:.0f} %"
    reviews, news = kept("transfer-rotten_tomatoes-pwws"), kept("transfer-ag_news-pwws")
    yield (
        f"PWWS on all {len(reviews['models'])} models and the matrix take "
        f"{reviews['seconds']['craft and fill']:.0f} s "
        f"with {reviews['workers']} workers"
    )
    yield f"the rules {kept('rules-rotten_tomatoes')['seconds']['all']} s"
    yield (
        f"On AG News training takes {news['seconds']['train']} s with {news['workers']}, crafting and filling "
        f"{news['seconds']['craft and fill']} s"
    )
    yield f"on {len(kept('26-nets-ga')['models'])} nets and on nine"


README = Page(
    "papers/README.md",
    _no_tables,
    _readme,
    {
        "how many models the zoo has of the paper's": [
            "texts made on each of 63 models",
            "ensembles on the 63; figure 1; finding 4",
            "On the 63:",
            "matrix of all 63",
            "by the 63",
            "on all 63",
            "on the 63:",
        ],
        "a place in the table": ["see fault 4", "see fault 5", "see gaps 4 and 8"],
        "what the papers say": [
            "a common set of 100 texts",
            "the 65 % statistic",
            "the +30 % claim",
            "figure 7 with 5,000 points",
        ],
        "settings": [
            "read at step 250",
            "padding and step 250",
            "All 25,000 reviews",
            "IMDB on 200 texts",
            "within 5 points from what was kept",
        ],
        "by the clock": ["30 minutes on 19 November 2026"],
    },
)
STUDIES = Page(
    "papers/pages/studies.md",
    _tables_of_studies,
    _studies,
    {
        "how a study is judged and ends": [
            "exact test gives p < 0.05; elsewhere the 95 % interval",
            "It holds where the 95 % interval of the difference lies within the margin",
            "by exit code 3",
            "up to 1,000 marks",
        ],
        "declared by the studies": [
            "500 sentences of film reviews for Yelp's reviews, 30 attacked, 20 words tried at a place",
            "five models and their twins for 63, trained on 1,000 texts, 40 attacked on each; rules mined from "
            "300 texts",
            "4,000 of 25,000 reviews, 60 attacked",
            "1,000 film-review sentences for MNLI, 25 attacked",
            "2,000 of 43,052 news, 30 attacked",
            "most often 200 to 1,000 texts a row",
            "Its rules on the 63",
        ],
    },
)
