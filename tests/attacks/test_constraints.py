"""Constraints: each on cases made by hand, every attack under strict ones, and what a user gets wrong."""

from __future__ import annotations

import difflib
import pickle
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.attacks.test_table import ODD, PLAIN
from tests.toys import BagOfWords, labelled, outcomes

from unfool import resources
from unfool.attacks import Attack, Constraint, attacks, constraint, find_attack, find_constraints, known_constraints
from unfool.attacks.constraints._compare import changed_stretches
from unfool.engine import Ask, Budget, Outcome, Predictor, Status
from unfool.errors import UserError
from unfool.lexicon import stop_words
from unfool.lexicon.encoders import sentence_encoder
from unfool.text import Delete, Insert, Sample, Text
from unfool.victims import require

NEEDS = {
    "word-similarity": "counter-fitted",
    "similarity": "minilm",
    "universal-similarity": "universal-sentence-encoder",
    "perplexity": "smollm2",
    "not-in-vocabulary": "counter-fitted",
}
PACKAGES = {"grammar": "harper", "perplexity": "gguf"}


def have(name: str) -> None:
    """Skip where what a constraint reads cannot be had."""
    if name in PACKAGES:
        pytest.importorskip(PACKAGES[name])
    if name in NEEDS:
        try:
            resources.get(NEEDS[name], progress=False)
        except UserError as error:
            pytest.skip(str(error))


def kept(spec: str, original: Text, texts: Sequence[Text], victim: BagOfWords | None = None) -> list[bool]:
    """Ask one constraint through the engine."""
    (rule,) = find_constraints(spec)
    have(rule.name)
    answers: list[bool] = []

    async def look(sample: Sample, ask: Ask) -> Text:
        answers.extend(await rule(ask, sample.text, texts))
        return sample.text

    model = victim or BagOfWords()
    outcomes(model, labelled(model, [original]), look)
    return answers


FILM = "The film is good and the cast is fine."


@pytest.mark.parametrize(
    ("spec", "position", "word", "keeps"),
    [
        ("words<=0.12", 1, "movie", True),
        ("words<=0.11", 1, "movie", False),
        ("words<=0", 1, "movie", False),
        ("characters<=0.03", 1, "fils", True),
        ("characters<=0.02", 1, "fils", False),
        ("characters<=0.1", 1, "painting", False),
        ("pos", 1, "movie", True),
        ("pos", 3, "great", True),
        ("pos", 3, "quickly", False),
        ("pos", 1, "slowly", False),
        ("stop-words", 1, "movie", True),
        ("stop-words", 0, "A", False),
        ("stop-words", 4, "but", False),
        ("word-similarity>=0.8", 1, "movie", True),
        ("word-similarity>=0.8", 1, "FILM", True),
        ("word-similarity>=0.8", 3, "bad", False),
        ("word-similarity>=0.8", 3, "qzxv", False),
        ("word-similarity>=-1", 3, "qzxv", False),
        ("similarity>=0.9", 1, "movie", True),
        ("similarity>=0.9", 1, "volcano", False),
        ("universal-similarity>=0.8", 1, "movie", True),
        ("universal-similarity>=0.8", 1, "volcano", False),
        ("grammar", 1, "movie", True),
        ("grammar", 1, "fiilm", False),
        ("perplexity<=2", 1, "movie", True),
        ("perplexity<=2", 1, "aluminium", False),
        ("not-in-vocabulary", 1, "fiilm", True),
        ("not-in-vocabulary", 1, "firm", False),
        ("not-in-vocabulary", 1, "Movie", False),
    ],
)
def test_one_changed_word(spec: str, position: int, word: str, keeps: bool) -> None:
    original = Text.of(FILM)
    assert kept(spec, original, [original, original.replace(position, word)]) == [True, keeps]


@pytest.mark.parametrize(
    ("spec", "added", "taken_out"),
    [
        ("words<=0.12", True, True),
        ("words<=0.1", False, False),
        ("pos", False, False),
        ("stop-words", True, False),
        ("word-similarity>=-1", False, False),
        ("similarity>=0.7", True, True),
        ("universal-similarity>=0.7", True, True),
        ("perplexity<=20", True, True),
        ("not-in-vocabulary", False, True),
    ],
)
def test_a_word_added_and_a_stop_word_taken_out(spec: str, added: bool, taken_out: bool) -> None:
    original = Text.of(FILM)
    texts = [original.apply(Insert(9, "too")), original.apply(Delete(5))]
    assert [str(text) for text in texts] == [
        "The film is good and the cast is fine too.",
        "The film is good and cast is fine.",
    ]
    assert kept(spec, original, texts) == [added, taken_out]


def test_existing_words_are_those_of_the_victim() -> None:
    class Known(BagOfWords):
        vocabulary = ("Film", "fiilm")

    original = Text.of(FILM)
    texts = [original.replace(3, "Fiilm"), original.replace(3, "movie")]
    assert kept("not-in-vocabulary", original, texts, Known()) == [False, True]


@pytest.mark.parametrize("spec", ["similarity>=0.9", "universal-similarity>=0.9"])
def test_the_end_of_a_long_text_counts(spec: str) -> None:
    original = Text.of("It was a quiet and honest film about two old friends. " * 40)
    changed = original
    for position in range(len(original) - 40, len(original)):
        changed = changed.replace(position, "volcano")
    grown = changed.apply(Insert(0, "Well"), Insert(200, "then"))
    assert kept(spec, original, [changed, grown, original.replace(430, "movies")]) == [False, False, True]


@pytest.mark.parametrize("name", [*known_constraints()])
def test_odd_texts_are_judged_too(name: str) -> None:
    rule = known_constraints()[name]
    spec = {"<": f"{name}<=1", ">": f"{name}>=1"}.get(rule.form.removeprefix(name)[:1], name)
    for string in (*ODD.values(), "word " * 700):
        original = Text.of(string)
        texts = [original, *(original.replace(spot, "qzxv") for spot in original.editable[-1:])]
        assert kept(spec, original, texts)[0] is True


@pytest.mark.parametrize("name", [*known_constraints()])
def test_the_fixed_sentence_of_a_pair_is_left_out(name: str) -> None:
    rule = known_constraints()[name]
    spec = {"<": f"{name}<=0.9", ">": f"{name}>=0.1"}.get(rule.form.removeprefix(name)[:1], name)
    have(name)
    original = Text.pair(("premise", "Teh catt sat mat."), ("hypothesis", FILM), "hypothesis")
    single = Text.of(FILM)
    for position, word in [(3, "great"), (1, "fiilm")]:
        pair = original.replace(4 + position, word)
        assert kept(spec, original, [pair]) == kept(spec, single, [single.replace(position, word)])


def test_stretches_hold_the_whole_change() -> None:
    original = Text.of(" ".join(f"w{number}" for number in range(10)) + ".")
    changed = original.replace(7, "x").apply(Insert(0, "new"), Delete(3))
    assert changed_stretches(original, changed, longest=4) == [
        ("w0 w1 w2", "new w0 w1"),
        (" w6 w7 w8 w9.", " w6 x w8 w9."),
    ]
    assert changed_stretches(original, changed) == [(str(original), str(changed))]
    grown = original.replace(7, "x").apply(Insert(3, "y"), Insert(0, "new"))
    assert changed_stretches(original, grown, longest=4) == [
        ("w0 w1 w2", "new w0 w1 w2 y"),
        (" w6 w7 w8 w9.", " w6 x w8 w9."),
    ]
    assert changed_stretches(original, original, longest=4) == []


# Every attack under a constraint, judged by other means than the constraint's own.


def pairs(outcome: Outcome) -> list[tuple[str, str]]:
    """The words that differ between the two texts, side by side; an empty string for none."""
    old, new = (
        [word.strip(".,;:!?()") for string in strings for word in string.split()]
        for strings in (outcome.original, outcome.perturbed)
    )
    found: list[tuple[str, str]] = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            width = max(b - a, d - c)
            before, after = old[a:b] + [""] * (width - b + a), new[c:d] + [""] * (width - d + c)
            found += zip(before, after, strict=True)
    return found


def few_words(outcome: Outcome) -> bool:
    return len(pairs(outcome)) <= 0.2 * outcome.words


def few_characters(outcome: Outcome) -> bool:
    longer = sum(abs(len(new) - len(old)) for old, new in pairs(outcome))
    return longer <= 0.05 * sum(map(len, outcome.original))


def same_stop_words(outcome: Outcome) -> bool:
    lost = Counter(old.lower() for old, _ in pairs(outcome)) - Counter(new.lower() for _, new in pairs(outcome))
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


def _cosine(a: NDArray[Any], b: NDArray[Any]) -> float:
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


JUDGES: dict[str, Callable[[Outcome], bool]] = {
    "words<=0.2": few_words,
    "characters<=0.05": few_characters,
    "stop-words": same_stop_words,
    "pos": same_parts_of_speech,
    "word-similarity>=0.7": near_words,
    "similarity>=0.9": near_sentences,
}
FEWER = {"random": "random:trials=20", "gs-ec": "gs-ec:candidates=60", "gs-gr": "gs-gr:candidates=60"}
SPECS = [FEWER.get(name, name) for name in attacks()]


def successes(victim: Predictor, attack: str, spec: str) -> list[Outcome]:
    recipe = find_attack(attack)
    try:
        require(victim, recipe.needs, recipe.name)
    except UserError as error:
        pytest.skip(str(error))
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
@pytest.mark.parametrize("attack", SPECS)
@pytest.mark.parametrize("victim_name", ["bag of words", "net"])
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
@pytest.mark.parametrize("attack", SPECS)
@pytest.mark.parametrize("victim_name", ["bag of words", "transformer", "net", "lstm", "attention", "characters"])
def test_what_cannot_be_kept_is_a_failure_with_a_reason(
    attack: str, victim_name: str, victims: dict[str, Predictor]
) -> None:
    assert successes(victims[victim_name], attack, "words<=0,pos,stop-words") == []


def test_every_attack_meets_a_victim_it_can_attack(victims: dict[str, Predictor]) -> None:
    for attack in attacks().values():
        able = [name for name, victim in victims.items() if can(victim, attack)]
        assert able, attack.name


def can(victim: Predictor, attack: Attack) -> bool:
    try:
        require(victim, attack.needs, attack.name)
    except UserError:
        return False
    return True


@pytest.mark.usefixtures("lexicons")
def test_a_word_that_keeps_the_constraint_takes_the_place_of_a_better_one() -> None:
    victim = BagOfWords()
    samples = labelled(victim, PLAIN)

    @constraint()
    async def short_words(ask: Ask, original: Text, texts: Sequence[Text]) -> list[bool]:
        return [all(len(word) < 9 for word in text.words) for text in texts]

    for attack in ("pwws", "greedy-synonym", "textfooler"):
        found = outcomes(victim, samples, find_attack(attack), constraints=[short_words])
        changed = [o for o in found if o.words_changed]
        assert changed
        for outcome in changed:
            assert not any(len(word) >= 9 for word in Text.of(outcome.perturbed[0]).words)


def test_an_attack_that_does_not_ask_is_found_out() -> None:
    victim = BagOfWords()
    samples = labelled(victim, ["a good film", "a bad film"])

    async def heedless(sample: Sample, ask: Ask) -> Text:
        text = sample.text.replace_all(["x"] * len(sample.text))
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


def test_cheap_ones_come_first_and_a_repr_rebuilds_them() -> None:
    found = find_constraints("perplexity<=3,similarity>=0.80, grammar,words <= .2,pos,")
    assert [repr(rule) for rule in found] == ["words<=0.2", "pos", "grammar", "similarity>=0.8", "perplexity<=3"]
    assert find_constraints(",".join(map(repr, found))) == found
    assert find_constraints("") == ()
    for rule in found:
        copy: Constraint = pickle.loads(pickle.dumps(rule))
        assert (repr(copy), copy) == (repr(rule), rule)
        assert rule.summary.endswith((".", "(Harper).", "token)."))


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("pso", r"unknown constraint 'pso'; did you mean 'pos'\?"),
        ("zebra<=1", r"unknown constraint 'zebra'; there is characters, grammar"),
        ("<=1", r"unknown constraint ''"),
        ("words", r"cannot read the constraint 'words'; it is written words<=NUMBER"),
        ("words>=0.2", r"'words>=0.2'; it is written words<=NUMBER"),
        ("words<0.2", r"'words<0.2'; it is written words<=NUMBER"),
        ("words<=", r"'words<='; it takes a number from 0 to 1"),
        ("words<=few", r"'words<=few'; it takes a number from 0 to 1"),
        ("words<=2", r"'words<=2'; it takes a number from 0 to 1"),
        ("words<=nan", r"it takes a number from 0 to 1"),
        ("similarity>=-2", r"it takes a number from -1 to 1"),
        ("perplexity<=-1", r"it takes a number of 0 or more"),
        ("perplexity<=inf", r"it takes a number of 0 or more"),
        ("pos>=1", r"'pos>=1'; it is written pos"),
        ("pos,words<=1,pos", r"'pos' is given twice in 'pos,words<=1,pos'"),
    ],
)
def test_mistakes_are_one_line_that_helps(spec: str, said: str) -> None:
    with pytest.raises(UserError, match=said) as caught:
        find_constraints(spec)
    assert "\n" not in str(caught.value)
