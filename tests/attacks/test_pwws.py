"""PWWS against a plain reading of the paper: no engine, one question after another."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest
from tests.toys import BagOfWords, labelled, outcomes

from unfool import data
from unfool.attacks import find_attack
from unfool.attacks.parts.names import Names, names_of
from unfool.engine import Status
from unfool.errors import UserError
from unfool.lexicon import tagger, wordnet, wordnet_pos
from unfool.text import Text

SUBJECTS = ("the film", "this story", "an old actor", "her first novel", "that long war movie", "the young cast")
VERBS = ("tells", "shows", "slowly destroys", "makes", "never finds")
OBJECTS = (
    "a great and funny love story",
    "the worst idea",
    "poor people in a big town",
    "some good old music",
    "hope",
)
SENTENCES = [f"{subject} {VERBS[n % 5]} {OBJECTS[(n * 3 + n // 5) % 5]}" for n, subject in enumerate(SUBJECTS * 5)]


class PlainPWWS:
    """The algorithm of Ren et al. (2019), section 3, sentence by sentence."""

    def __init__(self, victim: BagOfWords, sentence: str) -> None:
        self.victim, self.words = victim, sentence.split()
        self.gold = victim.label((sentence,))

    def probability(self, words: list[str]) -> float:
        return round(float(self.victim.probability_row((" ".join(words),))[self.gold]), self.victim.decimals)

    def with_word(self, position: int, word: str) -> list[str]:
        return [*self.words[:position], word, *self.words[position + 1 :]]

    def candidates(self, position: int) -> list[str]:
        """Synonyms of the word's part of speech; the paper replaces nouns, verbs, adjectives and adverbs."""
        (tags,) = tagger("textblob")([self.words])
        if tags[position][:2] not in ("NN", "VB", "JJ", "RB"):
            return []
        return [s for s in wordnet().synonyms(self.words[position], wordnet_pos(tags[position])) if " " not in s]

    def attack(self) -> str:
        base = self.probability(self.words)
        places = range(len(self.words))
        saliency = [base - self.probability(self.with_word(i, self.victim.unknown)) for i in places]
        total = sum(math.exp(value) for value in saliency)
        scored = []
        for i in places:
            drops = {word: base - self.probability(self.with_word(i, word)) for word in self.candidates(i)}
            if drops:
                best = max(drops, key=lambda word: drops[word])
                scored.append((drops[best] * math.exp(saliency[i]) / total, i, best))
        for _, i, best in sorted(scored, key=lambda score: (-score[0], score[1])):
            self.words = self.with_word(i, best)
            if self.victim.label((" ".join(self.words),)) != self.gold:
                break
        return " ".join(self.words)


@pytest.mark.usefixtures("lexicons")
def test_the_recipe_ends_where_the_plain_reading_ends() -> None:
    victim = BagOfWords(scale=1.5, lean=5.0)
    samples = labelled(victim, SENTENCES)
    found = outcomes(victim, samples, find_attack("pwws"))
    assert len({sample.text.strings for sample in samples}) == 30
    assert [outcome.perturbed[0] for outcome in found] == [PlainPWWS(victim, s).attack() for s in SENTENCES]
    assert {Status.SUCCESS, Status.FAILED} == {outcome.status for outcome in found}, "both ends should be tried"
    assert max(outcome.words_changed for outcome in found if outcome.status is Status.SUCCESS) > 1


@pytest.mark.usefixtures("lexicons")
def test_variants_differ_as_they_say() -> None:
    victim = BagOfWords(scale=1.5, lean=8.0)
    samples = labelled(victim, SENTENCES)
    paper, adjusted, released = (
        outcomes(victim, samples, find_attack(f"pwws:variant={name}")) for name in ("paper", "adjusted", "released")
    )
    assert paper != released
    for outcome in adjusted:
        if outcome.status is Status.FAILED:
            # Every change that was kept helped on its own.
            original, changed = Text.of(outcome.original[0]), Text.of(outcome.perturbed[0])
            base = victim.probability_row(original.strings)[outcome.label]
            for position, (old, new) in enumerate(zip(original.words, changed.words, strict=True)):
                if old != new:
                    assert victim.probability_row(original.replace(position, new).strings)[outcome.label] < base
    assert any(a.words_changed < b.words_changed for a, b in zip(adjusted, paper, strict=True))


@pytest.mark.usefixtures("lexicons")
def test_the_case_of_a_word_is_kept() -> None:
    victim = BagOfWords(scale=0.0)  # never fooled, so that every word with a synonym is replaced
    (found,) = outcomes(victim, labelled(victim, ["Film FILM film"]), find_attack("pwws"))
    first, second, third = found.perturbed[0].split()
    assert first[0].isupper()
    assert not first.isupper()
    assert second.isupper()
    assert third.islower()
    assert found.words_changed == 3


NEWS = {
    "0": ["Bush went to Iraq", "Bush met Blair in Baghdad", "Blair left Iraq for London", "the Iraq war of Bush"],
    "1": [
        "Williams won in Athens",
        "Williams and Jones in Athens",
        "Rooney left Paris",
        "a fan of Athens and London",
    ],
}
"""Persons and places by label; London is common in both."""


@pytest.fixture
def news(tmp_path: Path) -> Path:
    rows = [f"{text},{label}" for label, texts in NEWS.items() for text in texts]
    file = tmp_path / "news.csv"
    file.write_text("\n".join(["text,label", *rows]) + "\n")
    return file


@pytest.mark.usefixtures("lexicons")
def test_a_name_may_become_the_commonest_of_its_kind_in_other_classes(news: Path) -> None:
    victim = BagOfWords(scale=0.0)  # never fooled, so that every word that has a candidate is replaced
    texts = ["Putin left Moscow", "they left LONDON", "they left Holland"]
    plain, named, alone = (
        [outcome.perturbed[0].split() for outcome in outcomes(victim, labelled(victim, texts), find_attack(spec))]
        for spec in ("pwws", f"pwws:entities={news}", f"pwws:entities={news},variant=released")
    )
    assert plain == [["Putin", "leave", "Moscow"], ["they", "leave", "LONDON"], ["they", "leave", "Netherlands"]]
    # Of equal drops the first counts, so that a name, which joins the synonyms last, shows where there are none.
    assert named == [["Williams", "leave", "Athens"], ["they", "leave", "ATHENS"], ["they", "leave", "Netherlands"]]
    assert [words[2] for words in alone] == ["Athens", "ATHENS", "Athens"]


@pytest.mark.usefixtures("lexicons")
def test_the_name_that_hurts_most_is_taken(news: Path) -> None:
    victim = BagOfWords(scale=3.0, lean=20.0)
    (sample,) = labelled(victim, ["Blair tells Moscow"])
    (found,) = outcomes(victim, [sample], find_attack(f"pwws:entities={news}"))
    for position, (name, old) in enumerate((("Williams", "Blair"), (None, "tells"), ("Athens", "Moscow"))):
        if name is None:
            continue
        synonyms = [word for word in wordnet().synonyms(old, "n") if " " not in word]
        rows = {
            word: float(victim.probability_row(sample.text.replace(position, word).strings)[sample.label])
            for word in [*synonyms, name]
        }
        assert Text.of(found.perturbed[0]).words[position] == min(rows, key=lambda word: rows[word])


@pytest.mark.usefixtures("lexicons")
def test_which_names_oppose_a_class() -> None:
    own = Counter({f"Own{n}": 50 - n for n in range(20)} | {"Paris": 90, "Will": 5, "will": 50, "However": 70})
    others = Counter({"Paris": 99, "Own3": 98, "Own17": 97, "Smith": 40, "Will": 60, "will": 70})
    names = Names([own, others])
    assert names.kind("Paris", "NNP") == "location"
    assert names.kind("Smith", "NNP") == "person"
    assert names.kind("Own3", "NNP") == names.kind("Qzxv", "NNP") == "other"
    assert names.kind("paris", "NNP") is names.kind("Paris", "JJ") is names.kind("Will", "NNP") is None
    # Paris is the class's own commonest place, Own3 among its fifteen commonest others, Own17 is not.
    assert names.opposing(0, "location") is None
    assert names.opposing(0, "other") == "Own17"
    assert names.opposing(0, "person") == "Smith"
    assert names.opposing(1, "other") == "Own0"


@pytest.mark.usefixtures("lexicons")
def test_names_of_the_news_are_of_the_other_labels() -> None:
    try:
        data.load("ag_news", split="train")
    except UserError as error:
        pytest.skip(f"AG News is not at hand: {error}")
    names, _ = names_of("ag_news")
    sports = 1
    # The authors' table has the same two for sports, found by spaCy in the whole of AG News.
    assert (names.opposing(sports, "person"), names.opposing(sports, "location")) == ("Bush", "Iraq")
