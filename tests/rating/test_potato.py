"""Potato itself, where it is installed: it serves what we wrote, and we read what it wrote."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path

import httpx
import pytest
from tests.end_to_end.command import unfool
from tests.rating.conftest import MakeRun

from unfool.rating import Study, new_study
from unfool.rating.elsewhere import write_questions
from unfool.runs import Run

pytestmark = pytest.mark.slow
PLAIN = "a plain text"
AWKWARD = "two  words of data: javascript:alert(1) <b>&amp;\nand a line,"
PATIENCE = 120


@contextmanager
def serving_potato(folder: Path) -> Iterator[httpx.Client]:
    """Serve a part as ``potato start`` does; its log must warn of no setting."""
    potato = os.environ.get("UNFOOL_POTATO") or shutil.which("potato")
    if potato is None:
        pytest.skip("needs Potato: install potato-annotation, and name its command in UNFOOL_POTATO")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    log = folder.parent / "log"
    with log.open("w", encoding="utf-8") as told:
        process = subprocess.Popen(
            [potato, "start", "config.yaml", "-p", str(port)], cwd=folder, stdout=told, stderr=told
        )
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", follow_redirects=True, trust_env=False) as client:
            end = time.monotonic() + PATIENCE
            while not _answers(client):
                assert process.poll() is None, log.read_text("utf-8")
                assert time.monotonic() < end
                time.sleep(0.2)
            yield client
    finally:
        process.terminate()
        process.wait()
    warned = [line for line in log.read_text("utf-8").splitlines() if "WARN" in line]
    assert not [line for line in warned if "config" in line.lower() or "deprecated" in line.lower()]


def _answers(client: httpx.Client) -> bool:
    try:
        return client.get("/").status_code == 200
    except httpx.TransportError:
        return False


def test_potato_serves_our_questions_and_we_read_its_answers(make_run: MakeRun, tmp_path: Path) -> None:
    runs = [Run.open(make_run(name, 3)) for name in ("pwws", "odd")]
    for run in runs:
        lines = (run.folder / "outcomes.jsonl").read_text("utf-8")
        hostile = AWKWARD.replace("\n", "\\n")
        (run.folder / "outcomes.jsonl").write_text(
            lines.replace("a plain", hostile).replace(f"a {run.name}", f"{hostile} {run.name}"), "utf-8"
        )
    study = new_study(tmp_path / "study", [run.folder for run in runs], "readability", gold=0)
    (part,) = write_questions(study, "potato", tmp_path / "out")
    prefers: dict[int, str] = {}
    with serving_potato(part) as client:
        client.post("/register", data={"email": "ann@example.org", "pass": "a password", "action": "signup"})
        page = client.get("/annotate").text
        assert "Choose the one that a person would rather have written." in page
        while (item := _shown(page)) is not None:
            first = _paragraphs(page)[0]
            assert first in {text for (text,) in study.items[item].texts}
            assert item not in prefers
            prefers[item] = "The first" if "pwws" in first else "The second"
            given = {"instance_id": f"item-{item}", "annotations": {f"answer:{prefers[item]}": prefers[item]}}
            assert client.post("/updateinstance", json=given).status_code == 200
            client.post("/annotate", json={"action": "next_instance", "instance_id": f"item-{item}"})
            page = client.get("/annotate").text
    assert len(prefers) == 3
    taken = unfool("rate", "import", "study", part / "annotation_output", "--format", "potato", cwd=tmp_path)
    assert taken.out == "3 new votes\n", taken.err
    votes = Study.open(tmp_path / "study").store.votes()
    assert {(vote.rater, vote.answer) for vote in votes} == {("potato:ann@example.org", "0")}


def _shown(page: str) -> int | None:
    """Return the item that a page asks about, or None at the end."""
    found = re.search(r'id="instance_id"[^>]*value="item-(\d+)"', page)
    return int(found[1]) if found else None


def _paragraphs(page: str) -> list[str]:
    """Return the texts that a page shows, as a reader sees them."""
    inside = page.partition('id="text-content"')[2].partition('id="span-overlays"')[0]
    found = re.findall(r"<p[^>]*>(.*?)</p>", inside, re.DOTALL)
    return [unescape(re.sub(r"<br ?/?>", "\n", text)).replace("\xa0", " ") for text in found]
