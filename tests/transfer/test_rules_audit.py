"""Audits: what is listed is true, and the page shows hostile texts as texts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from numpy.typing import ArrayLike
from tests.end_to_end.command import fetch_or_skip
from tests.report.pages import blocks
from tests.transfer.rule_toys import SENTENCES, Counting, Linear, corpus

from unfool.data import Dataset, load
from unfool.errors import UserError
from unfool.report import audit
from unfool.rules import Explanation, FlippingRule
from unfool.stats import Rate, fisher_less
from unfool.victims import Input, TextVictim

HOSTILE = "<script>alert('x')</script> & \"good\" film <img src=x onerror=alert(1)> \x1b[31m"


@pytest.fixture(autouse=True, scope="module")
def _wordnet() -> None:
    fetch_or_skip("wordnet")


class Biased(TextVictim):
    """Calls a text positive where it says film more often than movie."""

    labels = ("negative", "positive")

    def __repr__(self) -> str:
        return "Biased()"

    def probabilities(self, inputs: Sequence[Input]) -> ArrayLike:
        scores = [text.lower().count("film") > text.lower().count("movie") for (text,) in inputs]
        return [[1 - 0.9 * score, 0.9 * score] for score in scores]


def on_page(page: Path) -> dict[str, Any]:
    """The audit that a page is about."""
    (found,) = blocks(page.read_text(encoding="utf-8"))["about"]["audits"]
    return dict(found)


def texts(folder: Path, rows: Sequence[tuple[str, int]]) -> Dataset:
    path = folder / "texts.jsonl"
    path.write_text("".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in rows))
    return load(str(path))


def test_a_bias_of_the_data_is_found_and_called_one(tmp_path: Path) -> None:
    rows = [(f"the film number {n} is fine", 1) for n in range(6)] + [
        (f"a movie like number {n}", 0) for n in range(6)
    ]
    found = audit(Biased(), texts(tmp_path, rows), tmp_path / "page.html", n=None, progress=False)
    assert found.figures[:3] == (12, 12, 6 + 6)
    by_rule = {(one.rule.label, one.rule.word, one.rule.substitute): one for one in found.findings}
    film = by_rule["1", "film", "movie"]
    assert (film.rate.count, film.rate.of) == (6, 6)
    assert film.explanation is Explanation.LEARNED
    assert film.label_name == "positive"
    assert [example.id for example in film.examples] == [0, 1, 2]
    assert (film.examples[0].before, film.examples[0].after) == ("the ", " number 0 is fine")
    assert film.seen == ((0, 6), (6, 0))
    unseen = [one for one in found.findings if one.explanation is Explanation.UNSEEN]
    assert "cinema" in {word for one in unseen for word in (one.rule.substitute, *one.others)}
    assert [one.explanation for one in found.findings] == sorted(
        (one.explanation for one in found.findings), key=list(Explanation).index
    )
    assert {word for _, word, _ in by_rule} == {"film", "movie"}
    page = on_page(tmp_path / "page.html")
    assert page["findings"] == json.loads(json.dumps(found.to_json()))["findings"]
    assert (page["right_before"]["count"], page["right_before"]["of"]) == (12, 12)
    assert not (tmp_path / "page.html.parts").exists()
    assert page["findings"][0]["examples"]


@pytest.mark.parametrize(
    ("films", "movies", "grounds"),
    [
        ((0, 6), (1, 0), Explanation.RARE),
        ((0, 6), (5, 0), Explanation.LEARNED),
        ((0, 6), (0, 6), Explanation.AGAINST),
        ((5, 6), (0, 1), Explanation.RARE),
        ((0, 6), (0, 0), Explanation.UNSEEN),
    ],
)
def test_what_is_seen_too_rarely_is_no_bias(
    tmp_path: Path, films: tuple[int, int], movies: tuple[int, int], grounds: Explanation
) -> None:
    rows = [
        (f"the {word} number {n}", label)
        for word, counts in (("film", films), ("movie", movies))
        for label, count in enumerate(counts)
        for n in range(count)
    ]
    found = audit(Biased(), texts(tmp_path, [*rows, ("a", 0)]), tmp_path / "page.html", n=None, progress=False)
    (film,) = (
        one
        for one in found.findings
        if (one.rule.label, one.rule.word) == ("1", "film") and "movie" in (one.rule.substitute, *one.others)
    )
    assert film.explanation is grounds
    shown = {one["grounds"] for one in on_page(tmp_path / "page.html")["findings"] if one["word"] == "film"}
    assert str(grounds) in shown


def test_a_page_does_not_take_the_place_of_the_data(tmp_path: Path) -> None:
    data = corpus(tmp_path)
    before = (tmp_path / "corpus.jsonl").read_bytes()
    with pytest.raises(UserError, match=r"corpus\.jsonl already exists and is not a page; choose another place"):
        audit(Biased(), data, tmp_path / "corpus.jsonl", progress=False)
    assert (tmp_path / "corpus.jsonl").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["corpus.jsonl"]
    for _ in range(2):  # an older page is written anew
        audit(Biased(), data, tmp_path / "page.html", progress=False)


@pytest.mark.filterwarnings("error")  # thousands of either go far over and under what a float holds
@pytest.mark.parametrize(
    "counts",
    [
        *((0, 1, 10, 10), (1, 4, 9, 11), (3, 30, 40, 90), (7, 7, 2, 5), (0, 40, 100, 900)),
        *((2000, 2000, 0, 2000), (0, 2000, 2000, 2000), (950, 2000, 1010, 2000)),
    ],
)
def test_a_lean_beyond_chance_is_that_of_fishers_test(counts: tuple[int, int, int, int]) -> None:
    stats = pytest.importorskip("scipy.stats")
    here, of, there, of_there = counts
    exact = stats.fisher_exact([[here, of - here], [there, of_there - there]], alternative="less").pvalue
    assert fisher_less(Rate(here, of), Rate(there, of_there)) == pytest.approx(exact)


def test_a_classifier_of_scikit_learn_is_audited_by_its_file(tmp_path: Path) -> None:
    skops_io = pytest.importorskip("skops.io")
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    rows = [(f"the film was shown in room {n}", 1) for n in range(8)] + [
        (f"a movie in room {n}", 0) for n in range(8)
    ]
    model = make_pipeline(TfidfVectorizer(), LogisticRegression(C=100)).fit(*zip(*rows, strict=True))
    skops_io.dump(model, tmp_path / "model.skops")
    name = f"skops:{tmp_path / 'model.skops'}"
    found = audit(name, texts(tmp_path, rows), tmp_path / "page.html", n=None, progress=False)
    assert found.figures.right == 16
    (swap,) = (one for one in found.findings if (one.rule.word, one.rule.substitute) == ("movie", "film"))
    flipped = model.predict([text.replace("movie", "film") for text, label in rows if not label])
    assert (swap.rate.count, swap.rate.of) == (sum(flipped), 8)
    assert swap.explanation is Explanation.LEARNED
    page = on_page(tmp_path / "page.html")
    assert page["victim"] == name
    (shown,) = (one for one in page["findings"] if (one["word"], one["substitute"]) == ("movie", "film"))
    assert (shown["rate"]["count"], shown["rate"]["of"], shown["label_name"]) == (sum(flipped), 8, "0")
    assert shown["seen"] == {"word": [8, 0], "substitute": [0, 8]}


def test_every_flip_that_is_listed_is_one(tmp_path: Path) -> None:
    victim = Linear(1.0)
    data = corpus(tmp_path, SENTENCES, [victim.label((text,)) for text in SENTENCES])
    found = audit(Counting(), data, tmp_path / "page.html", n=None, support=1, most=1000, progress=False)
    assert found.figures.right == len(SENTENCES)
    assert sum(1 + len(finding.others) for finding in found.findings) == found.rules > 20
    lows = [(list(Explanation).index(finding.explanation), -finding.rate.interval[0]) for finding in found.findings]
    assert lows == sorted(lows)
    for finding in found.findings:
        assert len(finding.examples) == min(3, finding.rate.count)
        for _, before, word, substitute, after in finding.examples:
            assert before + word + after in SENTENCES
            label = victim.label((before + word + after,))
            assert data.labels[label] == finding.rule.label
            assert victim.label((before + substitute + after,)) != label


def test_a_hostile_text_shows_as_text(tmp_path: Path) -> None:
    data = texts(tmp_path, [(HOSTILE, 1), (HOSTILE + " film", 1), ("<b>movie</b>", 0)])
    victim = Biased()
    found = audit(victim, data, tmp_path / "page.html", n=None, support=1, progress=False)
    assert any("<script>" in example.before for finding in found.findings for example in finding.examples)
    source = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script>alert" not in source
    assert "<img" not in source
    assert HOSTILE in "".join(
        example["before"] + example["word"] + example["after"]
        for finding in on_page(tmp_path / "page.html")["findings"]
        for example in finding["examples"]
    )
    assert "\x1b" not in source
    assert "Content-Security-Policy" in source


def test_nothing_to_tell(tmp_path: Path) -> None:
    data = texts(tmp_path, [("the of", 0), ("", 0)])
    found = audit(Biased(), data, tmp_path / "page.html", n=None, progress=False)
    assert found.findings == ()
    assert on_page(tmp_path / "page.html")["findings"] == []


def audited(folder: Path, films: int, others: int) -> FlippingRule:
    rows = [(f"the film number {n} is fine", 1) for n in range(films)]
    rows += [(f"a movie like number {n}", 0) for n in range(others)]
    found = audit(Biased(), texts(folder, rows), folder / "page.html", n=None, support=1, progress=False)
    (film,) = (one for one in found.findings if (one.rule.label, one.rule.word) == ("1", "film"))
    return film


@pytest.mark.parametrize("films", [2, 4])
def test_a_flip_in_few_texts_is_no_bias_whatever_the_data_says(tmp_path: Path, films: int) -> None:
    film = audited(tmp_path, films, 40)
    assert fisher_less(Rate(0, 40), Rate(films, films)) < 0.025, "the data leans"
    assert film.explanation is Explanation.FEW
    assert film.evidence == f"seen in {films} texts only: too few to tell"
    assert film.evidence in {one["evidence"] for one in on_page(tmp_path / "page.html")["findings"]}


def test_a_flip_no_oftener_than_by_any_word_is_no_bias(tmp_path: Path) -> None:
    class Brittle(TextVictim):
        """Keeps its answer about texts as they are, and half of the time about no other."""

        labels = ("negative", "positive")

        def __init__(self, known: Sequence[str]) -> None:
            self.known = set(known)

        def __repr__(self) -> str:
            return "Brittle()"

        def probabilities(self, inputs: Sequence[Input]) -> ArrayLike:
            right = [text in self.known or sum(map(ord, text)) % 2 == 0 for (text,) in inputs]
            return [
                [0.1, 0.9] if sure == ("film" in text) else [0.9, 0.1]
                for sure, (text,) in zip(right, inputs, strict=True)
            ]

    rows = [(f"the film number {n} is fine", 1) for n in range(8)] + [(f"a story number {n}", 0) for n in range(8)]
    victim = Brittle([text for text, _ in rows])
    found = audit(victim, texts(tmp_path, rows), tmp_path / "page.html", n=None, progress=False)
    assert found.any_replacement.value is not None
    assert found.any_replacement.value > 0.3
    few = [one for one in found.findings if one.explanation is Explanation.FEW and one.rate.of >= 5]
    assert few
    assert all(one.evidence.startswith("not clearly oftener than any replacement (") for one in few)
    sure = [one for one in found.findings if one.explanation is not Explanation.FEW]
    assert all(one.rate.interval[0] > found.any_replacement.value for one in sure)
