"""The example package, installed as a stranger's would be, and packages that are broken or quarrel over names."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.end_to_end.command import VADER, Finished, surroundings

EXAMPLE = Path(__file__).parents[2] / "examples" / "plugin"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the example into a folder of its own, without a look at any package index."""
    source, folder = tmp_path_factory.mktemp("example") / "plugin", tmp_path_factory.mktemp("site")
    shutil.copytree(EXAMPLE, source)  # building writes into the source
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target")
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(folder), str(source)], check=True)
    return folder


def declare(site: Path, package: str, groups: dict[str, dict[str, str]]) -> None:
    """Write what an installer writes about a package."""
    folder = site / f"{package.replace('-', '_')}-0.1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.1.0\n")
    with (folder / "entry_points.txt").open("w") as file:
        for group, names in groups.items():
            print(f"[{group}]", *(f"{name} = {value}" for name, value in names.items()), sep="\n", file=file)


def run(*arguments: object, site: Path, cwd: Path) -> Finished:
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        env=surroundings({"PYTHONPATH": str(site)}),
        capture_output=True,
        text=True,
    )
    return Finished(done.returncode, done.stdout, done.stderr)


def unfool(*arguments: object, site: Path, cwd: Path) -> Finished:
    return run("-m", "unfool", *arguments, site=site, cwd=cwd)


def test_it_is_listed_with_the_package_it_comes_from(site: Path, tmp_path: Path) -> None:
    for what, name in (
        ("attacks", "stretch"),
        ("constraints", "short-words<=NUMBER"),
        ("victims", "quiet:VICTIM"),
        ("data", "weather"),
    ):
        done = unfool("list", what, "--json", site=site, cwd=tmp_path)
        rows = {row["name"]: row for row in json.loads(done.out)}
        assert name in rows, done.err
        assert what == "data" or rows[name]["what"].endswith("(from unfool-example)")


def test_all_of_it_works_on_the_command_line(site: Path, tmp_path: Path) -> None:
    done = unfool(
        *("attack", "--victim", f"quiet:{VADER}", "--data", "weather", "--attack", "stretch:times=3"),
        *("--constrain", "short-words<=20", "--out", "run", "--quiet", "--json"),
        site=site,
        cwd=tmp_path,
    )
    assert done.code == 0, done.err
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert (config["attack"], config["constraints"]) == ("stretch:times=3", ["short-words<=20"])
    assert json.loads(done.out)["successes"] > 0
    assert unfool("greet", "--name", "Ada", site=site, cwd=tmp_path).err == "hello, Ada\n"


def test_all_of_it_works_from_python(site: Path, tmp_path: Path) -> None:
    code = f"""
import unfool
from unfool.attacks import find_attack
run = unfool.attack("quiet:{VADER}", "weather", find_attack("stretch").with_settings(times=3),
                    constrain="short-words<=20", progress=False)
assert run.summary.successes and all("eeee" in o.perturbed[0] or "aaaa" in o.perturbed[0] for o in run.outcomes()
                                     if o.status == "success"), run
"""
    done = run("-c", code, site=site, cwd=tmp_path)
    assert done.code == 0, done.err


def test_a_name_that_two_packages_claim_is_told_with_both(tmp_path: Path) -> None:
    for package in ("one-package", "other-package"):
        declare(tmp_path, package, {"unfool.attacks": {"stretch": "nothing:stretch"}})
    given = ("attack", "--victim", VADER, "--data", "movie-reviews", "--n", 2, "--quiet", "--attack")
    done = unfool(*given, "stretch", site=tmp_path, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: the attack 'stretch' is claimed by several packages, ")
    assert {"one-package", "other-package"} <= set(done.err.replace(";", " ").split())
    assert done.err.count("\n") == 1
    assert unfool(*given, "random", site=tmp_path, cwd=tmp_path).code == 0


def test_a_package_that_cannot_be_imported_harms_no_other(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("raise OSError('no such\\nlibrary')\n")
    entry = "broken:thing"
    groups = ("attacks", "constraints", "victims", "data", "commands")
    declare(tmp_path, "broken-package", {f"unfool.{group}": {"wrong": entry} for group in groups})
    told = "of the package broken-package cannot be imported: OSError: no such library"

    listed = unfool("list", "attacks", site=tmp_path, cwd=tmp_path)
    assert "pwws" in listed.out
    assert listed.err == f"warning: the attack 'wrong' {told}\n"
    helped = unfool("--help", site=tmp_path, cwd=tmp_path)
    assert (helped.code, helped.err) == (0, f"warning: the command 'wrong' {told}\n")
    asked = unfool(
        *("attack", "--victim", VADER, "--data", "movie-reviews", "--attack", "wrong"), site=tmp_path, cwd=tmp_path
    )
    assert (asked.code, asked.out, asked.err) == (2, "", f"error: the attack 'wrong' {told}\n")


def test_what_is_no_attack_is_told_so(tmp_path: Path) -> None:
    declare(tmp_path, "odd-package", {"unfool.attacks": {"pi": "math:pi"}})
    done = unfool(
        *("attack", "--victim", VADER, "--data", "movie-reviews", "--attack", "pi"), site=tmp_path, cwd=tmp_path
    )
    assert done.err == "error: the attack 'pi' of the package odd-package is no attack but a float\n"
