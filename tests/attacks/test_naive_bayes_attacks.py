"""Tack-on and strongest-swap against Naive Bayes weights worked out by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from tests.toys import BagOfWords, labelled, outcomes

from unfool.attacks import find_attack
from unfool.attacks.parts.naive_bayes import naive_bayes, word_tokens
from unfool.engine import Ask, Budget, Goal, Oracle
from unfool.errors import UserError
from unfool.text import Sample, Text
from unfool.victims import open_victim
from unfool.zoo.classical import NaiveBayesVictim, clean

TEXTS = [
    "A good film with a fine cast and a great plot.",
    "Dull, dull... and the plot is awful; bad film!",
    "great",
    "The film<br /><br />is n't bad, so the cast/plot is fine",
]


class StubbornBag(BagOfWords):
    """Never fooled: says the first label whatever it reads."""

    def __init__(self) -> None:
        super().__init__(scale=0.0, lean=5.0)


def opposing(model: NaiveBayesVictim, label: int) -> list[str]:
    """The five words with the largest ratio of another label's φ to this one's, in order."""
    ratios = {
        word: max(np.exp(column[k] - column[label]) for k in range(3) if k != label)
        for word, column in zip(model.vocabulary, model.model.log_phi.T, strict=True)
    }
    return sorted(ratios, key=lambda word: (-ratios[word], word))[:5]


def changes(before: str, after: str) -> dict[int, str]:
    pairs = zip(Text.of(before).words, Text.of(after).words, strict=True)
    return {position: new for position, (old, new) in enumerate(pairs) if old != new}


@pytest.mark.parametrize("text", TEXTS)
def test_tack_on_replaces_exactly_the_first_word(text: str, toy_naive_bayes: NaiveBayesVictim) -> None:
    victim = StubbornBag()
    drawn = set()
    for seed in range(60):
        (found,) = outcomes(victim, labelled(victim, [text]), find_attack("tack-on:nb=zoo:NB@toy"), seed=seed)
        (position, word), *others = changes(text, found.perturbed[0]).items()
        assert (position, others) == (0, [])
        assert found.queries == 0
        drawn.add(word)
    assert drawn == set(opposing(toy_naive_bayes, 0)), "each of the five should be drawn now and then"


@pytest.mark.parametrize("n", [1, 3, 5, 50])
@pytest.mark.parametrize("text", TEXTS)
def test_the_words_with_the_largest_sway_are_swapped(text: str, n: int, toy_naive_bayes: NaiveBayesVictim) -> None:
    victim, model = StubbornBag(), toy_naive_bayes
    (found,) = outcomes(victim, labelled(victim, [text]), find_attack(f"strongest-swap:n={n},nb=zoo:NB@toy"))
    index = {word: number for number, word in enumerate(model.vocabulary)}
    # As the model reads the text: cleaned, split at blanks, one word after the other.
    read = [index.get(token, index["unk"]) for token in clean(text)]
    phi = np.exp(model.model.log_phi[:, read])
    ratio = phi[0] / phi[1:].max(axis=0)
    strongest = sorted(range(len(read)), key=lambda number: (-ratio[number], number))[:n]
    after = clean(found.perturbed[0])
    assert len(after) == len(read)
    swapped = [number for number, token in enumerate(clean(text)) if after[number] != token]
    assert swapped == sorted(strongest)
    replaced = {after[number] for number in swapped if "plot" not in after[number]}
    assert replaced <= set(opposing(model, 0))


def test_the_strongest_replacement_is_always_the_same(toy_naive_bayes: NaiveBayesVictim) -> None:
    victim = StubbornBag()
    for replacement, expected in ("strongest", {opposing(toy_naive_bayes, 0)[0]}), ("random", None):
        spec = find_attack(f"strongest-swap:n=5,replacement={replacement},nb=zoo:NB@toy")
        found = outcomes(victim, labelled(victim, [TEXTS[0]] * 10), spec)
        words = Counter(word for outcome in found for word in changes(TEXTS[0], outcome.perturbed[0]).values())
        assert set(words) == (expected or set(opposing(toy_naive_bayes, 0)))


def test_a_target_has_words_of_its_own(toy_naive_bayes: NaiveBayesVictim) -> None:
    victim = BagOfWords(3, scale=0.0)
    sample = Sample(0, Text.of(TEXTS[0]), 0)
    for target in (1, 2):
        spec = find_attack("strongest-swap:replacement=strongest,nb=zoo:NB@toy")
        (found,) = outcomes(victim, [sample], spec, goal=Goal(target=target, confidence=1.0))
        assert set(changes(TEXTS[0], found.perturbed[0]).values()) == set(toy_naive_bayes.strongest(target, 1))


def test_words_are_those_between_blanks_and_line_breaks() -> None:
    text = Text.pair(
        ("premise", "not this"), ("hypothesis", "J.R. said: <br />no<br /> and/or so-so, br!"), "hypothesis"
    )
    positions, tokens = word_tokens(text)
    assert tokens == ["JR", "said", "no", "andor", "so-so", "br"]
    assert [text.words[position] for position in positions] == ["J", "said", "no", "and", "so-so", "br"]
    assert [clean(token)[0] for token in tokens] == clean(text.strings[1])


def test_a_model_that_weighs_no_words_or_too_few_labels_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = Sample(0, Text.of("film"), 0)
    with pytest.raises(UserError, match=r"nb=zoo:NB@imdb knows 3 labels and the victim has 4"):
        naive_bayes("zoo:NB@imdb", Ask(sample, Oracle(BagOfWords(4)), Goal(), Budget(), 0))
    monkeypatch.setattr("unfool.attacks.parts.naive_bayes.open_victim", lambda name, options: BagOfWords())
    with pytest.raises(UserError, match="nb=zoo:SVM-Linear@imdb is not a Naive Bayes"):
        naive_bayes("zoo:SVM-Linear@imdb", Ask(sample, Oracle(BagOfWords()), Goal(), Budget(), 0))


def test_data_nobody_named_are_told_with_the_setting_that_names_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unfool.attacks.parts.naive_bayes.open_victim", open_victim)
    ask = Ask(Sample(0, Text.of("film"), 0), Oracle(BagOfWords()), Goal(), Budget(), 0)
    with pytest.raises(
        UserError, match=r"nb=zoo:NB@absent\.csv: there is no file .*; name a Naive Bayes of data at hand"
    ):
        naive_bayes("zoo:NB@absent.csv", ask)


def test_settings_that_make_no_sense_are_refused() -> None:
    victim = BagOfWords()
    with pytest.raises(UserError, match="n=0"):
        outcomes(victim, labelled(victim, ["good"]), find_attack("strongest-swap:n=0"))
