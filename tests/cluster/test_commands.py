"""Commands on a cluster: rules and evaluations as one machine makes them, and models that come back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cluster.conftest import Compare, Nodes
from tests.end_to_end.command import REVIEWS, unfool

pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("wordnet")]


def made(*work: object, out: str, address: str | None, cwd: Path) -> Path:
    where = ["--cluster", address] if address else []
    done = unfool(*work, *where, "--out", out, cwd=cwd)
    assert done.code == 0, done.err
    return cwd / out


def test_rules_are_those_of_one_machine(standing: Nodes, crowd: list[str], tmp_path: Path) -> None:
    work = ["rules", "mine", "--victims", *crowd[:2], "--data", REVIEWS, "--n", "90", "--every", "--dtype", "fp32"]
    alone = made(*work, "--quiet", out="alone.jsonl", address=None, cwd=tmp_path)
    shared = made(*work, "--quiet", out="shared.jsonl", address=standing.address, cwd=tmp_path)
    assert alone.read_bytes() == shared.read_bytes()


def test_an_evaluation_is_that_of_one_machine(
    standing: Nodes, crowd: list[str], tmp_path: Path, same_bytes: Compare
) -> None:
    work = ["evaluate", "--victim", crowd[0], "--against", crowd[1], "--data", REVIEWS, "--n", "40"]
    work += ["--attack", "pwws", "greedy-synonym", "--dtype", "fp32", "--quiet"]
    alone = made(*work, out="alone", address=None, cwd=tmp_path)
    shared = made(*work, out="shared", address=standing.address, cwd=tmp_path)
    same_bytes(alone / "runs", shared / "runs", ("config.json", "outcomes.jsonl", "summary.json"))
    one, other = (json.loads((folder / "summary.json").read_bytes()) for folder in (alone, shared))
    assert one.pop("cost").keys() == other.pop("cost").keys()
    assert one == other


def test_models_trained_on_nodes_come_back_and_attack(standing: Nodes, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    with REVIEWS.open(encoding="utf-8", newline="") as source, (tmp_path / "films.csv").open("w") as target:
        target.writelines(line for line, _ in zip(source, range(300), strict=False))
    names = ["LSTM-W-Random-1@films.csv", "CNN-W-Random-1@films.csv"]
    cache = {"UNFOOL_CACHE": str(tmp_path / "cache")}
    done = unfool(
        "train", *names, "--cluster", standing.address, "--device", "cpu", "--json", cwd=tmp_path, **cache
    )
    assert done.code == 0, done.err
    assert [row["problem"] for row in json.loads(done.out)] == ["", ""]
    assert len([*(tmp_path / "cache" / "zoo").glob("*/*.safetensors")]) == len(names)
