"""What a victim prints and where it goes is its own affair."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from tests.end_to_end.command import REVIEWS, fetch_or_skip, unfool

from unfool.errors import UserError
from unfool.victims import callable_victim, open_victim

NOISY = """
import os, sys
print("imported")
os.makedirs("elsewhere", exist_ok=True)
os.chdir("elsewhere")
labels = ["negative", "positive"]

def answer(texts):
    print("asked about", len(texts))
    os.write(1, b"by number")
    os.system("echo by a child")
    assert os.path.basename(os.getcwd()) == "elsewhere"
    from unfool.victims.vader import probabilities
    return probabilities(texts)
"""


def test_a_victim_that_prints_and_goes_elsewhere_spoils_neither_json_nor_the_run_folder(tmp_path: Path) -> None:
    fetch_or_skip("wordnet")
    (tmp_path / "noisy.py").write_text(NOISY)
    done = unfool(
        "attack", "--victim", "py:noisy:answer", "--data", REVIEWS, "--attack", "pwws", "--n", 3, "--out", "run",
        "--json", "--quiet", cwd=tmp_path,
    )  # fmt: skip
    assert done.code == 0
    assert json.loads(done.out)["samples"] == 3
    assert (tmp_path / "run" / "summary.json").is_file()
    assert not list((tmp_path / "elsewhere").iterdir())
    for said in ("imported", "asked about", "by number", "by a child"):
        assert said in done.err


def test_it_finds_itself_where_it_went(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    places = list[str]()

    def wanders(texts: list[str]) -> list[list[float]]:
        places.append(Path.cwd().name)
        Path("sub").mkdir()
        os.chdir("sub")
        return [[0.5, 0.5] for _ in texts]

    victim = callable_victim(wanders, ["a", "b"])
    for _ in range(3):
        victim.confirm([("x",)])
        assert Path.cwd() == tmp_path
    assert places == [tmp_path.name, "sub", "sub"]


def test_prints_go_to_the_error_stream_and_ours_stay(capsys: pytest.CaptureFixture[str]) -> None:
    def talks(texts: list[str]) -> list[list[float]]:
        print("hello")
        return [[0.5, 0.5] for _ in texts]

    ours = sys.stdout
    callable_victim(talks, ["a", "b"]).confirm([("x",)])
    assert sys.stdout is ours
    assert capsys.readouterr() == ("", "hello\n")


@pytest.mark.parametrize("name", ["py:./sub/shouts.py:answer", "py:sub/shouts.py:answer"])
def test_a_function_is_found_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "shouts", raising=False)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "loudness.py").write_text("share = 0.75")
    (tmp_path / "sub" / "shouts.py").write_text(
        "from loudness import share\nlabels = ['a', 'b']\n"
        "def answer(texts):\n    return [[1 - share, share]] * len(texts)"
    )
    victim = open_victim(name)
    assert victim.labels == ("a", "b")
    assert victim.check([("x",)]).result().values.tolist() == [[0.25, 0.75]]
    assert repr(victim) == name
    assert getattr(victim, "fingerprint")  # noqa: B009


def test_a_file_may_be_called_as_a_module_of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "json.py").write_text("def answer(texts):\n    return [[0.5, 0.5]] * len(texts)")
    assert open_victim("py:json.py:answer").labels == ("0", "1")
    assert json.loads("1") == 1
    assert sys.modules["json"] is json


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("py:./shout.py:answer", "there is no file shout.py; did you mean 'shouts.py'"),
        ("py:shouts.py:answr", "there is no 'answr' in shouts.py; did you mean 'answer'"),
        ("py:leaves.py:answer", r"running leaves.py raised SystemExit: 3"),
        ("py:leaves:answer", r"importing leaves raised SystemExit: 3"),
        ("py:shouts.py", "write py:module:function or py:FILE.py:function"),
    ],
)
def test_a_file_that_is_none_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, said: str) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "shouts", raising=False)
    (tmp_path / "shouts.py").write_text("def answer(texts):\n    return [[0.5, 0.5]] * len(texts)")
    (tmp_path / "leaves.py").write_text("import sys\nsys.exit(3)")
    with pytest.raises(UserError, match=said):
        open_victim(name)
