"""The numbers of the page about what the papers look at beside success rates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from unfool.stats import Rate, wilson
from unfool_papers.pages import claims_of_rows
from unfool_papers.pages.page import Page, kept, rows_alone
from unfool_papers.scripts import jsma_readings
from unfool_papers.self_attention.translation import SMOKE, keyword_table
from unfool_papers.study.page import sentence
from unfool_papers.study.plan import Table
from unfool_papers.study.tables import PARTS, markdown

_MOVED = {
    "self-attention": "self-attention",
    "self-attention, input added": "self-attention, its input added",
    "recurrent, gain 0.5": "recurrent, B scaled by 0.5",
    "recurrent, gain 1": "recurrent, B as drawn, entries of variance 1/d",
    "recurrent, gain 1.5": "recurrent, B scaled by 1.5",
}
_SEARCHES = {
    "hotflip": ("beam of 10", "more than 90 at 0.9"),
    "hotflip:width=1": ("greedy", "less than beam"),
    "key-star": (r"Key\*, black box, any character", "less than greedy"),
    "key": ("Key, black box, neighbouring keys", "least of all"),
}
_PROJECTED = {"vectors": "the mean GloVe vector of its words", "words": "the TF-IDF weights of its words"}
_READ = {"sentence": "the vector it decides by", "words": "the last layer's states of all words"}


def tables() -> dict[str, str]:
    """Return the tables of the page."""
    return {
        "Re": _variation(),
        "words moved": _moved(),
        "components": _components(),
        "JSMA's readings": rows_alone(jsma_readings.table(kept("jsma-readings"))),
        "success by confidence": _by_confidence(),
        "operations": _operations(),
        **_translators_in_small(),
    }


def _translators_in_small() -> dict[str, str]:
    found = kept("translation-small")
    rates = [Rate(each["count"], each["of"]) for each in found["parts"]["Translation"]["table 7"]]
    _, bleu, examples = found["shown"]["Translation"][:3]
    claims = "\n".join(f"- {sentence(claim)}" for claim in found["claims"])
    told = f"{markdown(keyword_table(SMOKE, rates))}\n\n{bleu}\n\n{examples}"
    return {"translators in small": told, "claims of translators in small": claims}


def _row(victim: str, attack: str, confidence: float = 0.0) -> dict[str, Any]:
    """Return the row of an attack; texts asked again for a cost in small are another row."""
    found = [
        each
        for each in kept("attacks")["rows"]
        if each["victim"].startswith(f"zoo:{victim}")
        and (each["attack"], each["confidence"]) == (attack, confidence)
    ]
    return dict(found[0])


def _variation() -> str:
    rows = [
        [
            each["victim"].removeprefix("zoo:").partition("@")[0].partition("-")[0],
            _READ[each["reading"]],
            str(each["texts"]),
            f"{each['Re']:.2f} [{each['low']:.2f}, {each['high']:.2f}]",
            str(each["paper"]),
        ]
        for each in kept("study-self-attention")["parts"]["Relative variation"]["Re"]
    ]
    return rows_alone(Table("", ["victim", "z", "texts", "Re", "paper"], rows))


def _moved() -> str:
    moved = kept("analysis")["theorem"]["moved"]
    rows = [
        [name, f"{each['value']:.2f} [{each['low']:.2f}, {each['high']:.2f}]"]
        for key, name in _MOVED.items()
        for each in [moved[key]]
    ]
    return rows_alone(Table("", ["layer", "share moved"], rows))


def _components() -> str:
    rows = []
    for key, name in _PROJECTED.items():
        caption = kept("analysis")["components"][key]["caption"]
        one, two, told, low, high = re.findall(r"([\d.]+)%", caption)[:5]
        rows.append([name, f"{caption.split()[0]} of `train`", f"{one} and {two}", f"{told} [{low}, {high}]"])
    return rows_alone(Table("", ["what is projected", "reviews", "variance, %", "told apart, %"], rows))


def _by_confidence() -> str:
    rows = []
    for attack, (name, said) in _SEARCHES.items():
        found = [_row("CharCNN-LSTM-Adam", attack, confidence) for confidence in (0.5, 0.7, 0.9)]
        cells = ["{:.1f} [{:.1f}, {:.1f}]".format(each["success %"], *each["success % interval"]) for each in found]
        rows.append([name, *cells, said])
    return rows_alone(Table("", ["search", "0.5, %", "0.7, %", "0.9, %", "paper"], rows))


def _operations() -> str:
    (row,) = (
        each
        for each in kept("study-hotflip")["rows"]
        if (each["attack"], each["confidence"]) == ("hotflip", 0.5) and "CharCNN" in each["victim"]
    )
    counts = row["operations"]
    total = sum(counts.values())
    said = {"flips": "around 80 %", "deletions": "twice as often as insert", "insertions": ""}
    rows = []
    for kind, name in (("flips", "flip"), ("deletions", "delete"), ("insertions", "insert")):
        low, high = wilson(counts[kind], total)
        rows.append([name, f"{100 * counts[kind] / total:.1f} [{100 * low:.1f}, {100 * high:.1f}]", said[kind]])
    return rows_alone(Table("", ["operation", f"ours, % of {total}", "paper"], rows))


def phrases() -> Iterator[str]:
    """Yield what the page says of the results."""
    yield from _theorem()
    yield from _one_word()
    yield from _reviews()
    yield from _characters()
    yield from _translators()
    yield from claims_of_rows.phrases()


def _theorem() -> Iterator[str]:
    found = kept("analysis")["theorem"]
    over = {
        setting: [each["bound / mean"] for each in found["scores"] if each["setting"] == setting]
        for setting in ("tightest weights", "random weights", "change chosen for the text")
    }
    tight, drawn = over["tightest weights"], over["random weights"]
    yield f"It is {min(tight):.2f} to {max(tight):.2f} times the mean for the tightest weights"
    yield f"{min(drawn):.0f} to {max(drawn):.0f} times for random ones"
    tightest, random = (
        f"{found['slopes'][name]:.2f}".replace("-", "−") for name in ("tightest weights", "random weights")
    )
    yield f"the mean goes with d to the power {tightest}, for random weights of 64 columns {random}"
    assert found["tails hold"]
    assert found["normal tails hold"]
    chosen = [each for each in found["scores"] if each["setting"] == "change chosen for the text"]
    first, last = next(each for each in chosen if not each["holds"]), chosen[-1]
    yield (
        f"above the bound from d = {first['dimensions']} on, {1 / last['bound / mean']:.1f} times at "
        f"d = {last['dimensions']:,}"
    )


def _one_word() -> Iterator[str]:
    def fooled(victim: str, attack: str) -> str:
        settings = f"{attack}{',' if ':' in attack else ':'}candidates=1000"
        return f"{_row(victim, settings)['success %']:.1f}"

    for data, told in (("yelp_polarity", "({} and {} % fooled)"), ("mnli", "loses by far on MNLI ({} and {} %)")):
        first, last = (fooled(f"BERT@{data}", f"asmax-ec{layer}") for layer in ("", ":layer=-1"))
        yield told.format(first, last)
    trials = [
        _row(f"{net}@mnli", "random:trials=500")["mean success over trials %"] for net in ("LSTM-Attention", "BERT")
    ]
    yield "for random words ({:.1f} and {:.1f} %)".format(*trials)


def _reviews() -> Iterator[str]:
    jsma = _row("CS229-LSTM@imdb", "jsma")
    before, left = jsma["clean accuracy %"], jsma["accuracy under attack %"]
    yield f"Before `jsma` {before} % of {jsma['n']:,} reviews are right, after it {left}"
    assert round(left * jsma["n"] / 100) == 6
    yield f"a success takes {jsma['words changed %']:.1f} % of a review's words on average"
    found = kept("jsma-readings")
    yield f"The report's {found['reported % left']} % left is far from our {left}"
    tested = found["test accuracy"]
    assert found["data"] == "imdb[10000]"
    yield f"trained on 10,000 reviews, has {100 * tested['share']:.1f} % of {tested['n']:,} test reviews right"
    yield f"On {found['n']} of them, those wrong from the start"
    readings = {name: each["left"] for name, each in found["readings"].items()}
    alone, padded = (readings[name]["value"] for name in ("padding left alone", "words put into padding"))
    yield f"({100 * padded:.1f} % left beside {100 * alone:.1f})"
    most = max(readings.values(), key=lambda each: float(each["value"]))
    yield (
        f"with both {100 * most['value']:.1f} % [{100 * most['low']:.1f}, {100 * most['high']:.1f}] are left at "
        "most"
    )
    assert all(100 * each["high"] < found["reported % left"] for each in readings.values())
    five, tacked = (
        [_row(f"{victim}@imdb", attack)["success %"] for victim in ("CS229-LSTM", "SVM-Linear")]
        for attack in ("strongest-swap:n=5", "tack-on")
    )
    svm = _row("SVM-Linear@imdb", "tack-on")["clean accuracy %"]
    yield f"({svm} % right, the LSTM {before})"
    yield f"to five swapped words ({five[0]:.1f} %, the SVM {five[1]:.1f})"
    yield f"the SVM less often to `tack-on` ({tacked[1]:.1f} %, the LSTM {tacked[0]:.1f})"


def _characters() -> Iterator[str]:
    beam, greedy, star = (
        _row("CharCNN-LSTM-Adam", attack, 0.5) for attack in ("hotflip", "hotflip:width=1", "key-star")
    )
    right = round(beam["clean accuracy %"] * beam["n"] / 100)
    assert right == beam["attacked"]
    yield f"attack {beam['n']} texts of AG's news, {right} of which"
    yield (
        f"({star['queries']:.1f} queries a text, the greedy search {greedy['queries']:.1f}, the beam "
        f"{beam['queries']:.1f}"
    )
    yield (
        f"a probability of at least {beam['confidence']}, {beam['characters changed %']:.1f} % of the characters "
        "changed"
    )
    yield f"succeeds on nearly all, ours on {beam['success %']:.1f} %"
    texts = kept("defences")["hotflip"]["ag_news"]["trained"]["ag_news-baseline-trained"]["n"]
    assert texts == PARTS["ag_news"].texts - PARTS["ag_news"].texts // 10 - (PARTS["ag_news"].texts % 10 > 0)
    yield f"learnt {texts:,} texts of AG's news"


def _translators() -> Iterator[str]:
    claims = {each["claim"]: each for each in kept("translation-small")["claims"]}
    (chance,) = claims["the LSTM falls to keyword attacks more often"]["p"]
    yield f"on these two nets (p = {chance:g}"


ANALYSIS = Page(
    "papers/pages/analysis.md",
    tables,
    phrases,
    {
        "settings of the commands that stand beside": [
            "one word changed, 500 words tried at the weak spot",
            "the reviews of 6 to 25 words among the 1,000 of our copy",
            "with 1,000 words tried",
            "# head=3 for one head",
            "# 40 words, 100 draws, d from 16 to 1024",
            "# our copy of IMDB has 0 and 1",
            "(d = 128, the effective share of 40 words that moved)",
            "reads its LSTM at step 250",
            "asked for, 0.5 to 0.9",
            "200 captions of multi30k and the zoo's small translators",
            "keyword attack tries 20 words at a place; the study in full, for a GPU, tries 1,000",
            "with 5 points neither could be told",
        ],
        "mathematics": [
            "What is missing to 1",
            "of n words: 1 where all moved as far, 1/n where",
            "(W_Q = W_K = 1; in theory √(π/2) = 1.25 for large d)",
            "not like 1/ε. 2 exp(−dε²/2C²δ²)",
            "it takes for 1/√d is 0.",
            "stays near 1/√n for n words",
            "B z_{i−1}",
        ],
        "what the paper says": [
            "the report has 82.24 of all and 39.86 of 291",
            "nearest to the report's 39.86",
            "left 45 % of the positive and 36 % of the negative reviews",
            "*64 units are best* and *a dropout of 25 % beats 50 %*",
            "(the report's 82.24)",
            "training of 100,000 steps",
            "its choice of 291 reviews",
            "the paper takes 760",
            "for 108,000",
            "The paper reports 4.18 %",
            "(BERT, `*-ec`: 51 beside 52)",
            "(the paper's gaps are up to 2)",
        ],
    },
)
