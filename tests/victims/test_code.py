"""The code behind a function is known by its fingerprint: a resumed run notices that it has changed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import unfool
from unfool.attacks import attack
from unfool.data import from_texts
from unfool.engine import Ask
from unfool.errors import UserError
from unfool.text import Sample, Text
from unfool.victims import callable_victim, vader

MODEL = """
from helper import share
import package.inner
labels = ["a", "b"]

def answer(texts):
    from late import nothing
    return [[1 - share, share] for _ in texts]
"""
SHOW = "from unfool.victims import callable_victim; print(callable_victim({name!r}).fingerprint)"


def print_of(folder: Path, name: str = "py:model:answer") -> str:
    """The fingerprint as another process has it: here, Python would not import a changed file anew."""
    done = subprocess.run(
        [sys.executable, "-c", SHOW.format(name=name)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "package").mkdir()
    for name, content in {
        "model.py": MODEL,
        "helper.py": "share = 0.5",
        "late.py": "nothing = None",
        "package/__init__.py": "",
        "package/inner.py": "from . import beside\nimport numpy",
        "package/beside.py": "",
        "other.py": "",
    }.items():
        (tmp_path / name).write_text(content)
    return tmp_path


@pytest.mark.slow
def test_a_change_of_any_file_it_imports_from_its_folder_is_seen_and_no_other(folder: Path) -> None:
    first = print_of(folder)
    assert len(first) == 64
    assert print_of(folder) == first
    (folder / "other.py").write_text("changed = True")
    (folder / "weights.bin").write_text("of no matter")
    assert print_of(folder) == first
    for name in (
        "model.py",
        "helper.py",
        "late.py",
        "package/__init__.py",
        "package/inner.py",
        "package/beside.py",
    ):
        (folder / name).write_text((folder / name).read_text() + "\n# changed\n")
        second = print_of(folder)
        assert second != first, name
        first = second


def test_files_are_read_anew_though_their_modules_are_imported_already(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    for name in ("model", "helper", "late", "package", "package.inner", "package.beside"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    first = callable_victim("py:model:answer").fingerprint
    assert callable_victim("py:model:answer").fingerprint == first
    (folder / "other.py").write_text("changed = True")
    assert callable_victim("py:model:answer").fingerprint == first
    (folder / "package" / "beside.py").write_text("changed = True")
    assert callable_victim("py:model:answer").fingerprint != first


def test_an_object_has_the_fingerprint_of_its_name() -> None:
    by_name = callable_victim("py:unfool.victims.vader:probabilities").fingerprint
    assert by_name
    assert callable_victim(vader.probabilities).fingerprint == by_name


def test_a_function_without_source_has_none() -> None:
    namespace: dict[str, object] = {"__name__": "nowhere"}
    exec("def answer(texts):\n    return [[0.5, 0.5] for _ in texts]", namespace)
    assert callable_victim(namespace["answer"]).fingerprint is None  # type: ignore[arg-type]


@attack()
async def patient(sample: Sample, ask: Ask) -> Text:
    """Change nothing."""
    await ask.predict(sample.text.replace(0, "one"))
    return sample.text


def test_a_run_is_not_resumed_with_another_model_behind_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = "labels = ['a', 'b']\n\ndef answer(texts):\n    return [[{}, 1 - {}] for _ in texts]\n"
    data = from_texts(["A film.", "Another film."], ["a", "a"])

    def run(resume: bool) -> None:
        monkeypatch.delitem(sys.modules, "changing_model", raising=False)
        unfool.attack("py:changing_model:answer", data, patient, out="run", resume=resume, progress=False)

    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "changing_model.py").write_text(source.format(0.9, 0.9))
    run(resume=False)
    run(resume=True)
    (tmp_path / "changing_model.py").write_text(source.format(0.8, 0.8))
    with pytest.raises(UserError, match="run was begun with other settings"):
        run(resume=True)
