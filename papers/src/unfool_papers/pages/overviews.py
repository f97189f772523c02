"""The numbers of the two pages about all five papers: the overview and how studies work."""

from __future__ import annotations

from collections.abc import Iterator

from unfool.stats import wilson
from unfool_papers.pages.page import Page, kept, signed
from unfool_papers.study.claim import Term, difference
from unfool_papers.study.tables import PARTS


def _no_tables() -> dict[str, str]:
    return {}


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
    yield f"(on {len(kept('26-nets-ga')['models'])} nets [it does not hold"


def _studies() -> Iterator[str]:
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
            "on all 63 models",
            "finding 4 on all 63",
            "on the 63",
        ],
        "what was wrong before": ["over a record of 20"],
        "a setting": ["rate into the catalogue (now 1)", "attacked on 50 texts; 500 of"],
        "a place on this page": ["(see 4 above)"],
        "what the papers say": [
            "a common set of 100 texts",
            "the 65 % statistic",
            "read at step 250 on all 25,000 reviews",
            "(79, 87, 62, 48 %); the +30 % claim",
            "5,000 points",
        ],
    },
)
STUDIES = Page(
    "papers/pages/studies.md",
    _no_tables,
    _studies,
    {
        "how a study is judged and ends": [
            "exact test gives p < 0.05; elsewhere the 95 % interval",
            "It holds where the 95 % interval of the difference lies within the margin",
            "by exit code 3",
            "up to 1,000 marks",
        ],
        "declared by the studies": [
            "1,000 sentences of film reviews for Yelp's reviews, 40 attacked, 20 words tried at a place",
            "five models and their twins for 63, trained on 1,000 texts, 40 attacked on each; rules mined from "
            "300 texts",
            "4,000 of 25,000 reviews, 60 attacked",
            "1,000 film-review sentences for MNLI, 40 attacked",
            "2,000 of 43,052 news, 30 attacked",
            "most often 200 to 1,000 texts a row",
            "Its rules on the 63",
        ],
    },
)
