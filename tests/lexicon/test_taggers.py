import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unfool.errors import UserError
from unfool.lexicon import PENN, tagger, universal, wordnet_pos

SENTENCE = [
    "The",
    "actors",
    "were",
    "not",
    "really",
    "good",
    ",",
    "but",
    "I",
    "liked",
    "the",
    "two",
    "endings",
    ".",
]
ODD = ["", " ", "\n", "a b", "😀", "don't", "42", "£", '"', "...", "Ünïcode", "NN/JJ", "\0", "-"]

words = st.text(max_size=12) | st.sampled_from([*SENTENCE, *ODD])
texts = st.lists(st.lists(words, max_size=10), max_size=5)


def check(found: Sequence[Sequence[str]], given: Sequence[Sequence[str]]) -> None:
    assert [len(tags) for tags in found] == [len(sentence) for sentence in given]
    assert {tag for tags in found for tag in tags} <= PENN


@settings(deadline=None)
@given(texts)
def test_textblob_gives_every_word_one_penn_tag(sentences: list[list[str]]) -> None:
    check(tagger("textblob")(sentences), sentences)


@settings(deadline=None)
@given(st.lists(st.text(max_size=12) | st.sampled_from(SENTENCE), min_size=1, max_size=10))
def test_keeping_tags_of_words_changes_nothing(sentence: list[str]) -> None:
    from textblob.en import parser

    whole = [tag if tag in PENN else None for _, tag in parser.find_tags(sentence)]
    ours = tagger()([sentence])[0]
    assert [tag for tag, theirs in zip(ours, whole, strict=True) if theirs] == [tag for tag in whole if tag]


def test_words_get_the_tags_that_the_package_gives_them() -> None:
    from textblob.en import lexicon, parser

    words = [word + ending for word in [*lexicon][::100] for ending in ("", "ly", "ing", "xs")]
    for before in ([], [""]):
        theirs = [parser.find_tags([*before, word])[-1][1] for word in words]
        ours = [tags[-1] for tags in tagger()([[*before, word] for word in words])]
        assert len(set(ours)) > 20
        assert [our for our, their in zip(ours, theirs, strict=True) if their in PENN] == [
            their for their in theirs if their in PENN
        ]


def test_textblob_on_a_plain_sentence() -> None:
    expected = ["DT", "NNS", "VBD", "RB", "RB", "JJ", ",", "CC", "PRP", "VBD", "DT", "CD", "NNS", "."]
    assert tagger()([SENTENCE, []]) == [tuple(expected), ()]


def test_textblob_is_fast() -> None:
    sentences = [SENTENCE] * 2000
    tagger()(sentences[:1])
    start = time.process_time()
    tagger()(sentences)
    assert len(SENTENCE) * 2000 / (time.process_time() - start) > 150_000


def test_threads_that_start_together_agree() -> None:
    fresh = type(tagger("textblob"))()
    with ThreadPoolExecutor(8) as pool:
        answers = set(pool.map(lambda _: fresh([SENTENCE])[0], range(16)))
    assert len(answers) == 1


def test_spacy_gives_every_word_one_penn_tag() -> None:
    pytest.importorskip("spacy")
    tags = tagger("spacy")

    @settings(max_examples=50, deadline=None)
    @given(texts)
    def holds(sentences: list[list[str]]) -> None:
        check(tags(sentences), sentences)

    holds()
    first = tags([SENTENCE, ODD, SENTENCE])
    assert first == tags([SENTENCE, ODD, SENTENCE])
    assert first[0][-2:] == ("NNS", ".")


def test_spacy_that_is_missing_is_the_users_error() -> None:
    script = """
import sys
sys.modules["spacy"] = None
from unfool.errors import UserError
from unfool.lexicon import tagger
tags = tagger("spacy")
try:
    tags([["a"]])
except UserError as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert said == "the tagger 'spacy' needs spaCy: pip install 'unfool[spacy]'\n"


def test_an_unknown_tagger_suggests_the_right_one() -> None:
    with pytest.raises(UserError, match="no tagger 'texblob'; did you mean 'textblob'"):
        tagger("texblob")


def test_the_repr_rebuilds_it() -> None:
    for name in ("textblob", "spacy"):
        assert eval(repr(tagger(name))) is tagger(name)


@pytest.mark.parametrize(
    ("penn", "coarse", "letter"),
    [
        ("NNPS", "NOUN", "n"),
        ("VBG", "VERB", "v"),
        ("MD", "VERB", None),
        ("JJR", "ADJ", "a"),
        ("RBS", "ADV", "r"),
        ("WRB", "ADV", None),
        ("RP", "PRT", None),
        ("TO", "PRT", None),
        ("IN", "ADP", None),
        ("CC", "CONJ", None),
        ("CD", "NUM", None),
        ("PRP$", "PRON", None),
        ("WDT", "DET", None),
        ("UH", "X", None),
        ("-LRB-", ".", None),
        ("no such tag", "X", None),
    ],
)
def test_coarser_tags(penn: str, coarse: str, letter: str | None) -> None:
    assert universal(penn) == coarse
    assert wordnet_pos(penn) == letter
