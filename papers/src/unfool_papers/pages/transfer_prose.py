"""What the page about transferability says of kept results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from unfool.transfer import traits
from unfool_papers.pages.page import kept
from unfool_papers.study.claim import Term, difference
from unfool_papers.study.tables import PARTS
from unfool_papers.transferability import published
from unfool_papers.transferability.findings import texts_tried
from unfool_papers.transferability.matrix import matrix_of

_REVIEWS, _NEWS = "transfer-rotten_tomatoes-pwws", "transfer-ag_news-pwws"


def phrases() -> Iterator[str]:
    """Yield what the prose says, with its numbers."""
    yield from _the_papers()
    yield from _on_63(_REVIEWS)
    yield from _why_embedding()
    yield from _genetic()
    yield from _search()
    yield from _ensembles()
    yield from _on_63(_NEWS)
    yield from _news()


def _the_papers() -> Iterator[str]:
    """Figures that follow from the paper's own tables."""
    table = np.array(list(published.TABLE_3.values()))
    inside = np.diag(table)
    beside = table.copy()
    np.fill_diagonal(beside, 0)
    lead = (inside - np.maximum(beside.max(axis=0), beside.max(axis=1))).min()
    yield f"({lead:.3f} in the paper's table 3)"
    received = dict(zip(published.TABLE_4, np.array(list(published.TABLE_4.values())).mean(axis=0), strict=True))
    yield f"the paper's table 4 says the opposite ({received['Character']:.3f} and {received['BERT']:.3f})"
    below = [received["Random"] - received[name] for name in ("word2vec", "fastText")]
    yield f"they are below Random by {below[0]:.3f} and {below[1]:.3f}"
    spread = kept("spread-rotten_tomatoes-1000")["models"]
    (texts,) = {each["texts"] for each in spread.values()}
    yield f"on {texts} film reviews and small nets"


def _on_63(file: str) -> Iterator[str]:
    found = kept(file)
    fewest, models = min(found["texts"]), len(found["models"])
    assert max(found["texts"]) == found["keep"]
    yield (
        f"The mean base rate is {found['mean base rate']:.3f}, the mean between different models "
        f"{found['mean rate between models']:.3f}"
    )
    if file == _NEWS:
        yield (
            f"{found['n']:,} test texts attacked on each of the {models}, {fewest} to {found['keep']} successes "
            f"kept, every text tried on all {models}"
        )
        yield f"trained on the {PARTS['ag_news'].texts:,} training texts at hand"
        return
    yield (
        f"{found['n']:,} test texts attacked on each source, {found['keep']} of its successes kept ({fewest} to "
        f"{found['keep']} on the ELMos)"
    )
    yield f"Rates between the {models} models"
    raw, corrected = (texts_tried(matrix_of(found, corrected=corrected)) for corrected in (False, True))
    yield f"{raw:.0f} here ({corrected:.0f} by the corrected rate)"
    rates = found["analysis"]["by architecture"]
    yield f"the lead of {rates['BiLSTM']['LSTM'] - rates['LSTM']['LSTM']:.3f} is within chance"
    yield from _recurrent(found)
    wrong = [1 - each["accuracy"]["value"] for each in found["models"] if _form(each["name"]) == "character"]
    yield f"our nets of characters have {100 * np.mean(wrong):.0f} % of the texts wrong before any attack"


def _form(name: str) -> str:
    found = traits(name)
    return found.input_form if found else ""


def _recurrent(found: dict[str, Any]) -> Iterator[str]:
    """Mean rates of table 3 with LSTMs and BiLSTMs as one class."""
    matrix = matrix_of(found)
    recurrent = np.array(
        [(made.architecture if (made := traits(name)) else "") in ("LSTM", "BiLSTM") for name in matrix.sources]
    )
    cnn = np.array([(made.architecture if (made := traits(name)) else "") == "CNN" for name in matrix.sources])
    inside, to, back = (
        float(np.nanmean(matrix.rates[np.ix_(one, other)]))
        for one, other in ((recurrent, recurrent), (recurrent, cnn), (cnn, recurrent))
    )
    yield f"({inside:.3f}, to CNNs {to:.3f}, from CNNs {back:.3f})"


def _why_embedding() -> Iterator[str]:
    ours, theirs = kept(_REVIEWS)["analysis"]["impacts"], published.TABLE_2["MR", "pwws"]
    yield f"table 2's embedding: {ours['embedding']['mean']:.3f}, and {theirs[2]:.3f} in the paper"
    yield (
        f"the difference is {_by_vectors('Random', 'GloVe'):.3f}; between the two stand-ins it is "
        f"{_by_vectors('word2vec', 'fastText'):.3f}"
    )
    found = kept("transfer-embedding-rotten_tomatoes")
    frozen, tuned = (found["ways"][way]["raw"] for way in ("frozen", "tuned"))
    yield f"with its vectors tuned, {found['n']} texts attacked on each"

    def impact(seeds: list[dict[str, Any]], factor: str) -> float:
        return float(np.mean([each["impacts"][factor] for each in seeds]))

    def rate(seeds: list[dict[str, Any]], source: str, target: str) -> float:
        return float(np.mean([each["by input"][source][target] for each in seeds]))

    before, after = impact(frozen, "embedding"), impact(tuned, "embedding")
    assert 0.8 < (before - after) / (before - theirs[2]) < 0.87  # five sixths
    yield (
        f"from {before:.3f} to the paper's {theirs[2]:.3f}. At {after:.3f} the embedding would stand below the "
        "input "
        f"form ({ours['input form']['mean']:.3f})"
    )
    yield (
        f"fool nets on random vectors in {100 * rate(tuned, 'word2vec', 'Random'):.0f} %, nearly as often as "
        "those on "
        f"random vectors do ({100 * rate(tuned, 'Random', 'Random'):.0f} %); frozen, in "
        f"{100 * rate(frozen, 'word2vec', 'Random'):.0f} %"
    )
    yield (
        f"the architecture ({impact(tuned, 'architecture'):.3f}) stays below the embedding and below the paper's "
        f"{theirs[1]:.3f}"
    )
    words = ("Random", "GloVe", "word2vec", "fastText")
    got = {name: np.mean([rate(tuned, source, name) for source in words]) for name in words}
    yield (
        f"Random then receives {got['Random']:.3f}, GloVe less ({got['GloVe']:.3f}), word2vec and fastText more "
        f"({got['word2vec']:.3f} and {got['fastText']:.3f})"
    )


def _by_vectors(*chosen: str) -> float:
    """Return table 2's embedding between nets on two kinds of vectors alone."""
    matrix = matrix_of(kept(_REVIEWS))
    made = [traits(name) for name in matrix.sources]
    found = [
        abs(matrix.rates[row, column] - matrix.base[column])
        for row, source in enumerate(made)
        for column, target in enumerate(made)
        if source
        and target
        and {source.embedding, target.embedding} == set(chosen)
        and source._replace(embedding="") == target._replace(embedding="")
    ]
    return float(np.mean(found))


def _genetic() -> Iterator[str]:
    pwws, ga = kept("26-nets-pwws"), kept("26-nets-ga")
    nets = len(ga["models"])
    yield f"On {nets} nets, LSTMs, BiLSTMs and CNNs"
    yield f"two CNNs of characters, {ga['n']:,} texts attacked on each, {ga['keep']} successes kept"
    yield f"The genetic attack, on {nets} nets"
    yield f"measured on {nets} nets are"
    took = ga["seconds"]["craft and fill"] / 60
    assert round(pwws["seconds"]["craft and fill"] / 60) == 8
    yield f"it took {took:.0f} minutes, PWWS eight"
    left = kept("study-transferability")["parts"]["Candidates for the genetic attack"]
    wordnet, theirs = (
        [left[data]["sources"][source]["left out %"] for data in ("rotten_tomatoes", "ag_news")]
        for source in ("WordNet, same part of speech", "counter-fitted, eight nearest")
    )
    yield (
        f"leaves out {wordnet[0]} % of the candidates on Rotten Tomatoes and {wordnet[1]} % on AG News "
        f"({left['ag_news']['texts']:,} test texts each), keeping four of the authors' own candidates "
        f"{theirs[0]} and {theirs[1]} %"
    )


def _search() -> Iterator[str]:
    for file, rest in ((_REVIEWS, "ensemble of all"), (_NEWS, "ensemble of the 63")):
        search = kept(file)["search"]
        assert {size: each["seeds"] for size, each in search.items()} == {"2": 100, "3": 100, "4": 100}
        yield f"the best {rest} from 100 of 100 seeds for 2, 3 and 4 models"
    sends = _sends(_REVIEWS)
    yield (
        f"({sends['GloVe']:.3f} and {sends['word2vec']:.3f} in the mean of table 4's rows, Random "
        f"{sends['Random']:.3f})"
    )


def _sends(file: str) -> dict[str, float]:
    return {row: float(np.mean(list(cells.values()))) for row, cells in kept(file)["analysis"]["by input"].items()}


def _ensembles() -> Iterator[str]:
    found = kept("26-nets-pwws")
    by = {(each["how"], each["size"]): each for each in found["ensembles"]}
    best = max(found["models"], key=lambda each: float(each["sends"]))
    yield f"Texts made on ensembles, on {len(found['models'])} nets"
    yield f"Here are {len(found['models'])} nets that two CPU cores can train"
    yield f"PWWS on {found['n']:,} texts, {found['keep']} successes kept"
    yield (
        f"do ({best['name'].removeprefix('zoo:').partition('@')[0]}: {best['sends']:.3f}; the mean over all "
        f"pairs is {found['mean rate between models']:.3f})"
    )
    pairs = [by[how, 2]["rate"] for how in ("expert", "the paper's expert")]
    yield f"pairs ({pairs[0]:.3f} and {pairs[1]:.3f})"
    assert [size for how, size in by if by[how, size]["rate"] < best["sends"]] == [2, 2]
    leads = {}
    for size in range(2, 8):
        both = [by[how, size] for how in ("genetic", "expert")]
        low, high = difference(
            *(Term.share("", each["fooled"], each["texts"], len(found["models"]) - size) for each in both)
        )
        leads[size] = (f"[{low:.0f}, {high:.0f}]", low > 0)
    assert [size for size, (_, beyond) in leads.items() if beyond] == [2, 3]
    yield f"with two nets by {leads[2][0]} points and with three by {leads[3][0]}"
    four, seven = ([by[how, size]["rate"] for how in ("genetic", "expert")] for size in (4, 7))
    yield (
        f"the lead, {100 * (four[0] - four[1]):.0f} points falling to {100 * (seven[0] - seven[1]):.1f} "
        f"({seven[0]:.3f} and {seven[1]:.3f})"
    )
    yield f"the mean base rate ({found['mean base rate']:.3f})"
    minutes = [round(found["seconds"][stage] / 60) for stage in ("train", "craft and fill", "ensembles")]
    yield (
        f"Training the {2 * len(found['models'])} nets took {minutes[0]} minutes on one core, crafting and "
        f"filling {minutes[1]}, the ensembles {minutes[2]}"
    )


def _news() -> Iterator[str]:
    found, models = kept(_NEWS), len(kept(_NEWS)["models"])
    sends, table = _sends(_NEWS), found["analysis"]["by input"]
    others = [sends[name] for name in ("GloVe", "word2vec", "fastText")]
    received = [table[name]["Random"] for name in ("GloVe", "word2vec", "fastText")]
    yield (
        f"({sends['Random']:.3f} in the mean of table 4's row; these {min(others):.3f} to {max(others):.3f}), "
        "even to "
        f"each other ({table['Random']['Random']:.3f}), and receive {min(received):.3f} to {max(received):.3f} "
        "from these"
    )
    elmo = np.mean([cells["ELMo"] for cells in found["analysis, corrected"]["by input"].values()])
    wrong = [100 * (1 - each["accuracy"]["value"]) for each in found["models"] if "ELMo" in each["name"]]
    yield f"our small ELMos have {min(wrong):.0f} to {max(wrong):.0f} % of the test texts wrong before any attack"
    yield f"by the corrected rate it receives {elmo:.3f}"
    most = found["fool most"]
    yield (
        f"Of the {most['texts']:,} texts that were tried, {most['fool all']}, made from "
        f"{most['of as many originals']} originals, are wrong under all {models} models"
    )
    best = most["most"][0]
    assert most["turn all"] == 0
    yield (
        f"no text turns all {models}. The one that turns most, {best['turned']} of the {best['right']} models "
        f"that have its original right, was made on `{best['made on']}`"
    )
    behind = [
        ours["fitness"] - theirs["fitness"]
        for ours in found["chosen"]
        for theirs in found["chosen"]
        if (ours["how"], theirs["how"]) == ("genetic", "the paper's expert") and ours["size"] == theirs["size"]
    ]
    yield f"The paper's expert's are {min(behind):.2f} to {max(behind):.2f} behind the genetic search's"
