"""Whatever a user gets wrong is one line and exit code 2, and starts nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.end_to_end.command import REVIEWS, VADER, Finished, fresh, surroundings, unfool

GOOD = {"--victim": VADER, "--data": str(REVIEWS), "--attack": "random", "--out": "run"}


def said(done: Finished) -> str:
    """Return the one line of an error."""
    assert done.code == 2, done
    (line,) = done.err.splitlines()
    assert line.startswith("error: ")
    return line.removeprefix("error: ")


def attack(cwd: Path, *more: str, **changed: str) -> Finished:
    """Attack with some option changed, and everything that could be said allowed."""
    options = GOOD | {f"--{option}": value for option, value in changed.items()}
    return unfool("attack", *(part for option in options.items() for part in option), *more, cwd=cwd)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    files = {
        "empty.csv": "",
        "header.csv": "text,label\n",
        "columns.csv": "this,that\nA film.,1\n",
        "classes.csv": "text,label\nA film.,1\nA play.,3\nA book.,5\n",
        "mixed.csv": "text,label\nA good film.,1\nA play.,unsure\nA bad song.,0\n",
        "notes.docx": "text",
        "model.joblib": "pickled",
        "model.skops": "not a zip file",
        "damaged/config.json": '{"model_type": ',
        "elsewhere/notes.txt": "not a run",
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    (tmp_path / "hollow").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("data", "absent.csv", "there is no file or folder 'absent.csv'"),
        ("data", "empty.csv", "'empty.csv' is empty"),
        ("data", "header.csv", "'header.csv' has no rows"),
        ("data", "columns.csv", "name it with --text"),
        ("data", "classes.csv", "classes.csv has 3 labels"),
        ("data", "mixed.csv", "'mixed.csv', line 3: label 'unsure' is not an integer"),
        ("data", "notes.docx", "cannot tell the format of 'notes.docx'"),
        ("text", "body", "has no column 'body'"),
        ("label", "stars", "has no column 'stars'"),
        ("split", "test", "is one file and has no split 'test'"),
        ("labels", "good,good", "must be different names"),
        ("attack", "pws", "unknown attack 'pws'; did you mean 'pwws'?"),
        ("attack", "pwws:variant=foo", "cannot take variant=foo; there is adjusted, paper, released"),
        ("attack", "pwws:varient=paper", "no setting 'varient'; did you mean 'variant'?"),
        ("attack", "random:trials=some", "cannot take trials=some; it takes a whole number"),
        ("constrain", "pso", "unknown constraint 'pso'; did you mean 'pos'?"),
        ("constrain", "pos,words", "cannot read the constraint 'words'; it is written words<=NUMBER"),
        ("constrain", "words<=many", "cannot read the constraint 'words<=many'; it takes a number from 0 to 1"),
        ("constrain", "similarity>=1.5", "it takes a number from -1 to 1"),
        ("target", "lukewarm", "the victim has no label 'lukewarm'"),
        ("device", "tpu", "unknown device 'tpu'; there is auto, cpu, cuda"),
        ("dtype", "int3", "unknown dtype 'int3'; there is auto, bf16, fp32"),
        ("victim", "vader", "cannot tell what kind of victim 'vader' is; a victim is written chat:http"),
        ("victim", "./model.onnx", "did you mean 'onnx:./model.onnx'?"),
        ("victim", "./model.pt", "cannot tell what kind of victim './model.pt' is; weights alone do not say"),
        ("victim", "./model.skops", "did you mean 'skops:./model.skops'?"),
        ("victim", "model.pkl", "did you mean 'joblib:model.pkl'?"),
        ("victim", "owner/model", "did you mean 'hf:owner/model'?"),
        ("victim", "skop:model.skops", "did you mean 'skops'?"),
        ("victim", "py:nowhere:answer", "there is no module 'nowhere'"),
        ("victim", "py:unfool.victims.vader:probability", "did you mean 'probabilities'?"),
        ("victim", "joblib:model.joblib", "runs whatever code is in it"),
        ("victim", "joblib:absent.joblib", "there is no file absent.joblib"),
        ("victim", "skops:model.skops", "could not be loaded"),
        ("victim", "zoo:absent@movie-reviews", "there is no model or folder 'absent' in the zoo"),
        ("victim", "hf:hollow", "it holds no config.json"),
        ("victim", "hf:damaged", "cannot read the model damaged"),
        ("victim", "hf:./absent", "there is no model folder ./absent"),
        ("victim", "hf:nobody/nothing", "cannot read the model nobody/nothing"),
        ("victim", "http://", "is no address of an endpoint"),
        ("out", "elsewhere", "elsewhere holds other files"),
        ("out", "mixed.csv", "mixed.csv is a file, and a folder is needed there; choose another --out"),
    ],
)
def test_what_cannot_be_used_is_one_line(place: Path, option: str, value: str, expected: str) -> None:
    before = sorted(place.iterdir())
    assert expected in said(attack(place, **{option: value}))
    assert sorted(place.iterdir()) == before


@pytest.mark.parametrize(
    "command",
    [
        f"evaluate --victim {VADER} --out mixed.csv",
        f"transfer --victims {VADER} --out mixed.csv",
        f"rules mine --victims {VADER} --out mixed.csv/rules.jsonl",
        f"rules audit --victim {VADER} --out mixed.csv/page.html",
    ],
)
def test_where_a_file_is_no_folder_can_be_made(place: Path, command: str) -> None:
    done = unfool(*command.split(), "--data", REVIEWS, "--quiet", cwd=place)
    assert said(done) == "mixed.csv is a file, and a folder is needed there; choose another --out"


@pytest.mark.parametrize("page", ["absent/page.html", ".", "mixed.csv/page.html"])
def test_a_page_that_cannot_be_written_is_told_before_the_attack(place: Path, page: str) -> None:
    options = [part for option in GOOD.items() for part in option]
    done = unfool("attack", *options, "--report", page, cwd=place)
    assert said(done).startswith(f"cannot write {page}: ")
    assert not (place / "run").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "absent"],
        ["show", "elsewhere"],
        ["export", "absent"],
        ["diff", "absent", "absent"],
        ["resources", "path", "wordnt"],
        ["resources", "path", "wordnet"],
        ["resources", "get", "wordnt"],
    ],
)
def test_reading_what_is_not_there_is_one_line(place: Path, arguments: list[str]) -> None:
    done = unfool(*arguments, cwd=place, UNFOOL_CACHE=str(place / "cache"))
    assert arguments[-1] in said(done)
    assert done.out == ""


def test_a_value_of_the_wrong_type_is_a_usage_error(place: Path) -> None:
    for more in (["--n", "few"], ["--n", "0"], ["--in-flight", "-1"], ["--confidence", "2"], ["--bogus"]):
        done = attack(place, *more)
        assert done.code == 2
        assert "Traceback" not in done.err
        assert more[0] in done.err
    assert not (place / "run").exists()


@pytest.mark.parametrize(
    ("constraint", "package", "expected"),
    [
        ("grammar", "harper", "the grammar check needs Harper: pip install 'unfool[grammar]'"),
        ("perplexity<=2", "torch", "needs PyTorch, gguf and accelerate: pip install 'unfool[perplexity]'"),
    ],
)
def test_a_constraint_that_needs_more_is_one_line(
    place: Path, constraint: str, package: str, expected: str
) -> None:
    (place / "shadow").mkdir()
    (place / "shadow" / f"{package}.py").write_text(f"raise ImportError('no {package}')")
    options = [part for option in (GOOD | {"--constrain": constraint}).items() for part in option]
    assert expected in said(fresh("attack", *options, cwd=place, PYTHONPATH=str(place / "shadow")))
    assert not (place / "run").exists()


def test_a_hub_that_cannot_be_reached_is_one_line(place: Path) -> None:
    options = [part for option in (GOOD | {"--victim": "hf:nobody/nothing"}).items() for part in option]
    done = fresh("attack", *options, cwd=place, HF_HUB_OFFLINE="0", HF_ENDPOINT="http://127.0.0.1:9")
    assert "no model folder nobody/nothing, and the hub cannot be reached" in said(done)


@pytest.mark.usefixtures("word_vectors")
def test_bad_rows_are_left_out_and_listed(place: Path) -> None:
    done = attack(place, "--skip-bad", "--quiet", data="mixed.csv")
    assert (done.code, done.err) == (0, "skipped line 3: label 'unsure' is not an integer\n")
    kept = [json.loads(line)["id"] for line in (place / "run" / "outcomes.jsonl").read_text().splitlines()]
    assert kept == [0, 2]


@pytest.mark.usefixtures("word_vectors")
def test_a_mistake_noticed_late_does_not_block_the_folder(place: Path) -> None:
    assert "cannot take trials=0; it takes 1 or more" in said(attack(place, "--quiet", attack="random:trials=0"))
    assert not (place / "run").exists()
    assert attack(place, "--quiet", "--n", "3").code == 0
    assert "run holds a run already; add --resume" in said(attack(place, "--quiet", "--n", "3"))


HUNGRY = '''
from unfool.attacks import attack
from unfool.engine import Ask
from unfool.text import Sample, Text

@attack(needs=("gradients",))
async def hungry(sample: Sample, ask: Ask) -> Text:
    """Needs more than VADER has."""
    return sample.text
'''
WITH_MORE_RECIPES = """
import sys
from unfool.attacks import recipes
from unfool.cli import main
recipes.__path__.append(sys.argv.pop(1))
main()
"""


def test_a_victim_that_lacks_what_the_attack_needs(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "hungry.py").write_text(HUNGRY)
    options = GOOD | {"--attack": "hungry"}
    command = [sys.executable, "-c", WITH_MORE_RECIPES, str(tmp_path / "more"), "attack"]
    command += [part for option in options.items() for part in option]
    done = subprocess.run(command, cwd=tmp_path, env=surroundings({}), capture_output=True, text=True)
    line = said(Finished(done.returncode, done.stdout, done.stderr))
    assert line.startswith(
        f"the attack 'hungry' needs the net's gradients, and {VADER} does not offer that; use a neural victim"
    )
    assert not (tmp_path / "run").exists()
