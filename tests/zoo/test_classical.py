from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.kernel_approximation import PolynomialCountSketch
from sklearn.preprocessing import normalize

from unfool import resources
from unfool.errors import UserError
from unfool.lexicon import Vectors
from unfool.text import Sample, Text
from unfool.training import Splits, load_splits
from unfool.zoo.classical import NAMES, Dictionary, NaiveBayes, NaiveBayesVictim, clean, load, models, train
from unfool.zoo.classical import dictionary as dictionary_module
from unfool.zoo.classical.models import PolynomialSketch, SupportVectors, features, fitted_machine

GOOD, BAD, DULL = ("good", "fine", "great"), ("bad", "poor", "awful"), ("grey", "long", "slow")
NEUTRAL = ("the", "film", "is", "a", "plot", "was", "dont")
WORDS = ("the", *sorted({*GOOD, *BAD, *DULL, *NEUTRAL, "unk"} - {"the"}))
SVMS = [name for name in NAMES if name.startswith("SVM")]
ODD = ["", "Good, GOOD film!", "zebra<br />awful", "the plot " * 200]


@pytest.fixture
def dictionary(monkeypatch: pytest.MonkeyPatch) -> Dictionary:
    """A tiny dictionary in GloVe's place."""
    vectors = np.random.default_rng(5).normal(size=(len(WORDS), 50)).astype(np.float32)
    monkeypatch.setattr(dictionary_module, "glove", lambda dim: Vectors(WORDS, vectors))
    return dictionary_module.glove_dictionary()


@pytest.fixture
def few_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorter concatenations, which are trained sooner."""
    monkeypatch.setattr(models, "CONCATENATED_WORDS", 20)


def drawn(count: int, seed: int, classes: int = 2) -> list[Sample]:
    generator = np.random.default_rng(seed)
    samples = []
    for number in range(count):
        label = number % classes
        words = [*generator.choice(NEUTRAL, generator.integers(1, 12)), generator.choice((BAD, GOOD, DULL)[label])]
        samples.append(Sample(number, Text.of(" ".join(generator.permutation(words))), label))
    return samples


def splits(classes: int = 2) -> Splits:
    labels = ("neg", "pos", "dull")[:classes]
    return Splits(drawn(90, 1, classes), drawn(30, 2, classes), drawn(45, 3, classes), labels, "abc")


def trained(name: str, folder: Path, seed: int = 0, classes: int = 2) -> Path:
    folder.mkdir()
    train(name, splits(classes), folder, seed, data="tiny")
    return folder


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I don't like <br /><br />IT, at all!", ["i", "dont", "like", "it", "at", "all"]),
        ("so-so café\u00a0no.5\ttwo\nlines", ["soso", "caf", "no5", "two", "lines"]),
        ("Great<BR />film_2", ["great", "film2"]),
        (" ?! ", []),
    ],
)
def test_cleaning(text: str, words: list[str]) -> None:
    assert clean(text) == words


@given(st.text())
def test_cleaning_keeps_letters_digits_and_the_places_of_blanks(text: str) -> None:
    plain = re.sub(r"[^a-z0-9\s]", "", text.lower().replace("<br />", " "))
    assert clean(text) == plain.split()


def test_unknown_words_are_read_as_one(dictionary: Dictionary) -> None:
    documents = dictionary.read(["good zebra", "", "UNK"])
    unknown = WORDS.index("unk")
    assert documents.ids.tolist() == [WORDS.index("good"), unknown, unknown]
    assert documents.starts.tolist() == [0, 2, 2, 3]


def test_naive_bayes_by_hand() -> None:
    words = Dictionary(Vectors(["unk", "good", "bad", "film"], np.zeros((4, 1), np.float32)))
    documents = words.read(["bad film", "bad zebra", "good, good film", "good"])
    model = NaiveBayes.fit(documents, np.array([0, 0, 1, 1]), 2, 4)
    # Both classes have four words and the dictionary has four: each φ is (1 + count) / 8.
    expected = [[2, 1, 3, 2], [1, 4, 1, 2]]
    np.testing.assert_allclose(np.exp(model.log_phi) * 8, expected, rtol=1e-12)
    np.testing.assert_allclose(model.sway(1), np.log([1 / 2, 4, 1 / 3, 1]), atol=1e-12)
    victim = NaiveBayesVictim(model, words, ("neg", "pos"), "nb")
    asked = victim.probabilities([("good bad",), ("",), ("xylophone film",)])
    np.testing.assert_allclose(asked, [[3 / 7, 4 / 7], [1 / 2, 1 / 2], [2 / 3, 1 / 3]], rtol=1e-12)
    assert math.isclose(float(model.scores(words.read(["good bad"]))[0, 1]), math.log(4 / 64))


def test_naive_bayes_has_no_prior() -> None:
    words = Dictionary(Vectors(["unk", "good", "bad"], np.zeros((3, 1), np.float32)))
    model = NaiveBayes.fit(words.read(["bad", "bad", "bad", "good good good"]), np.array([0, 0, 0, 1]), 2, 3)
    assert model.scores(words.read([""])).tolist() == [[0, 0]]
    np.testing.assert_allclose(*model.scores(words.read(["good bad"]))[0])


def test_the_strongest_words_come_in_alphabetical_order_where_equal() -> None:
    words = Dictionary(Vectors(["unk", "zest", "bad", "bliss", "film"], np.zeros((5, 1), np.float32)))
    model = NaiveBayes.fit(words.read(["bad film", "zest bliss film film"]), np.array([0, 1]), 2, 5)
    victim = NaiveBayesVictim(model, words, ("neg", "pos"), "nb")
    assert victim.strongest(1, 1) == ["bliss"]
    assert victim.strongest(1, 2) == ["bliss", "zest"]
    assert victim.strongest(0, 1) == ["bad"]


def test_sway_of_many_classes_is_over_the_strongest_other() -> None:
    model = NaiveBayes(np.log([[0.5, 0.5], [0.2, 0.8], [0.4, 0.6]]))
    np.testing.assert_allclose(model.sway(0), np.log([0.5 / 0.4, 0.5 / 0.8]))


@pytest.mark.usefixtures("few_places")
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_trained_kept_and_loaded(name: str, classes: int, dictionary: Dictionary, tmp_path: Path) -> None:
    folder = trained(name, tmp_path / "model", classes=classes)
    told = json.loads((folder / "config.json").read_text())
    assert told["classical"] == name
    assert told["labels"] == ["neg", "pos", "dull"][:classes]
    assert {"data": "tiny", "fingerprint": "abc", "seed": 0}.items() <= told["training"].items()
    assert told["training"]["validation"]["n"] == 30
    victim = load(folder, "zoo:some@tiny")
    assert repr(victim) == "zoo:some@tiny"
    assert victim.vocabulary == WORDS
    texts = [sample.text.strings for sample in splits(classes).test]
    probabilities = victim.probabilities(texts)
    right = probabilities.argmax(1) == [sample.label for sample in splits(classes).test]
    assert told["training"]["test"] == {"share": right.mean(), "n": 45}
    # Where a word stands says nothing here, and that is all the concatenated vectors see.
    assert right.mean() > (0.4 if name == "SVM-Concat" else 0.9)
    odd = victim.probabilities([(text,) for text in ODD])
    np.testing.assert_allclose(odd.sum(axis=1), 1)


@pytest.mark.usefixtures("few_places")
@pytest.mark.parametrize("name", NAMES)
def test_a_loaded_model_answers_what_the_trained_one_did_bitwise(
    name: str, dictionary: Dictionary, tmp_path: Path
) -> None:
    first, second = trained(name, tmp_path / "a"), trained(name, tmp_path / "b")
    assert (first / "model.safetensors").read_bytes() == (second / "model.safetensors").read_bytes()
    documents = dictionary.read([str(sample.text) for sample in splits().train] + ODD)
    labels = np.array([sample.label for sample in splits().train])
    seen = (dictionary.read(str(sample.text) for sample in splits().train), labels)
    if name == "NB":
        made: NaiveBayes | SupportVectors = NaiveBayes.fit(*seen, 2, len(WORDS))
    else:
        drawn_hashes = PolynomialSketch.draw(len(WORDS), 0).arrays if name == "SVM-Poly" else {}
        held = splits().validation
        validation = (dictionary.read(str(s.text) for s in held), np.array([s.label for s in held]))
        made = SupportVectors.fit(features(name, dictionary, drawn_hashes), seen, validation, 0)
    np.testing.assert_array_equal(load(first).model.scores(documents), made.scores(documents))


@pytest.mark.usefixtures("few_places")
@pytest.mark.parametrize("name", SVMS)
def test_another_seed_gives_other_weights(name: str, dictionary: Dictionary, tmp_path: Path) -> None:
    first, second = load(trained(name, tmp_path / "a")), load(trained(name, tmp_path / "b", seed=1))
    assert isinstance(first.model, SupportVectors)
    assert isinstance(second.model, SupportVectors)
    assert not np.array_equal(first.model.weights, second.model.weights)


@pytest.mark.usefixtures("few_places")
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", SVMS)
def test_margins_are_those_of_scikit_learn(name: str, classes: int, dictionary: Dictionary) -> None:
    samples = splits(classes)
    drawn_hashes = PolynomialSketch.draw(len(WORDS), 0).arrays if name == "SVM-Poly" else {}
    seen = features(name, dictionary, drawn_hashes)
    documents = dictionary.read(str(sample.text) for sample in samples.train)
    machine = fitted_machine(seen, documents, np.array([sample.label for sample in samples.train]), 0)
    model = SupportVectors(seen, machine.coef_.astype(np.float64), machine.intercept_.astype(np.float64))
    asked = dictionary.read([*(str(sample.text) for sample in samples.test), *ODD])
    theirs = machine.decision_function(seen.matrix(asked)).reshape(len(asked), -1)
    np.testing.assert_allclose(model.margins(asked), theirs, rtol=1e-4, atol=1e-4)
    assert (model.scores(asked).argmax(1) == machine.predict(seen.matrix(asked))).all()


def test_the_sketch_is_that_of_scikit_learn(dictionary: Dictionary) -> None:
    documents = dictionary.read(ODD)
    theirs = PolynomialCountSketch(degree=2, coef0=1, n_components=4096, random_state=3)
    counts = normalize(features("SVM-Linear", dictionary, {}).matrix(documents))
    ours = PolynomialSketch.draw(len(WORDS), 3).matrix(documents)
    np.testing.assert_allclose(ours, theirs.fit_transform(counts), atol=1e-6)


def test_mean_and_concatenated_vectors(dictionary: Dictionary) -> None:
    vectors = dictionary.vectors
    documents = dictionary.read(["good film", "", " ".join(["bad"] * 250 + ["good"])])
    good, film, bad = (vectors[WORDS.index(word)] for word in ("good", "film", "bad"))
    mean = features("SVM-Mean", dictionary, {}).matrix(documents)
    np.testing.assert_allclose(mean[0], (good + film) / 2, rtol=1e-6)
    assert not mean[1].any()
    rows = features("SVM-Concat", dictionary, {}).matrix(documents).reshape(3, 250, 50)
    np.testing.assert_array_equal(rows[0, :3], [good, film, vectors[0]])
    np.testing.assert_array_equal(rows[1], np.broadcast_to(vectors[0], (250, 50)))
    np.testing.assert_array_equal(rows[2], np.broadcast_to(bad, (250, 50)))


@pytest.mark.usefixtures("few_places")
def test_many_texts_are_answered_as_one(dictionary: Dictionary, tmp_path: Path) -> None:
    texts = [str(sample.text) for sample in drawn(1100, 4)]
    for name in NAMES:
        model = load(trained(name, tmp_path / name)).model
        together = model.scores(dictionary.read(texts))
        alone = np.concatenate([model.scores(dictionary.read([text])) for text in texts[::50]])
        np.testing.assert_allclose(together[::50], alone, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("file", ["config.json", "model.safetensors"])
def test_a_half_written_folder_is_refused(file: str, dictionary: Dictionary, tmp_path: Path) -> None:
    folder = trained("NB", tmp_path / "model")
    content = (folder / file).read_bytes()
    (folder / file).write_bytes(content[: len(content) // 2])
    with pytest.raises(UserError, match="is damaged"):
        load(folder)
    (folder / file).unlink()
    with pytest.raises(UserError, match=f"{file} is missing"):
        load(folder)


def test_another_dictionary_is_refused(
    dictionary: Dictionary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = trained("SVM-Linear", tmp_path / "model")
    other = Vectors([*WORDS[1:], WORDS[0]], dictionary.vectors)
    monkeypatch.setattr(dictionary_module, "glove", lambda dim: other)
    with pytest.raises(UserError, match="another dictionary"):
        load(folder)


def test_what_cannot_be_trained_is_said(dictionary: Dictionary, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="did you mean 'SVM-Linear'"):
        train("SVM-Liner", splits(), tmp_path, 0, data="tiny")
    lacking = splits()._replace(labels=("neg", "pos", "dull"))
    with pytest.raises(UserError, match="no training text of 'dull'"):
        train("SVM-Linear", lacking, tmp_path, 0, data="tiny")
    pair = Sample(0, Text.pair(("premise", "a"), ("hypothesis", "b")), 0)
    with pytest.raises(UserError, match="not a pair"):
        train("NB", splits()._replace(train=[pair]), tmp_path, 0, data="tiny")
    victim = load(trained("NB", tmp_path / "model"))
    with pytest.raises(UserError, match="pairs"):
        victim.probabilities([("a", "b")])


def test_naive_bayes_counts_what_was_held_out_of_the_training_split(dictionary: Dictionary, tmp_path: Path) -> None:
    given = splits()
    for held_out, seen in (True, [*given.train, *given.validation]), (False, given.train):
        folder = tmp_path / str(held_out)
        folder.mkdir()
        train("NB", given._replace(held_out=held_out), folder, 0, data="tiny")
        labels = np.array([sample.label for sample in seen])
        plain = NaiveBayes.fit(dictionary.read(str(sample.text) for sample in seen), labels, 2, len(WORDS))
        model = load(folder).model
        assert isinstance(model, NaiveBayes)
        np.testing.assert_array_equal(model.log_phi, plain.log_phi)


def test_the_ten_strongest_words_on_imdb_are_those_of_the_paper(tmp_path: Path) -> None:
    try:
        resources.get("glove-6b-50d", progress=False)
        reviews = load_splits("imdb")
    except UserError as error:
        pytest.skip(f"IMDB and the paper's dictionary are not at hand: {error}")
    train("NB", reviews._replace(test=[]), tmp_path, 0, data="imdb")
    victim = load(tmp_path)
    assert isinstance(victim, NaiveBayesVictim)
    assert victim.strongest(1, 5) == ["edie", "antwone", "din", "gunga", "yokai"]
    assert victim.strongest(0, 5) == ["boll", "410", "uwe", "tashan", "hobgoblins"]
