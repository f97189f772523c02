"""Variants without a victim: distinct, seeded, within their limits, and made without PyTorch."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unfool
from tests.end_to_end.command import unfool as command
from unfool import resources
from unfool.errors import UserError
from unfool.job import augment
from unfool.lexicon import open_wordnet
from unfool.text import Text, diff

TEXT = "A wonderful film with a great cast and a clever plot, but it is far too long for most people."
MANY = [
    "deepwordbug",
    "pruthi:kind=swap",
    "pwws",
    "encodings",
    "charmer:edits=2,alphabet=ab",
    "beam:space=slips,steps=1",
]


@pytest.fixture(autouse=True, scope="module")
def _lists() -> None:
    for name in ("wordnet", "textblob", "counter-fitted", "stopwords", "confusables"):
        try:
            resources.get(name, progress=False)
        except UserError as error:
            pytest.skip(f"attacks need the resource {name}: {error}")


@pytest.mark.parametrize("attack", MANY)
def test_variants_differ_and_keep_the_limit(attack: str) -> None:
    found = list(unfool.perturb(TEXT, attack, n=6, seed=1, max_words=0.2))
    assert len(found) == len(set(found)) == 6
    assert TEXT not in found
    original = Text.of(TEXT)
    for variant in found:
        # What comes into a word may cut it in two, or join two of them.
        assert 1 <= diff(original, Text.of(variant)).words_changed <= 4 or attack.startswith(
            ("encodings", "charmer")
        )
    assert found == list(unfool.perturb(TEXT, attack, n=6, seed=1, max_words=0.2))
    assert set(unfool.perturb(TEXT, attack, n=3, seed=1, max_words=0.2)) <= set(found)
    assert found != list(unfool.perturb(TEXT, attack, n=6, seed=2, max_words=0.2))


@settings(max_examples=20, deadline=None)
@given(st.text("abc DE.,'", min_size=0, max_size=40), st.floats(0, 0.5))
def test_no_more_words_change_than_may(text: str, share: float) -> None:
    words = len(Text.of(text))
    for variant in unfool.perturb(text, "deepwordbug", n=3, max_words=share):
        changed = diff(Text.of(text), Text.of(variant)).words_changed
        assert 1 <= changed <= max(1, share * words + 1e-9)


def test_constraints_hold() -> None:
    found = list(unfool.perturb(TEXT, "pruthi", n=5, constrain="not-in-vocabulary,characters<=0.02"))
    assert found
    assert all(abs(len(variant) - len(TEXT)) <= 1 for variant in found)


def test_a_text_that_cannot_change_has_no_variants() -> None:
    assert list(unfool.perturb("...", "deepwordbug")) == []
    assert list(unfool.perturb("", "pwws")) == []


def test_what_looks_into_a_net_is_refused() -> None:
    with pytest.raises(UserError, match="'hotflip' needs a victim's gradients and characters"):
        list(unfool.perturb(TEXT, "hotflip"))


def test_labels_stay_with_their_texts() -> None:
    texts = ["a good film", "a bad film that nobody needs", "so so"] * 100
    labels = ["good", "bad", "neither"] * 100
    data = unfool.from_texts(texts, labels)
    found = list(augment(data, "deepwordbug", 2))
    assert [variants.sample for variants in found] == list(data)
    assert all(len(variants.texts) == 2 for variants in found[:2])
    # What came of a text does not hang on where it stands in the data, but for its own draws.
    assert len({variants.texts for variants in found[1::3]}) > 10


def test_no_torch_is_imported() -> None:
    code = (
        "import sys, unfool\n"
        f"assert list(unfool.perturb({TEXT!r}, 'deepwordbug', n=2))\n"
        f"assert list(unfool.perturb({TEXT!r}, 'pwws', n=2))\n"
        "assert not {'torch', 'transformers', 'sklearn', 'scipy'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_command_writes_a_data_set_once(tmp_path: Path) -> None:
    source = tmp_path / "data.csv"
    source.write_text('text,label\na good film with a plot,good\n"bad, ""bad"" film",bad\n', encoding="utf-8")
    arguments = ["augment", "--data", source, "--attack", "deepwordbug", "--per-text", 3, "--out"]
    for out in (tmp_path / "more.csv", tmp_path / "more.jsonl"):
        done = command(*arguments, out, cwd=tmp_path)
        assert "6 variants of 2 texts" in done.out, done.err
        again = unfool.load_data(str(out))
        assert [again.labels[sample.label] for sample in again] == ["good"] * 3 + ["bad"] * 3
    with (tmp_path / "more.csv").open(encoding="utf-8", newline="") as file:
        assert [row["id"] for row in csv.DictReader(file)] == ["0"] * 3 + ["1"] * 3
    refused = command(*arguments, tmp_path / "more.csv", cwd=tmp_path)
    assert refused.code
    assert "is there already" in refused.err
    nothing = ["augment", "--data", source, "--constrain", "words<=0", "--out", tmp_path / "none.csv"]
    assert "see --max-words" in command(*nothing, cwd=tmp_path).err


FRENCH = "Une histoire triste avec des personnages faibles, et je ne suis pas content du résultat."


@pytest.mark.parametrize("language", [None, "French"])
def test_variants_are_in_the_texts_language(language: str | None) -> None:
    try:
        resources.get("open-wordnet", progress=False)
    except UserError as error:
        pytest.skip(f"French synonyms need the resource open-wordnet: {error}")
    found = list(unfool.perturb(FRENCH, "greedy-synonym", n=4, max_words=0.2, language=language))
    synonyms = open_wordnet("French").synonyms
    for variant in found:
        pairs = zip(Text.of(FRENCH).words, Text.of(variant).words, strict=True)
        assert all(new == old or new.lower() in map(str.lower, synonyms(old)) for old, new in pairs)
    assert found


def test_a_language_that_an_attack_does_not_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="'greedy-synonym' reads English, not German; there is "):
        list(unfool.perturb("Ein Film.", "greedy-synonym", language="German"))
    data = tmp_path / "texts.csv"
    data.write_text("text,label\nUn film triste et long.,0\nUne belle histoire.,1\n", "utf-8")
    out = tmp_path / "more.csv"
    arguments = ["augment", "--data", data, "--attack", "textfooler", "--language", "French", "--out", out]
    done = command(*arguments, cwd=tmp_path)
    assert done.code
    assert "reads English, not French" in done.err
    assert not out.exists()
