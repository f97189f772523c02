"""Pipelines of one's own code by name: those of transformers, scikit-learn and spaCy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.victims.test_victim_sklearn import fitted, logistic

from unfool.errors import UserError
from unfool.victims import as_victim, open_victim

TEXTS = [("a good great film",), ("an awful bad bore",)]


def values(victim: Any) -> Any:
    answers = victim.check(TEXTS).result()
    assert not answers.errors
    return answers.values


@pytest.fixture
def module(tmp_path: Path) -> Path:
    path = tmp_path / "own_pipelines.py"
    path.write_text(
        "from tests.victims.test_victim_sklearn import fitted, logistic\n"
        "classic = fitted(logistic())\n"
        "number = 3\n"
        "def made():\n"
        "    from transformers import pipeline\n"
        f"    return pipeline('text-classification', model={str(tmp_path / 'model')!r}, device='cpu')\n"
        "def broken(): return 1 / 0\n",
        encoding="utf-8",
    )
    return path


def test_one_of_scikit_learn(module: Path) -> None:
    name = f"pipeline:{module}:classic"
    victim = open_victim(name)
    assert repr(victim) == name
    np.testing.assert_allclose(values(victim), values(as_victim(fitted(logistic()))), atol=1e-6)
    assert repr(open_victim(f"{name}#threshold=0.8")) == f"{name}#threshold=0.8"


def test_one_of_transformers_made_by_a_function(module: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from tests.toy_models import save_bert

    folder = save_bert(tmp_path / "model")
    victim = open_victim(f"pipeline:{module}:made")
    np.testing.assert_allclose(values(victim), values(open_victim(f"hf:{folder}")), atol=1e-5)


def test_one_of_spacy() -> None:
    spacy = pytest.importorskip("spacy")
    nlp = spacy.blank("en")
    categorizer = nlp.add_pipe("textcat")
    for label in ("bad", "good"):
        categorizer.add_label(label)
    nlp.initialize()
    victim = as_victim(nlp)
    assert victim.labels == ("bad", "good")
    expected = [[nlp(text).cats[label] for label in victim.labels] for (text,) in TEXTS]
    np.testing.assert_allclose(values(victim), expected, atol=1e-5)
    with pytest.raises(UserError, match="gives a text no label; give one with a textcat"):
        as_victim(spacy.blank("en"))


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("number", "is a int, and no pipeline of transformers, scikit-learn or spaCy"),
        ("broken", "could not make its model: ZeroDivisionError"),
        ("clasic", "there is no 'clasic' in"),
    ],
)
def test_what_is_no_pipeline_is_told(module: Path, what: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        open_victim(f"pipeline:{module}:{what}")
