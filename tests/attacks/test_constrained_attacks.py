"""Attacks held to constraints: no success breaks one, and what cannot be kept is a failure with a reason."""

from __future__ import annotations

import difflib
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.attacks.test_table import PLAIN, WRONG, able, able_to_read, attack_on, make_samples
from tests.toys import BagOfWords, labelled, outcomes

from unfool import resources
from unfool.attacks import ATTACKS, constraint, find_attack, find_constraints
from unfool.engine import Ask, Budget, Outcome, Predictor, Status
from unfool.lexicon import stop_words
from unfool.lexicon.encoders import sentence_encoder
from unfool.text import Sample, Text


def pairs(outcome: Outcome) -> list[tuple[str, str]]:
    """The words that differ between the two texts, side by side; an empty string for none.

    A word with spaces put between its letters ("d u l l") is still that one word, and words run together are a pair
    of all of them and the one.
    """
    old, new = (
        [word.strip(".,;:!?()") for string in strings for word in string.split()]
        for strings in (outcome.original, outcome.perturbed)
    )
    old, new = rejoined(old, set(new)), rejoined(new, set(old))
    found: list[tuple[str, str]] = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            width = max(b - a, d - c)
            before, after = old[a:b] + [""] * (width - b + a), new[c:d] + [""] * (width - d + c)
            found += zip(before, after, strict=True)
    return found


def rejoined(words: list[str], whole: set[str]) -> list[str]:
    """Words as they are, but pieces that together spell one of `whole` become one word again."""
    found: list[str] = []
    at = 0
    while at < len(words):
        lengths = range(len(words) - at, 1, -1)
        length = next((n for n in lengths if "".join(words[at : at + n]) in whole), 1)
        found.append(" ".join(words[at : at + length]))
        at += length
    return found


def few_words(outcome: Outcome) -> bool:
    return sum(len(old.split()) or 1 for old, _ in pairs(outcome)) <= 0.2 * outcome.words


def few_characters(outcome: Outcome) -> bool:
    longer = sum(abs(len(new) - len(old)) for old, new in pairs(outcome))
    return longer <= 0.05 * sum(map(len, outcome.original))


def same_stop_words(outcome: Outcome) -> bool:
    before = Counter(word for old, _ in pairs(outcome) for word in old.lower().split())
    lost = before - Counter(new.lower() for _, new in pairs(outcome))
    return not any(word in stop_words("textfooler") for word in lost)


def same_parts_of_speech(outcome: Outcome) -> bool:
    from textblob.en import parser

    def kind(word: str, first: str) -> str:
        tag: str = parser.find_tags([word] if word == first else ["", word])[-1][1]
        return {"MD": "VB", "WR": "RB", "WP": "PR", "PD": "DT", "WD": "DT", "EX": "DT"}.get(tag[:2], tag[:2])

    firsts = [strings[0].split()[0] for strings in (outcome.original, outcome.perturbed)]
    return all(old and new and kind(old, firsts[0]) == kind(new, firsts[1]) for old, new in pairs(outcome))


def near_words(outcome: Outcome) -> bool:
    def near(old: str, new: str) -> bool:
        numbers = [vector_lines().get(word.lower()) for word in (old, new)]
        vectors = [np.array(line.split(), dtype=np.float64) for line in numbers if line]
        return len(vectors) == 2 and _cosine(*vectors) >= 0.6999

    return all(near(old, new) for old, new in pairs(outcome))


@cache
def vector_lines() -> dict[str, str]:
    with zipfile.ZipFile(resources.get("counter-fitted")) as archive:
        lines = archive.read("counter-fitted-vectors.txt").decode().splitlines()
    return {word: numbers for word, _, numbers in (line.partition(" ") for line in lines)}


def near_sentences(outcome: Outcome) -> bool:
    old, new = sentence_encoder("minilm").encode([outcome.original[0], outcome.perturbed[0]])
    return _cosine(old, new) >= 0.8999


def shared_letters(outcome: Outcome) -> bool:
    """ChrF2 as Popović (2015) has it: the mean of precision and recall over runs of one to six letters."""
    old, new = ("".join(strings[0].split()) for strings in (outcome.original, outcome.perturbed))
    precisions, recalls = [], []
    for length in range(1, 7):
        was, now = (Counter(text[at : at + length] for at in range(len(text) - length + 1)) for text in (old, new))
        if was and now:
            precisions.append((was & now).total() / now.total())
            recalls.append((was & now).total() / was.total())
    precision, recall = sum(precisions) / len(precisions), sum(recalls) / len(recalls)
    return 5 * precision * recall >= 0.85 * (4 * precision + recall) - 1e-9


def _cosine(a: NDArray[Any], b: NDArray[Any]) -> float:
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


JUDGES: dict[str, Callable[[Outcome], bool]] = {
    "words<=0.2": few_words,
    "characters<=0.05": few_characters,
    "stop-words": same_stop_words,
    "pos": same_parts_of_speech,
    "word-similarity>=0.7": near_words,
    "similarity>=0.9": near_sentences,
    "chrf>=0.85": shared_letters,
}
SETTINGS = {
    "bae": "bae:model=MASKED",
    "beam": "beam:width=2",
    "bert-attack": "bert-attack:model=MASKED",
    "charmer": "charmer:edits=2,slots=3,alphabet=ae",
    "clare": "clare:candidates=5,model=MASKED",
    "faster-genetic": "faster-genetic:population=8,generations=3,surprise=none",
    "kuleshov": "kuleshov:nearest=5,surprise=none",
    "pso": "pso:population=8,generations=3",
    "random": "random:trials=20",
    "gs-ec": "gs-ec:candidates=60",
    "gs-gr": "gs-gr:candidates=60",
    "strongest-swap": "strongest-swap:nb=zoo:NB@toy",
    "tack-on": "tack-on:nb=zoo:NB@toy",
    "triggers": "triggers:data=LAYOUT,texts=2,candidates=2,width=1,rounds=1",
    "typos": "typos:kind=keyboard",
}
SPECS = [SETTINGS.get(name, name) for name in ATTACKS.names()]


def successes(victim: Predictor, attack: str, spec: str) -> list[Outcome]:
    recipe = attack_on(attack)
    answers = victim.check([(string,) for string in PLAIN]).result().values.argmax(axis=1).tolist()
    samples = [
        Sample(number, Text.of(string), label)
        for number, (string, label) in enumerate(zip(PLAIN, answers, strict=True))
    ]
    found = outcomes(
        victim, samples, recipe, budget=Budget(queries=300), constraints=find_constraints(spec), seed=3
    )
    assert all(outcome.reason for outcome in found if outcome.status is Status.FAILED)
    return [outcome for outcome in found if outcome.status is Status.SUCCESS]


@pytest.mark.usefixtures("lexicons")
@pytest.mark.parametrize("spec", JUDGES)
@pytest.mark.parametrize(
    ("attack", "victim_name"), [(spec, name) for spec, name in able(SPECS) if name in ("bag of words", "net")]
)
def test_no_success_breaks_a_constraint(
    attack: str, spec: str, victim_name: str, victims: dict[str, Predictor]
) -> None:
    for outcome in successes(victims[victim_name], attack, spec):
        assert JUDGES[spec](outcome), outcome


@pytest.mark.usefixtures("lexicons")
@pytest.mark.parametrize("spec", ["words<=0.2", "characters<=0.05", "stop-words"])
@pytest.mark.parametrize(
    ("victim_name", "attack"),
    [
        *(("characters", attack) for attack in ("hotflip:width=3", "hotflip-exact:width=1")),
        *(("attention", attack) for attack in ("asmin-gr", "asmax-gr", "asmin-ec", "asmax-ec")),
    ],
)
def test_attacks_that_take_other_nets_break_none_either(
    attack: str, spec: str, victim_name: str, victims: dict[str, Predictor]
) -> None:
    for outcome in successes(victims[victim_name], attack, spec):
        assert JUDGES[spec](outcome), outcome


@pytest.mark.usefixtures("lexicons")
@pytest.mark.parametrize("spec", JUDGES)
def test_the_judges_do_find_what_breaks_a_constraint(spec: str) -> None:
    free = [o for attack in ("greedy-synonym", "random:trials=20") for o in successes(BagOfWords(), attack, "")]
    bound = [o for attack in ("greedy-synonym", "random:trials=20") for o in successes(BagOfWords(), attack, spec)]
    assert not all(map(JUDGES[spec], free))
    assert bound or spec != "words<=0.2"


@pytest.mark.usefixtures("lexicons")
@pytest.mark.parametrize(("attack", "victim_name", "layout"), able_to_read(SPECS))
def test_what_cannot_be_kept_is_a_failure_with_a_reason(
    attack: str, layout: str, victim_name: str, victims: dict[str, Predictor]
) -> None:
    victim, recipe = victims[victim_name], attack_on(attack, layout)
    samples = [sample for sample in make_samples(victim, layout) if sample.id != WRONG]
    bound = find_constraints("words<=0,pos,stop-words")
    found = outcomes(victim, samples, recipe, budget=Budget(queries=100), constraints=bound, seed=3)
    assert {outcome.status for outcome in found} == {Status.FAILED}
    assert all(outcome.reason for outcome in found)


@pytest.mark.usefixtures("lexicons")
def test_a_word_that_keeps_the_constraint_takes_the_place_of_a_better_one() -> None:
    victim = BagOfWords()
    samples = labelled(victim, PLAIN)

    @constraint()
    async def short_words(ask: Ask, original: Text, texts: Sequence[Text]) -> list[bool]:
        return [all(len(word) < 9 for word in text.words) for text in texts]

    for attack in ("pwws", "greedy-synonym", "textfooler"):
        found = outcomes(victim, samples, attack_on(attack), constraints=[short_words])
        changed = [o for o in found if o.words_changed]
        assert changed
        for outcome in changed:
            assert not any(len(word) >= 9 for word in Text.of(outcome.perturbed[0]).words)


def test_an_attack_that_does_not_ask_is_found_out() -> None:
    victim = BagOfWords()
    samples = labelled(victim, ["a good film", "a bad film"])

    async def heedless(sample: Sample, ask: Ask) -> Text:
        text = sample.text.replace_several(range(len(sample.text)), ["x"] * len(sample.text))
        ask.constraints = ()
        return text

    rules = find_constraints("pos,words<=0.5")
    found = outcomes(victim, samples, heedless, constraints=rules)
    assert {(outcome.status, outcome.reason) for outcome in found} == {
        (Status.FAILED, "breaks the constraint words<=0.5")
    }
    assert not any("constraint" in outcome.reason for outcome in outcomes(victim, samples, heedless))


@pytest.mark.usefixtures("lexicons")
def test_width_and_order_change_nothing() -> None:
    victim = BagOfWords()
    samples = labelled(victim, PLAIN)
    first, again = (
        outcomes(victim, some, find_attack("pwws"), constraints=find_constraints(spec), width=width)
        for some, spec, width in [
            (samples, "similarity>=0.8,pos", 2),
            (samples[::-1], "pos , similarity >= 0.80", 512),
        ]
    )
    assert first == again
