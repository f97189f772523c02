import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unfool import resources
from unfool.errors import UserError
from unfool.lexicon import WordNet, wordnet

SYNSETS = {
    "noun": [["picture_show", "film", "Movie"], ["coating", "film"]],
    "verb": [["film", "shoot"]],
    "adj": [["live", "alive(p)"]],
    "adv": [],
}
EXCEPTIONS = {"noun": "filmes film\n", "verb": "shot shoot\n", "adj": "", "adv": ""}


def write_wordnet(archive: Path) -> None:
    """Write a WordNet of four synsets in the form of the real one."""
    with zipfile.ZipFile(archive, "w") as files:
        for part, synsets in SYNSETS.items():
            data, index = "  1 a licence\n", dict[str, list[str]]()
            for words in synsets:
                offset = f"{len(data):08d}"
                data += f"{offset} 03 {part[0]} {len(words):02x} {' 0 '.join(words)} 0 000 | a gloss\n"
                for word in words:
                    index.setdefault(word.lower().removesuffix("(p)"), []).append(offset)
            lines = [f"{w} {part[0]} {len(o)} 0 {len(o)} 0 {' '.join(o)}  \n" for w, o in sorted(index.items())]
            files.writestr(f"wordnet/data.{part}", data)
            files.writestr(f"wordnet/index.{part}", "  1 a licence\n" + "".join(lines))
            files.writestr(f"wordnet/{part}.exc", EXCEPTIONS[part])


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> WordNet:
    archive = tmp_path_factory.mktemp("wordnet") / "wordnet.zip"
    write_wordnet(archive)
    return WordNet(lambda: archive, "tiny")


def test_synonyms_come_in_the_order_of_senses_without_the_word(tiny: WordNet) -> None:
    assert tiny.synonyms("film", "n") == ("picture show", "Movie", "coating")
    assert tiny.synonyms("film", "v") == ("shoot",)
    assert tiny.synonyms("film") == ("picture show", "Movie", "coating", "shoot")


@pytest.mark.parametrize("word", ["movie", "Movie", "MOVIE"])
def test_case_does_not_matter(tiny: WordNet, word: str) -> None:
    assert tiny.synonyms(word, "n") == ("picture show", "film")


def test_inflections_are_looked_up_by_their_base(tiny: WordNet) -> None:
    assert tiny.synonyms("filming", "v") == ("film", "shoot")
    assert tiny.synonyms("shot", "v") == ("film", "shoot")
    assert tiny.base_forms("shot", "v") == ("shoot",)
    assert tiny.base_forms("filmes", "n") == ("film",)


def test_phrases_and_markers(tiny: WordNet) -> None:
    assert tiny.synonyms("picture show") == ("film", "Movie")
    assert tiny.synonyms("live", "a") == ("alive",)


def test_an_unknown_part_of_speech_is_the_users_error(tiny: WordNet) -> None:
    with pytest.raises(UserError, match="no part of speech 'NOUN'; use one of n, v, a, r"):
        tiny.synonyms("film", "NOUN")


@given(word=st.text() | st.sampled_from(["film", "Films", "alive"]), pos=st.sampled_from([None, *"nvar"]))
def test_any_text_may_be_asked_for(tiny: WordNet, word: str, pos: str | None) -> None:
    found = tiny.synonyms(word, pos)
    assert len(set(found)) == len(found)
    assert word.lower() not in {f.lower() for f in found}


def test_it_is_read_once_whatever_the_number_of_threads(tmp_path: Path) -> None:
    write_wordnet(tmp_path / "wordnet.zip")
    read = []

    def archive() -> Path:
        read.append(1)
        return tmp_path / "wordnet.zip"

    shared = WordNet(archive, "shared")
    assert read == []
    with ThreadPoolExecutor(8) as pool:
        answers = set(pool.map(lambda _: shared.synonyms("film", "v"), range(50)))
    assert answers == {("shoot",)}
    assert read == [1]


def test_the_repr_rebuilds_it() -> None:
    assert eval(repr(wordnet())) is wordnet()


@pytest.mark.net
def test_kinds_of_names_agree_with_nltk(monkeypatch: pytest.MonkeyPatch) -> None:
    import nltk

    monkeypatch.setattr(nltk.data, "path", [str(resources.get("wordnet").parents[1])])
    from nltk.corpus import wordnet as reference

    found = []
    for word in [
        *sorted(reference.all_lemma_names("n"))[::97],
        "bush",
        "Paris",
        "hamas",
        "George_Bush",
        "dog",
        "zzz",
    ]:
        names = [s for s in reference.synsets(word, "n") if s.instance_hypernyms() and word.lower() in _lower(s)]
        kinds = [s.lexname().removeprefix("noun.") for s in names]
        expected = next((kind for kind in kinds if kind in ("person", "location", "group")), None)
        assert wordnet().name_kind(word.replace("_", " ")) == expected, word
        found.append(expected)
    assert set(found) == {"person", "location", "group", None}


def _lower(synset: Any) -> list[str]:
    return [name.lower() for name in synset.lemma_names()]


@pytest.mark.net
def test_it_agrees_with_nltk_on_the_real_wordnet(monkeypatch: pytest.MonkeyPatch) -> None:
    import nltk

    monkeypatch.setattr(nltk.data, "path", [str(resources.get("wordnet").parents[1])])
    from nltk.corpus import wordnet as reference

    lemmas = sorted(reference.all_lemma_names())[::97]
    inflected = ["movies", "better", "was", "running", "worst", "leaves", "women", "US", "axes", "fitted", "alive"]
    for word in [*lemmas, *inflected]:
        for pos in (None, *"nvar"):
            expected = dict.fromkeys(
                name.replace("_", " ") for s in reference.synsets(word, pos) for name in s.lemma_names()
            )
            same = word.lower().replace("_", " ")
            assert wordnet().synonyms(word.replace("_", " "), pos) == tuple(
                name for name in expected if name.lower() != same
            ), (word, pos)
