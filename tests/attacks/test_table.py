"""The table: every attack against every victim, on every kind of text, keeps what all attacks promise."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.attacks.masked_toy import toy_masked_model
from tests.toys import BagOfWords, labelled, outcomes

from unfool import attacks
from unfool.attacks import Attack, find_attack
from unfool.engine import Budget, Goal, Outcome, Predictor, Status
from unfool.errors import UserError
from unfool.text import Sample, Text
from unfool.victims import require

ATTACKS = [
    "a2t",
    "a2t:substitutes=masked,similarity=-1,model=MASKED",
    "asmax-ec:candidates=30",
    "asmax-gr",
    "asmin-ec:candidates=30,row=column_mean,marks=false",
    "asmin-gr:layer=-1,head=0",
    "bae:model=MASKED",
    "bae:change=insert,similarity=-1,model=MASKED",
    "bae:change=both,candidates=5,model=MASKED",
    "bad-characters:population=8,generations=2",
    "bad-characters:kind=invisible,population=4,generations=2,changes=1",
    "bad-characters:kind=reordering,search=greedy,changes=2",
    "bad-characters:kind=deletion,population=5,generations=2",
    "beam:width=2,steps=3",
    "bert-attack:model=MASKED",
    "bert-attack:candidates=30,logit=-2.0,most=0.9,model=MASKED",
    "best-first:expansions=2",
    "best-of-n:n=10",
    "charmer:edits=2,slots=3,alphabet=ab",
    "checklist",
    "clare:candidates=5,model=MASKED",
    "clare:chance=0.02,steps=1,similarity=-1,model=MASKED",
    "deepwordbug",
    "deepwordbug:score=combined,change=substitute",
    "encodings",
    "encodings:kind=all,where=text",
    "faster-genetic:population=8,generations=4,surprise=none",
    "gcg:tokens=2,steps=2,candidates=9,swaps=6",
    "gcg:tokens=1,steps=2,candidates=5,swaps=4,buffer=2,start=film",
    "ga:population=10,generations=4",
    "ga:substitutes=counter-fitted,population=8,nearest=5",
    "greedy-synonym",
    "gs-ec:candidates=30",
    "gs-gr",
    "gs-gr:order=best,candidates=60",
    "hard-label:starts=20",
    "hotflip",
    "hotflip:width=1,operations=flips,score=loss,budget=0.3",
    "hotflip-exact:width=1,operations=flips",
    "hotflip-word:cosine=0.4",
    "hotflip-word:cosine=0.4,positions=best,width=1,flips=3",
    "iga:population=8,generations=3,nearest=5",
    "input-reduction",
    "jsma",
    "jsma:projection=cosine,most=3",
    "key:budget=0.03",
    "key-star:draws=3,budget=0.1",
    "kuleshov:nearest=5,surprise=none",
    "leap:population=6,generations=2",
    "list",
    "morpheus",
    "noise",
    "noise:kind=full",
    "pso:population=6,generations=2",
    "pruthi",
    "pruthi:kind=key,slips=2",
    "pwws",
    "pwws:variant=released",
    "pwws:variant=adjusted,same_pos=false",
    "random:trials=20",
    "random-search:length=6,steps=4,draws=4",
    "seq2sick:steps=20",
    "strongest-swap:nb=zoo:NB@toy",
    "strongest-swap:n=3,replacement=strongest,nb=zoo:NB@toy",
    "tack-on:nb=zoo:NB@toy",
    "textbugger",
    "textfooler",
    "textfooler:variant=released",
    "textfooler:variant=adjusted,similarity=0.5,short=skip",
    "textfooler:compare=original,tags=penn,random_share=0.9",
    "triggers:data=LAYOUT,texts=2,candidates=2,width=1,rounds=1",
    "typos:kind=keyboard,tries=20",
    "typos:kind=keyboard,language=de,tries=5",
    "viper:draws=10",
    "viper:space=confusables,share=0.1,draws=5",
]
"""A new attack is one line here."""

ASK_NOTHING = ("noise", "strongest-swap", "tack-on", "triggers")
"""Attacks that change a text without asking the victim about it."""
FOOL_NONE = ("checklist", "input-reduction")
"""Attacks that fool no toy: its texts have no names or contractions, or the answer is to stay."""

PLAIN = [
    "A good film with a fine cast and a clever plot.",
    "The story is dull, the acting awful; I left early!",
    "great fun for the whole family",
    "It isn't so-so: it's the worst movie of the year, badly written and poorly directed by people who knew.",
    "an honest and touching portrait of a small town",
    "The LAST scene made me laugh (twice).",
]
ODD = {
    "empty": "",
    "white space": " \n\t ",
    "one word": "film",
    "one unknown word": "qzxv",
    "stop words": "the of and but not in it",
    "marks": "?! ... -- (*)",
    "emoji": "😀 👍 ❤️ 👩‍👩‍👧",
    "right to left": "הסרט היה נהדר, באמת! فيلم رائع",
    "odd spaces": "  good\u00a0film\t\tbad \n plot  ",
    "unknown characters": "g\u0301ood fi\u200blm \ufeffplot \0 end",
}
BUDGET = Budget(queries=150, words=0.4)
NET = frozenset({"gradients", "summaries", "zeroed"})
OFFERS = {
    "bag of words": frozenset[str](),
    "transformer": NET | {"attention", "embeddings", "tokenizing"},
    "net": NET | {"embeddings"},
    "net pairs": NET | {"embeddings"},
    "lstm": NET | {"embeddings"},
    "attention": NET | {"attention", "embeddings"},
    "attention pairs": NET | {"attention", "embeddings"},
    "characters": NET | {"characters"},
    "character pairs": NET | {"characters"},
}
"""What each victim offers beyond predictions."""
PAIRS = ("net pairs", "attention pairs", "character pairs")
BOTH = ("bag of words", "transformer")
WRONG = 1
"""The sample that the victim gets wrong without any attack."""


def test_no_attack_is_missing() -> None:
    assert {spec.partition(":")[0] for spec in ATTACKS} == set(attacks.ATTACKS.names())


def able(specs: Iterable[str]) -> list[tuple[str, str]]:
    """Each attack with each victim that offers what it needs."""
    return [
        (spec, victim_name)
        for spec in specs
        for victim_name, offers in OFFERS.items()
        if offers.issuperset(find_attack(spec).needs)
    ]


def able_to_read(specs: Iterable[str]) -> list[tuple[str, str, str]]:
    """The same, with each layout that the victim reads."""
    return [
        (spec, victim_name, layout)
        for spec, victim_name in able(specs)
        for layout in ("single", "pair")
        if victim_name in BOTH or (layout == "pair") == (victim_name in PAIRS)
    ]


BLACK_BOX = [spec for spec, victim_name in able(ATTACKS) if victim_name == "bag of words"]


def test_victims_offer_what_the_table_says(victims: dict[str, Predictor]) -> None:
    needs = {need for recipe in attacks.ATTACKS.all().values() for need in recipe.needs}
    assert {
        name: frozenset(need for need in needs if can(victim, need)) for name, victim in victims.items()
    } == OFFERS


def can(victim: Predictor, need: str) -> bool:
    try:
        require(victim, (need,), "an attack")
    except UserError:
        return False
    return True


@pytest.mark.parametrize("layout", ["single", "pair"])
def test_every_attack_meets_a_victim_it_can_attack(layout: str) -> None:
    assert {find_attack(spec).name for spec, _, way in able_to_read(ATTACKS) if way == layout} == set(
        attacks.ATTACKS.names()
    )


def attack_on(spec: str, layout: str = "single") -> Attack:
    """An attack, with training texts of a layout where it learns on some, and a toy to fill in words."""
    texts = str(Path(__file__).with_name("training") / f"{layout}.csv")
    return find_attack(spec.replace("LAYOUT", texts).replace("MASKED", str(toy_masked_model())))


def make_samples(victim: Predictor, layout: str) -> list[Sample]:
    texts = [
        Text.of(string)
        if layout == "single"
        else Text.pair(("premise", "A good plot, he said."), ("hypothesis", string), "hypothesis")
        for string in (*PLAIN, *ODD.values())
    ]
    answers = victim.check([text.strings for text in texts]).result().values.argmax(axis=1).tolist()
    labels = [label if number != WRONG else 1 - label for number, label in enumerate(answers)]
    return [Sample(number, text, label) for number, (text, label) in enumerate(zip(texts, labels, strict=True))]


def assert_promises(victim: Predictor, sample: Sample, outcome: Outcome, budget: Budget = BUDGET) -> None:
    assert outcome.original == sample.text.strings
    for field, before, after in zip(sample.text.fields, outcome.original, outcome.perturbed, strict=True):
        assert field.editable or before == after
    assert outcome.queries <= (budget.queries or 0)
    assert outcome.reason != "over the edit budget"
    assert outcome.words_changed <= (budget.words or 0) * max(1, outcome.words)
    answer = int(victim.check([outcome.perturbed]).result().values[0].argmax())
    assert answer == outcome.after.label
    if outcome.status is Status.SUCCESS:
        assert answer != sample.label
        assert outcome.perturbed != outcome.original
    elif outcome.status is Status.FAILED:
        assert answer == sample.label
        assert outcome.keeps_rules
        assert outcome.reason != "no change proposed" or outcome.queries <= getattr(victim, "queries_a_text", 1)
    else:
        assert sample.id == WRONG


@pytest.mark.usefixtures("lexicons")
@pytest.mark.parametrize(("spec", "victim_name", "layout"), able_to_read(ATTACKS))
def test_every_attack_keeps_its_promises(
    spec: str, victim_name: str, layout: str, victims: dict[str, Predictor]
) -> None:
    victim, attack = victims[victim_name], attack_on(spec, layout)
    samples = make_samples(victim, layout)
    strings = [sample.text.strings for sample in samples]
    found = outcomes(victim, samples, attack, budget=BUDGET, seed=5, width=7)
    assert len(found) == len(samples)
    for sample, outcome in zip(samples, found, strict=True):
        assert_promises(victim, sample, outcome)
    assert [sample.text.strings for sample in samples] == strings
    assert found == outcomes(victim, samples[::-1], attack, budget=BUDGET, seed=5, width=512)


@pytest.mark.usefixtures("lexicons")
@pytest.mark.parametrize("spec", BLACK_BOX)
@pytest.mark.parametrize("goal", [Goal(), Goal(target=2), Goal(confidence=0.7), Goal(target=0, confidence=0.5)])
def test_success_means_the_goal_and_is_reached(spec: str, goal: Goal) -> None:
    victim = BagOfWords(3, scale=2.0)
    samples = labelled(victim, [*PLAIN, *(f"{text} {PLAIN[2]}" for text in PLAIN)])
    found = outcomes(victim, samples, attack_on(spec), goal=goal)
    fooled = [outcome for outcome in found if outcome.status is Status.SUCCESS]
    assert fooled or spec.startswith(FOOL_NONE)
    for outcome in fooled:
        answer = victim.probability_row(outcome.perturbed)
        assert answer.argmax() != outcome.label
        assert goal.target in (None, answer.argmax())
        assert answer.max() >= goal.confidence
    for outcome in found:
        if outcome.status is Status.FAILED:
            assert not goal.reached(victim.probability_row(outcome.perturbed), outcome.label)


@pytest.mark.usefixtures("lexicons")
@pytest.mark.parametrize("spec", BLACK_BOX)
@pytest.mark.parametrize("queries", [0, 1, 2, 17])
def test_small_query_budgets_are_kept(spec: str, queries: int) -> None:
    victim = BagOfWords()
    found = outcomes(victim, labelled(victim, PLAIN), attack_on(spec), budget=Budget(queries=queries))
    assert all(outcome.queries <= queries for outcome in found)
    assert (
        queries
        or spec.startswith((*ASK_NOTHING, "checklist"))
        or any(outcome.reason == "out of queries" for outcome in found)
    )


@pytest.mark.usefixtures("lexicons")
@pytest.mark.parametrize(("spec", "victim_name"), able(ATTACKS))
def test_five_thousand_words_are_no_trouble(spec: str, victim_name: str, victims: dict[str, Predictor]) -> None:
    pair = victim_name in PAIRS
    victim, attack = victims[victim_name], attack_on(spec, "pair" if pair else "single")
    # Pairs over the net's length are encoded whole at every ask, so they get fewer words.
    times = {"net pairs": 60, "attention pairs": 60, "character pairs": 15}.get(victim_name, 500)
    string = " ".join(["of the and to it in that by with from"] * times + PLAIN)
    text = Text.pair(("premise", PLAIN[0]), ("hypothesis", string), "hypothesis") if pair else Text.of(string)
    label = int(victim.check([text.strings]).result().values[0].argmax())
    (found,) = outcomes(victim, [Sample(0, text, label)], attack, budget=Budget(queries=30))
    assert found.queries <= 30
    assert found.status is not Status.SKIPPED


@pytest.mark.usefixtures("lexicons")
def test_random_choices_follow_the_seed() -> None:
    victim = BagOfWords()
    samples = labelled(victim, PLAIN)
    first, again, other = (outcomes(victim, samples, find_attack("random"), seed=seed) for seed in (1, 1, 2))
    assert first == again != other
