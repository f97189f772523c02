"""Commands that read: for people, and with --json for programs."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pyarrow.parquet
import pytest
from tests.end_to_end.command import VADER, attack, unfool

from unfool.rules import Rule, RuleBook, write_rules
from unfool.runs import Run

SCRIPT = "<script>alert('a wonderful film')</script>"
LONG_NAME = "a-name-so-long-that-no-terminal-of-eighty-columns-could-show-all-of-it-in-one-line-without-a-break"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, word_vectors: None) -> Path:
    """A folder with two finished runs over data that hold what could be taken for markup."""
    place = tmp_path_factory.mktemp("reading")
    texts = {SCRIPT: 1, "A [bold]bad[/bold] film.": 0, "Quite good, I'd say.": 1, "A dreadful ☠ bore": 0}
    with (place / "data.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *texts.items()])
    for out, seed in (("a", 0), ("b", 1)):
        arguments = attack(
            VADER, "random:trials=50", out, "--seed", seed, "--report", f"{out}.html", data="data.csv"
        )
        assert unfool(*arguments, cwd=place).code == 0
    return place


@pytest.mark.parametrize(
    "command",
    [
        "list attacks",
        "list victims",
        "list data",
        "list resources",
        "resources list",
        "resources path counter-fitted",
        "show a",
        "diff a b",
    ],
)
def test_reading_commands_speak_json(place: Path, command: str) -> None:
    plain, machine = unfool(*command.split(), cwd=place), unfool(*command.split(), "--json", cwd=place)
    assert (plain.code, plain.err) == (machine.code, machine.err) == (0, "")
    assert plain.out.strip()
    assert json.loads(machine.out)


def test_lists_name_what_there_is(place: Path) -> None:
    attacks = {row["name"]: row for row in json.loads(unfool("list", "attacks", "--json", cwd=place).out)}
    assert {"pwws", "random", "greedy-synonym", "textfooler"} <= attacks.keys()
    assert attacks["pwws"]["settings"] == "variant=paper, same_pos=true, entities=none"
    shown = unfool("list", "resources", cwd=place).out.split()
    assert {row["name"] for row in json.loads(unfool("list", "resources", "--json", cwd=place).out)} <= set(shown)


def test_an_attack_speaks_json(place: Path) -> None:
    done = unfool(*attack(VADER, "random", LONG_NAME, "--json", data="data.csv"), cwd=place)
    said = json.loads(done.out)
    assert (said["run"], said["samples"]) == (LONG_NAME, 4)
    plain = unfool("show", LONG_NAME, cwd=place)
    assert f"run: {LONG_NAME}\n" in plain.out  # in one piece, to be copied


def test_show_shows_texts_as_they_are(place: Path) -> None:
    shown = unfool("show", "a", "--examples", 4, cwd=place)
    assert shown.code == 0
    unbroken = " ".join(shown.out.split())
    for outcome in Run.open(place / "a").outcomes():
        assert outcome.perturbed[0] in unbroken


def test_a_report_runs_nothing(place: Path) -> None:
    assert unfool("show", "b", "--report", "again.html", cwd=place).code == 0
    for name in ("a.html", "b.html", "again.html"):
        page = (place / name).read_text(encoding="utf-8")
        assert "<script>alert(" not in page.lower()
        assert "\\u003cscript" in page.lower()


def test_every_export_holds_every_sample(place: Path) -> None:
    outcomes = list(Run.open(place / "a").outcomes())
    for form, name in {"csv": "csv", "jsonl": "jsonl", "parquet": "parquet", "textattack": "csv"}.items():
        done = unfool("export", "a", "--format", form, "--out", f"{form}.{name}", cwd=place)
        assert (done.code, done.out, done.err) == (0, f"{form}.{name}\n", "")
    for form, column in {"csv": "perturbed_text", "textattack": "perturbed_text"}.items():
        with (place / f"{form}.csv").open(encoding="utf-8", newline="") as file:
            texts = [row[column].replace("[[", "").replace("]]", "") for row in csv.DictReader(file)]
        assert texts == [outcome.perturbed[0] for outcome in outcomes]
    exported = [json.loads(line) for line in (place / "jsonl.jsonl").read_bytes().splitlines()]
    assert [row["perturbed"] for row in exported] == [[*outcome.perturbed] for outcome in outcomes]
    assert {row["label_name"] for row in exported} == {"negative", "positive"}
    table = pyarrow.parquet.read_table(place / "parquet.parquet")
    assert table.column("id").to_pylist() == [outcome.id for outcome in outcomes]


def test_an_export_goes_into_the_runs_folder_by_default(place: Path) -> None:
    done = unfool("export", "b", "--format", "parquet", cwd=place)
    assert done.out == "b/export-parquet.parquet\n"
    assert (place / "b" / "export-parquet.parquet").is_file()
    unknown = unfool("export", "b", "--format", "xlsx", cwd=place)
    assert (unknown.code, len(unknown.err.splitlines())) == (2, 1)
    assert "unknown format 'xlsx'" in unknown.err


def test_an_export_has_the_format_its_name_says(place: Path) -> None:
    assert unfool("export", "a", "--out", "named.jsonl", cwd=place).code == 0
    assert [json.loads(line)["id"] for line in (place / "named.jsonl").open("rb")] == [0, 1, 2, 3]
    assert unfool("export", "a", "--out", "named.PARQUET", cwd=place).code == 0
    assert pyarrow.parquet.read_table(place / "named.PARQUET").num_rows > 0
    unclear = unfool("export", "a", "--out", "named.xlsx", cwd=place)
    assert unclear.code == 2
    assert unclear.err == (
        "error: cannot tell the format of named.xlsx; end its name in .csv, .jsonl or .parquet, or give --format\n"
    )
    assert not (place / "named.xlsx").exists()


def test_diff_tells_what_differs(place: Path) -> None:
    found = json.loads(unfool("diff", "a", "b", "--json", cwd=place).out)
    assert found["config"] == [["seed", "0", "1"]]
    assert found["samples"] == 4
    assert "config: seed: 0 → 1" in unfool("diff", "a", "b", cwd=place).out
    same = json.loads(unfool("diff", "a", "a", "--json", cwd=place).out)
    assert (same["config"], same["differing"], same["only_a"], same["only_b"]) == ([], [], 0, 0)


def test_diff_of_runs_with_nothing_in_common(place: Path) -> None:
    for out, seed in (("one", 0), ("other", 3)):
        assert (
            unfool(
                *attack(VADER, "random:trials=1", out, "--n", 1, "--seed", seed, data="data.csv"), cwd=place
            ).code
            == 0
        )
    ids = [next(Run.open(place / out).outcomes()).id for out in ("one", "other")]
    assert ids[0] != ids[1]
    apart = unfool("diff", "one", "other", cwd=place)
    assert apart.code == 2
    assert "one and other have no sample in common" in apart.err


def test_a_report_of_several_runs(place: Path) -> None:
    pytest.importorskip("vl_convert", reason="needs the charts: pip install 'unfool[report]'")
    done = unfool("report", "a", "b", "--out", "both.html", cwd=place)
    assert (done.code, done.out, done.err) == (0, "both.html\n", "")
    page = (place / "both.html").read_text(encoding="utf-8")
    assert "<title>unfool: a, b</title>" in page
    assert SCRIPT not in page
    assert not (place / "a" / "overlays.jsonl").exists()
    wrong = unfool("report", "c", cwd=place)
    assert (wrong.code, wrong.out) == (2, "")
    assert "c is not a run folder; there is" in wrong.err


def test_a_report_asks_the_victim_once(place: Path, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="needs the charts: pip install 'unfool[report]'")
    run = shutil.copytree(place / "a", tmp_path / "asked")
    nowhere = unfool("report", run, "--overlays", "--n", 2, "--out", "absent/asked.html", cwd=place)
    assert (nowhere.code, (run / "overlays.jsonl").exists()) == (2, False)
    done = unfool("report", run, "--overlays", "--n", 2, "--out", "asked.html", cwd=place)
    assert (done.code, done.out.strip()) == (0, "asked.html")
    kept = (run / "overlays.jsonl").read_bytes()
    assert len(kept.splitlines()) == 2
    assert unfool("report", run, "--out", "again.html", cwd=place).code == 0
    assert (place / "again.html").read_bytes() == (place / "asked.html").read_bytes()
    assert b'id="overlays-0"' in (place / "again.html").read_bytes()
    write_rules(RuleBook(("bad",), (Rule("bad", "good", "fine"),)), place / "rules.jsonl")
    nobody = unfool("report", "rules.jsonl", "--overlays", cwd=place)
    assert nobody.code == 2
    assert "no run was given; give a run's folder" in nobody.err


def test_one_victim_does_not_answer_for_runs_of_several(place: Path, tmp_path: Path) -> None:
    runs = [shutil.copytree(place / "a", tmp_path / name) for name in ("one", "other")]
    (tmp_path / "mine.py").write_text("from unfool.victims.vader import labels, probabilities")
    config = json.loads((runs[1] / "config.json").read_text())
    (runs[1] / "config.json").write_text(json.dumps(config | {"victim": "py:mine:probabilities"}))
    done = unfool("report", *runs, "--overlays", "--victim", VADER, cwd=tmp_path)
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert f"--victim {VADER} cannot be all of py:mine:probabilities, {VADER}; ask about the runs of" in done.err
    assert not any((run / "overlays.jsonl").exists() for run in runs)
