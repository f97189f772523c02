"""Real scikit-learn pipelines, saved and loaded."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unfool
from unfool.engine import Budget
from unfool.errors import UserError
from unfool.victims import Pipeline, pipeline_victim

sklearn = pytest.importorskip("sklearn")
joblib = pytest.importorskip("joblib")
skops_io = pytest.importorskip("skops.io")

GOOD = ["a good film", "great fun", "good and great", "lovely good acting"]
BAD = ["a bad film", "awful bore", "bad and awful", "dreadful bad acting"]
ASKED = [("good great film",), ("awful bad film",), ("",)]


def fitted(classifier: Any, labels: tuple[Any, ...] = ("neg", "pos"), **vectorizer: Any) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline

    texts = BAD + GOOD
    names = [labels[number * len(labels) // len(texts)] for number in range(len(texts))]
    return make_pipeline(TfidfVectorizer(**vectorizer), classifier).fit(texts, names)


def saved(model: Any, path: Path) -> str:
    skops_io.dump(model, path)
    return f"skops:{path}"


def logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression()


def test_a_skops_file_answers_as_the_pipeline_did(tmp_path: Path) -> None:
    model = fitted(logistic())
    name = saved(model, tmp_path / "model.skops")
    victim = pipeline_victim(name)
    assert victim.labels == ("neg", "pos")
    assert repr(victim) == name
    values, errors = victim.confirm(ASKED)
    assert not errors
    np.testing.assert_allclose(values, model.predict_proba([text for (text,) in ASKED]), rtol=1e-6)
    assert values[0].argmax() == 1
    assert values[1].argmax() == 0


@pytest.mark.parametrize("classes", [(1, 2), (1, 2, 3)])
def test_a_pipeline_is_right_about_the_numbers_it_was_trained_on(tmp_path: Path, classes: tuple[int, ...]) -> None:
    model = fitted(logistic(), classes)
    shown = [(text, label) for text, label in zip(BAD + GOOD, model.predict(BAD + GOOD), strict=True) if label < 3]
    file = tmp_path / "mine.csv"
    file.write_text("\n".join(["text,label", *(f"{text},{label}" for text, label in shown), ""]))
    victim = saved(model, tmp_path / "model.skops")
    run = unfool.attack(victim, str(file), "greedy-synonym", budget=Budget(1), out=tmp_path / "run", progress=False)
    assert run.summary.clean_accuracy.value == 1


def test_a_joblib_file_is_loaded_only_where_code_is_allowed(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    path = tmp_path / "model.joblib"
    joblib.dump(RunsCode(marker), path)
    with pytest.raises(UserError, match="runs whatever code is in it"):
        pipeline_victim(f"joblib:{path}")
    assert not marker.exists()
    joblib.dump(fitted(logistic(), labels=(0, 1)), path)
    victim = pipeline_victim(f"joblib:{path}", allow_code=True)
    assert victim.labels == ("0", "1")
    assert victim.confirm(ASKED).values[0].argmax() == 1


class RunsCode:
    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> Any:
        return Path.touch, (self.marker,)


def test_a_decision_function_becomes_a_sigmoid_of_two_classes(tmp_path: Path) -> None:
    from sklearn.svm import LinearSVC

    model = fitted(LinearSVC())
    values, _ = pipeline_victim(saved(model, tmp_path / "svc")).confirm(ASKED)
    score = model.decision_function([text for (text,) in ASKED])
    np.testing.assert_allclose(values[:, 1], 1 / (1 + np.exp(-score)), rtol=1e-5)
    np.testing.assert_allclose(values.sum(axis=1), 1, rtol=1e-6)


def test_a_decision_function_becomes_a_softmax_of_more(tmp_path: Path) -> None:
    from sklearn.svm import LinearSVC

    model = fitted(LinearSVC(), labels=("a", "b", "c", "d"))
    values, errors = pipeline_victim(saved(model, tmp_path / "svc")).confirm(ASKED)
    powers = np.exp(model.decision_function([text for (text,) in ASKED]))
    assert not errors
    np.testing.assert_allclose(values, powers / powers.sum(axis=1, keepdims=True), rtol=1e-5)


def test_bare_predictions_become_certainties(tmp_path: Path) -> None:
    from sklearn.ensemble import VotingClassifier

    model = fitted(VotingClassifier([("one", logistic()), ("two", logistic())], voting="hard"))
    values, errors = pipeline_victim(saved(model, tmp_path / "hard")).confirm(ASKED[:2])
    assert not errors
    np.testing.assert_array_equal(values, [[0, 1], [1, 0]])


def test_internal_classes_of_scikit_learn_are_trusted(tmp_path: Path) -> None:
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.neighbors import KNeighborsClassifier

    for classifier in (CalibratedClassifierCV(logistic(), cv=2), KNeighborsClassifier(2)):
        path = tmp_path / type(classifier).__name__
        name = saved(fitted(classifier), path)
        assert skops_io.get_untrusted_types(file=path)
        assert not pipeline_victim(name).confirm(ASKED).errors


def words(text: str) -> list[str]:
    return text.split()


def test_types_of_others_are_named_and_refused(tmp_path: Path) -> None:
    name = saved(fitted(logistic(), tokenizer=words, token_pattern=None), tmp_path / "own.skops")
    with pytest.raises(UserError, match=rf"it holds {__name__}\.words, which may run any code"):
        pipeline_victim(name)
    assert not pipeline_victim(name, allow_code=True).confirm(ASKED).errors


def test_functions_of_trusted_packages_are_refused(tmp_path: Path) -> None:
    from numpy.f2py.crackfortran import myeval

    model = fitted(logistic())
    model.steps[0][1].preprocessor = myeval  # would evaluate every text it is asked about
    with pytest.raises(UserError, match=r"it holds numpy\.f2py\.crackfortran\.myeval"):
        pipeline_victim(saved(model, tmp_path / "evil.skops"))


def test_a_text_the_pipeline_cannot_read_is_its_own_error() -> None:
    def no_digits(text: str) -> str:
        if "7" in text:
            raise ValueError("a digit")
        return text

    victim = Pipeline(fitted(logistic(), preprocessor=no_digits), "the pipeline")
    _, errors = victim.confirm([("good",), ("good 7",), ("bad",)])
    assert list(errors) == [1]
    assert str(errors[1]).startswith("the pipeline raised ValueError: a digit at test_victim_sklearn.py:")


def test_pairs_are_refused(tmp_path: Path) -> None:
    victim = pipeline_victim(saved(fitted(logistic()), tmp_path / "model.skops"))
    with pytest.raises(UserError, match="takes single texts"):
        victim.confirm([("a premise", "a hypothesis")])


def test_what_is_no_pipeline_is_refused(tmp_path: Path) -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LinearRegression

    (tmp_path / "text.skops").write_text("not a zip file")
    wrong = {
        f"skops:{tmp_path}/none.skops": "there is no file",
        f"skops:{tmp_path}/text.skops": "could not be loaded: BadZipFile",
        f"pickle:{tmp_path}/text.skops": "write skops:PATH or joblib:PATH",
        "skops:": "write skops:PATH or joblib:PATH",
        saved(TfidfVectorizer(), tmp_path / "v"): "holds a TfidfVectorizer, not a fitted classifier",
        saved(LinearRegression(), tmp_path / "r"): "holds a LinearRegression, not a fitted classifier",
        saved(logistic(), tmp_path / "l"): "holds a LogisticRegression, not a fitted classifier",
    }
    for name, said in wrong.items():
        with pytest.raises(UserError, match=said):
            pipeline_victim(name)


@pytest.mark.parametrize("kind", ["joblib", "skops"])
def test_a_vectorizer_and_a_model_in_two_files_are_one_victim(tmp_path: Path, kind: str) -> None:
    vectorizer, model = fitted(logistic())[0], fitted(logistic())[1]
    dump = joblib.dump if kind == "joblib" else skops_io.dump
    dump(vectorizer, tmp_path / "vectorizer")
    dump(model, tmp_path / "model")
    name = f"{kind}:{tmp_path}/vectorizer+{tmp_path}/model"
    victim = pipeline_victim(name, allow_code=True)
    assert repr(victim) == name
    assert victim.labels == ("neg", "pos")
    expected = fitted(logistic()).predict_proba([text for (text,) in ASKED])
    np.testing.assert_allclose(victim.confirm(ASKED).values, expected, rtol=1e-6)
    assert victim.fingerprint
    dump(fitted(logistic(), labels=("pos", "neg"))[1], tmp_path / "model")
    assert pipeline_victim(name, allow_code=True).fingerprint != victim.fingerprint
    with pytest.raises(UserError, match="a LogisticRegression is no vectorizer; name the vectorizer first"):
        pipeline_victim(f"{kind}:{tmp_path}/model+{tmp_path}/vectorizer", allow_code=True)
    with pytest.raises(UserError, match=f"there is no file {tmp_path}/none"):
        pipeline_victim(f"{kind}:{tmp_path}/none+{tmp_path}/model", allow_code=True)


@pytest.mark.parametrize("kind", ["joblib", "skops"])
def test_a_classifier_without_its_vectorizer_is_refused(tmp_path: Path, kind: str) -> None:
    (joblib.dump if kind == "joblib" else skops_io.dump)(fitted(logistic())[1], tmp_path / "model")
    with pytest.raises(UserError, match=f"takes numbers, not texts; .* {kind}:VECTORIZER\\+MODEL"):
        pipeline_victim(f"{kind}:{tmp_path}/model", allow_code=True)


def test_a_class_that_a_trusted_package_only_imports_is_not_trusted(tmp_path: Path) -> None:
    model = fitted(logistic())
    model.steps[0][1].preprocessor = np.polynomial.Polynomial
    skops_io.dump(model, tmp_path / "own.skops")
    with zipfile.ZipFile(tmp_path / "own.skops") as own, zipfile.ZipFile(tmp_path / "evil.skops", "w") as evil:
        for name in own.namelist():
            content = own.read(name).replace(b'"numpy.polynomial.polynomial"', b'"numpy.f2py.crackfortran"')
            evil.writestr(name, content.replace(b'"Polynomial"', b'"Path"'))
    with pytest.raises(UserError, match=r"it holds numpy\.f2py\.crackfortran\.Path, which may run any code"):
        pipeline_victim(f"skops:{tmp_path / 'evil.skops'}")
