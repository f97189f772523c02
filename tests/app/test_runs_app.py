"""Runs on pages: the list, the reports, and nothing that lies elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from tests.app.serving_runs import serving_runs
from tests.end_to_end.command import unfool
from tests.rating.conftest import MakeRun

ELSEWHERE = (
    "../secret", "..%2fsecret", "%2e%2e/secret", "deep/../../secret", "link", "deep/pwws/..%2f..%2f..%2fsecret",
    "/etc", "%2fetc%2fpasswd", "%00", "deep",
)  # fmt: skip


@contextmanager
def serving(folder: Path, *more: object) -> Iterator[httpx.Client]:
    with (
        serving_runs(folder, *more) as address,
        httpx.Client(base_url=address, timeout=60, trust_env=False) as client,
    ):
        yield client


@pytest.fixture
def runs(make_run: MakeRun, tmp_path: Path) -> Path:
    """A folder with a run, a damaged one, a link out of it, and a run beside it."""
    folder = tmp_path / "runs"
    (folder / "deep").mkdir(parents=True)
    for name in ("pwws", "broken"):
        make_run(name, 3, 1).rename(folder / "deep" / name)
    (folder / "deep" / "broken" / "config.json").write_text("[", "utf-8")
    make_run("secret", 1)
    (folder / "link").symlink_to(tmp_path / "secret")
    return folder


def test_runs_are_listed_and_opened(runs: Path) -> None:
    with serving(runs) as client:
        broken, found = client.get("/api/runs").json()
        assert (found["path"], found["attack"], found["success_rate"]["count"]) == ("deep/pwws", "pwws", 3)
        assert "error" in broken
        report = client.get("/runs/deep/pwws")
        assert report.status_code == 200
        assert "unfool: pwws" in report.text
        assert "script-src 'sha256-" in report.text
        assert client.get("/runs/deep/broken").status_code == 409
        assert client.get("/", headers={"host": "evil.example"}).status_code == 421
        assert client.post("/api/runs", json={}).status_code == 403


def test_no_path_leaves_the_folder(runs: Path) -> None:
    beside = str(runs.parent / "secret").replace("/", "%2f")
    with serving(runs) as client:
        for path in (*ELSEWHERE, beside, "x" * 5000):
            assert client.get(f"/runs/{path}").status_code == 404, path


def test_others_need_a_password(runs: Path, tmp_path: Path) -> None:
    open_to_all = unfool("app", runs, "--host", "0.0.0.0", "--port", 0, cwd=tmp_path)
    assert open_to_all.code == 2
    assert "--password" in open_to_all.err
    with serving(runs, "--password", "pässword") as client:
        for auth in (None, ("me", "wrong"), ("me", ""), ("pässword", "")):
            refused = client.get("/api/runs", auth=auth)
            assert refused.status_code == 401
            assert refused.headers["www-authenticate"].startswith("Basic")
        assert client.get("/api/runs", headers={"authorization": "Basic !"}).status_code == 401
        assert client.get("/api/runs", auth=httpx.BasicAuth("me", "pässword".encode())).status_code == 200


def test_a_folder_that_is_none_is_one_line(tmp_path: Path) -> None:
    done = unfool("app", "nowhere", cwd=tmp_path)
    told = "error: nowhere is no folder; give the one below which runs lie, or --victims to try\n"
    assert (done.code, done.err) == (2, told)
