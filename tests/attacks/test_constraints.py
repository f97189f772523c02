"""Constraints: each on cases made by hand, and what a user gets wrong."""

from __future__ import annotations

import pickle
from collections.abc import Sequence

import pytest
from tests.attacks.test_table import ODD
from tests.toys import BagOfWords, labelled, outcomes

from unfool import resources
from unfool.attacks import CONSTRAINTS, PROFILES, Constraint, find_constraints
from unfool.attacks.constraints.similarity import changed_stretches
from unfool.engine import Ask
from unfool.errors import UserError
from unfool.text import Sample, Text

NEEDS = {
    "word-similarity": "counter-fitted",
    "similarity": "minilm",
    "window-similarity": "minilm",
    "universal-similarity": "universal-sentence-encoder",
    "perplexity": "smollm2",
    "not-in-vocabulary": "counter-fitted",
}
PACKAGES = {"grammar": "harper", "perplexity": "gguf", "chrf": "sacrebleu"}


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
        # Of 30 letters one is another, and with it 2 of 29 pairs, 3 of 28 triples and so on: 86.8 % stay.
        ("chrf>=0.86", 1, "filn", True),
        ("chrf>=0.87", 1, "filn", False),
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
    texts = [original.insert(9, "too"), original.delete(5)]
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
    grown = changed.insert(0, "Well").insert(200, "then")
    assert kept(spec, original, [changed, grown, original.replace(430, "movies")]) == [False, False, True]


@pytest.mark.parametrize("name", CONSTRAINTS.names())
def test_odd_texts_are_judged_too(name: str) -> None:
    rule = CONSTRAINTS.find(name)
    spec = {"<": f"{name}<=1", ">": f"{name}>=1"}.get(rule.form.removeprefix(name)[:1], name)
    for string in (*ODD.values(), "word " * 700):
        original = Text.of(string)
        texts = [original, *(original.replace(spot, "qzxv") for spot in original.editable[-1:])]
        assert kept(spec, original, texts)[0] is True


@pytest.mark.parametrize("name", CONSTRAINTS.names())
def test_the_fixed_sentence_of_a_pair_is_left_out(name: str) -> None:
    rule = CONSTRAINTS.find(name)
    spec = {"<": f"{name}<=0.9", ">": f"{name}>=0.1"}.get(rule.form.removeprefix(name)[:1], name)
    have(name)
    original = Text.pair(("premise", "Teh catt sat mat."), ("hypothesis", FILM), "hypothesis")
    single = Text.of(FILM)
    for position, word in [(3, "great"), (1, "fiilm")]:
        pair = original.replace(4 + position, word)
        assert kept(spec, original, [pair]) == kept(spec, single, [single.replace(position, word)])


def test_stretches_hold_the_whole_change() -> None:
    original = Text.of(" ".join(f"w{number}" for number in range(10)) + ".")
    changed = original.replace(7, "x").insert(0, "new").delete(3)
    assert changed_stretches(original, changed, longest=4) == [
        ("w0 w1 w2", "new w0 w1"),
        (" w6 w7 w8 w9.", " w6 x w8 w9."),
    ]
    assert changed_stretches(original, changed) == [(str(original), str(changed))]
    grown = original.replace(7, "x").insert(3, "y").insert(0, "new")
    assert changed_stretches(original, grown, longest=4) == [
        ("w0 w1 w2", "new w0 w1 w2 y"),
        (" w6 w7 w8 w9.", " w6 x w8 w9."),
    ]
    assert changed_stretches(original, original, longest=4) == []


# Every attack under a constraint, judged by other means than the constraint's own.


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
        ("zebra<=1", r"unknown constraint 'zebra'; there is characters, chrf, grammar"),
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


def test_a_profile_is_its_constraints_and_what_is_beside_it_counts_for_more() -> None:
    for name, written in PROFILES.items():
        assert find_constraints(name) == find_constraints(written)
    assert find_constraints("paper") == ()
    assert repr(find_constraints("character")) == "(characters<=0.1, not-in-vocabulary, stop-words)"
    assert {repr(rule) for rule in find_constraints("uniform, words<=0.1")} == {
        "words<=0.1",
        "universal-similarity>=0.84",
    }
    with pytest.raises(UserError, match="given twice"):
        find_constraints("uniform,words<=0.1,words<=0.2")


def test_what_stands_far_from_a_change_is_not_read() -> None:
    filler, alone = " ".join(["so on"] * 20), "an honest tale of a small town told by a man who left it long ago"
    text, long = Text.of(alone), Text.of(f"{filler} {alone} {filler}")
    for limit in (0.6, 0.7, 0.8, 0.9, 0.95):
        changed = [
            [each.replace(each.words.index("town"), word) for word in ("village", "gangster", "not")]
            for each in (text, long)
        ]
        near, far = (kept(f"window-similarity>={limit}", *pair) for pair in zip((text, long), changed, strict=True))
        assert near == far
    assert kept("window-similarity>=0.98", text, [text, text.replace(6, "gangster")]) == [True, False]
    assert kept("window-similarity>=0.5", text, [text.delete(0), text.insert(3, "old")]) == [True, True]
