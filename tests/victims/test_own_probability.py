"""Classifiers of Hugging Face whose labels stand apart, or that have one output, answer as their pipelines do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from tests.toy_models import save_bert
from transformers import pipeline

from unfool.errors import UserError
from unfool.text import Text
from unfool.victims import GradientRequest, open_victim

TEXTS = ("a good film", "the plot is dull", "it is not awful")


def by_pipeline(folder: Path, label: str) -> list[float]:
    pipe = pipeline("text-classification", model=str(folder), device="cpu")
    answers = [{each["label"]: each["score"] for each in pipe(text, top_k=None)} for text in TEXTS]
    return [answer[label] for answer in answers]


def test_one_of_several_labels_is_asked_about(tmp_path: Path) -> None:
    folder = save_bert(tmp_path, 3, problem_type="multi_label_classification")
    victim = open_victim(f"hf:{folder}#positive=label 1")
    assert victim.labels == ("not label 1", "label 1")
    values = victim.check([(text,) for text in TEXTS]).result().values
    np.testing.assert_allclose(values[:, 1], by_pipeline(folder, "label 1"), atol=1e-5)
    assert repr(open_victim(repr(victim))) == repr(victim)
    (found,) = getattr(victim, "gradients").launch([GradientRequest(Text.of(TEXTS[0]), 1)]).result()  # noqa: B009
    np.testing.assert_allclose(found.loss, -np.log(values[0, 1]), atol=1e-4)


def test_a_threshold_may_stand_beside_it(tmp_path: Path) -> None:
    folder = save_bert(tmp_path, 3, problem_type="multi_label_classification")
    victim = open_victim(f"hf:{folder}#positive=label 1,threshold=0.8")
    assert repr(open_victim(repr(victim))) == repr(victim)
    values = victim.check([(text,) for text in TEXTS]).result().values
    np.testing.assert_array_equal(values[:, 1] > 0.5, np.array(by_pipeline(folder, "label 1")) >= 0.8)


def test_without_a_label_it_is_refused(tmp_path: Path) -> None:
    folder = save_bert(tmp_path, 3, problem_type="multi_label_classification")
    with pytest.raises(UserError, match="asked about one of them: #positive=label 0"):
        open_victim(f"hf:{folder}")


def test_one_output_is_taken_with_a_threshold(tmp_path: Path) -> None:
    folder = save_bert(tmp_path, 1)
    with pytest.raises(UserError, match=r"gives one number, not class probabilities.*#threshold=0\.5"):
        open_victim(f"hf:{folder}")
    victim = open_victim(f"hf:{folder}#threshold=0.7")
    assert victim.labels == ("not label 0", "label 0")
    values = victim.check([(text,) for text in TEXTS]).result().values
    np.testing.assert_array_equal(values[:, 1] > 0.5, np.array(by_pipeline(folder, "label 0")) >= 0.7)
