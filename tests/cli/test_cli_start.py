"""Help, version, and how little is loaded to give them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.end_to_end.command import REVIEWS, VADER, attack, surroundings, unfool

HEAVY = {"torch", "transformers", "datasets", "sklearn", "nltk", "httpx"}
LOADED = """
import sys
from unfool.cli import main
try:
    main()
except SystemExit as end:
    assert end.code == 0
print("LOADED", *sys.modules)
"""

INTERRUPTED = """
import os, signal, sys

class CtrlC:
    def find_spec(self, name, *_):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background may ignore it
sys.meta_path.insert(0, CtrlC())
from unfool.cli import main
main()
"""


def modules(code: str, *arguments: object, cwd: Path) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=cwd,
        env=surroundings({}),
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.splitlines()[-1].split())


def test_importing_unfool_is_light(tmp_path: Path) -> None:
    loaded = modules("import sys, unfool; print(*sys.modules)", cwd=tmp_path)
    assert "unfool" in loaded
    assert not loaded & {*HEAVY, "numpy", "pyarrow", "rich"}


@pytest.mark.parametrize("arguments", [["--help"], ["attack", "--help"], ["list", "attacks"], ["--version"]])
def test_help_and_lists_load_no_framework(tmp_path: Path, arguments: list[str]) -> None:
    loaded = modules(LOADED, *arguments, cwd=tmp_path)
    assert "unfool.cli" in loaded
    assert not loaded & HEAVY


def test_the_help_text_loads_no_numbers(tmp_path: Path) -> None:
    assert not modules(LOADED, "--help", cwd=tmp_path) & {"numpy", "pyarrow", "unfool.report", "unfool.engine"}


@pytest.mark.usefixtures("word_vectors")
def test_an_attack_on_a_plain_function_loads_no_framework(tmp_path: Path) -> None:
    loaded = modules(LOADED, *attack(VADER, "random", "run"), cwd=tmp_path)
    assert "vaderSentiment" in loaded
    assert not loaded & {"torch", "transformers", "datasets", "sklearn"}


def test_help_names_every_command_and_option(tmp_path: Path) -> None:
    done = unfool("--help", cwd=tmp_path, COLUMNS="120")
    assert (done.code, done.err) == (0, "")
    for command in ("attack", "list", "show", "export", "diff", "resources"):
        assert f" {command} " in done.out
        assert unfool(command, "--help", cwd=tmp_path) == unfool(command, "-h", cwd=tmp_path)
        assert unfool(command, "-h", cwd=tmp_path).code == 0
    options = unfool("attack", "--help", cwd=tmp_path, COLUMNS="120").out
    for option in (
        "--victim",
        "--data",
        "--attack",
        "--in-flight",
        "--resume",
        "--skip-bad",
        "--allow-code",
        "--json",
    ):
        assert option in options


def test_without_a_command_there_is_help(tmp_path: Path) -> None:
    assert "Usage: unfool" in unfool(cwd=tmp_path).out


def test_the_version_is_the_packages(tmp_path: Path) -> None:
    from importlib.metadata import version

    assert unfool("--version", cwd=tmp_path).out == f"unfool {version('unfool')}\n"


def test_the_package_itself_can_be_run(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "unfool", "--version"],
        cwd=tmp_path,
        env=surroundings({}),
        capture_output=True,
        text=True,
    )
    assert told.stdout == unfool("--version", cwd=tmp_path).out


@pytest.mark.usefixtures("word_vectors")
def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    assert unfool(*attack(VADER, "random", "run", "--n", 5, data=REVIEWS), cwd=tmp_path).code == 0
    for arguments in ("list resources --json", "show run"):
        script = Path(sys.executable).with_name("unfool")
        piped = subprocess.run(
            f"{script} {arguments} | true", shell=True, cwd=tmp_path, capture_output=True, text=True
        )
        assert piped.stderr == ""


@pytest.mark.parametrize("module", ["typer", "unfool.cli.app"])
def test_ctrl_c_while_modules_are_imported_shows_no_traceback(tmp_path: Path, module: str) -> None:
    stopped = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, module],
        cwd=tmp_path,
        env=surroundings({}),
        capture_output=True,
        text=True,
    )
    assert (stopped.returncode, stopped.stdout, stopped.stderr) == (130, "", "stopped\n")
