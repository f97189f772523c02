"""A graph in ONNX with its tokenizer beside it answers as its numbers say."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnxruntime")
pytest.importorskip("onnx", reason="the graphs are made with the package onnx")

from tests.toy_onnx import raw_outputs, save_onnx

import unfool
from unfool.data import from_texts
from unfool.errors import UserError
from unfool.stats import softmax
from unfool.victims import Options, open_victim

TEXTS = ("a good film", "The plot is dull, dull.", "x", "", "awful " * 60)
NAMES = {"id2label": {"0": "safe", "1": "toxic"}}


def answers(name: str, texts: tuple[str, ...] = TEXTS, labels: list[str] | None = None) -> Any:
    victim = open_victim(name, Options(labels=labels))
    found = victim.check([(text,) for text in texts]).result()
    assert not found.errors
    return victim, found.values


def test_raw_outputs_go_through_a_softmax(tmp_path: Path) -> None:
    victim, values = answers(f"onnx:{save_onnx(tmp_path, config=NAMES)}")
    assert victim.labels == ("safe", "toxic")
    expected = softmax(np.stack([raw_outputs(text) for text in TEXTS]).astype(np.float64))
    np.testing.assert_allclose(values, expected, atol=1e-5)


def test_labels_that_stand_apart_go_through_a_sigmoid_and_one_is_asked_about(tmp_path: Path) -> None:
    folder = save_onnx(tmp_path, config={"problem_type": "multi_label_classification", **NAMES})
    victim, values = answers(f"onnx:{folder}#positive=toxic")
    assert victim.labels == ("not toxic", "toxic")
    raw = np.stack([raw_outputs(text) for text in TEXTS])[:, 1]
    np.testing.assert_allclose(values[:, 1], 1 / (1 + np.exp(-raw)), atol=1e-5)
    assert repr(open_victim(repr(victim))) == repr(victim)
    with pytest.raises(UserError, match="asked about one of them: #positive=safe"):
        open_victim(f"onnx:{folder}")
    with pytest.raises(UserError, match="there is no 'toxi'; did you mean 'toxic'"):
        open_victim(f"onnx:{folder}#positive=toxi")


def test_one_output_is_the_logit_of_the_second_label(tmp_path: Path) -> None:
    name = f"onnx:{save_onnx(tmp_path, outputs=1)}#threshold=0.9"
    victim, values = answers(name, labels=["passed", "blocked"])
    assert victim.labels == ("passed", "blocked")
    assert repr(victim) == name
    sure = 1 / (1 + np.exp(-np.array([raw_outputs(text, 1)[0] for text in TEXTS], dtype=np.float64)))
    np.testing.assert_array_equal(values[:, 1] > 0.5, sure >= 0.9)


def test_probabilities_are_left_as_they_are(tmp_path: Path) -> None:
    _, values = answers(f"onnx:{save_onnx(tmp_path, ends_in='Softmax')}")
    expected = softmax(np.stack([raw_outputs(text) for text in TEXTS]).astype(np.float64))
    np.testing.assert_allclose(values, expected, atol=1e-5)


def test_texts_are_cut_where_the_tokenizer_or_the_user_says(tmp_path: Path) -> None:
    folder = save_onnx(tmp_path)
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 12}))
    for name, longest in ((f"onnx:{folder}", 12), (f"onnx:{folder}#longest=5", 5)):
        _, values = answers(name)
        raw = np.stack([raw_outputs(text, longest=longest) for text in TEXTS])
        np.testing.assert_allclose(values, softmax(raw.astype(np.float64)), atol=1e-5)


def test_a_graph_of_one_length_gets_texts_of_that_length(tmp_path: Path) -> None:
    _, values = answers(f"onnx:{save_onnx(tmp_path, width=9)}")
    raw = np.stack([raw_outputs(text, longest=9) for text in TEXTS])
    np.testing.assert_allclose(values, softmax(raw.astype(np.float64)), atol=1e-5)


def test_a_vocabulary_alone_is_read_as_berts(tmp_path: Path) -> None:
    folder = save_onnx(tmp_path)
    described = json.loads((folder / "tokenizer.json").read_text())
    vocabulary = sorted(described["model"]["vocab"].items(), key=lambda entry: entry[1])
    _, expected = answers(f"onnx:{folder}")
    (folder / "tokenizer.json").unlink()
    (folder / "vocab.txt").write_text("\n".join(word for word, _ in vocabulary), encoding="utf-8")
    _, values = answers(f"onnx:{folder}")
    np.testing.assert_allclose(values, expected, atol=1e-6)


def test_a_graph_is_found_in_its_folder_and_by_its_own_name(tmp_path: Path) -> None:
    folder = save_onnx(tmp_path / "model")
    _, expected = answers(f"onnx:{folder}")
    _, by_file = answers(f"onnx:{folder}/model.onnx")
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model.onnx")
    _, below = answers(f"onnx:{folder}")
    np.testing.assert_array_equal(expected, by_file)
    np.testing.assert_array_equal(expected, below)


def test_it_is_attacked(tmp_path: Path) -> None:
    name = f"onnx:{save_onnx(tmp_path / 'model', config=NAMES)}"
    said = ["safe", "toxic"][int(answers(name)[1][0].argmax())]
    texts = from_texts([TEXTS[0], TEXTS[0]], [said, "toxic" if said == "safe" else "safe"])
    run = unfool.attack(name, texts, "deepwordbug", out=tmp_path / "run", progress=False)
    assert run.summary.attacked == 1
    assert run.config["victim_fingerprint"]


def broken(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(b"no graph")


def without_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()


def with_two_graphs(folder: Path) -> None:
    shutil.copy(folder / "model.onnx", folder / "first.onnx")
    (folder / "model.onnx").rename(folder / "second.onnx")


@pytest.mark.parametrize(
    ("spoil", "more", "said"),
    [
        (broken, {}, "onnxruntime cannot read model.onnx"),
        (without_tokenizer, {}, "holds no tokenizer.json; save the tokenizer into the same folder"),
        (with_two_graphs, {}, "holds several graphs \\(first.onnx, second.onnx\\)"),
        (lambda folder: (folder / "model.onnx").unlink(), {}, "holds no .onnx file"),
        (lambda folder: None, {"also": "pixels"}, "wants pixels beside tokens"),
        (lambda folder: None, {"outputs": 3, "config": NAMES}, "answers with 3 numbers, and 2 labels are named"),
    ],
)
def test_what_cannot_be_is_told_in_one_line(tmp_path: Path, spoil: Any, more: Any, said: str) -> None:
    folder = save_onnx(tmp_path, **more)
    spoil(folder)
    with pytest.raises(UserError, match=said) as told:
        open_victim(f"onnx:{folder}")
    assert "\n" not in str(told.value)


def test_a_folder_that_is_not_there_is_named() -> None:
    with pytest.raises(UserError, match=r"there is no folder \./nowhere"):
        open_victim("onnx:./nowhere")
