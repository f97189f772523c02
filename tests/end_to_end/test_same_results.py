"""The same seed gives the same result, whatever the width and however often the process was killed."""

from __future__ import annotations

import json
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.command import REVIEWS, attack, fresh, lines, results, start, unfool

from unfool.attacks import find_attack
from unfool.data import load
from unfool.engine import Outcome, attack_samples
from unfool.victims import Transformer
from unfool.victims.tokens import Packing

pytestmark = pytest.mark.usefixtures("wordnet", "word_vectors")

SLOW = pytest.mark.slow
RANDOM = "random:trials=100"
EXACT = ("vader_victim", "skops_victim")
"""Victims without a neural net: every byte of the result is the same, not only what was found."""

Attacked = Callable[..., Path]
Found = dict[str, bytes] | list[tuple[Any, ...]]


def pairs(*quick: tuple[str, str]) -> list[Any]:
    """Every victim with every attack; only those named run in the everyday suite."""
    victims = (*EXACT, "bert_victim", "cnn_victim")
    every = [(victim, recipe) for victim in victims for recipe in ("pwws", "greedy-synonym", RANDOM)]
    return [pytest.param(*pair, marks=() if pair in quick else SLOW, id="-".join(pair)) for pair in every]


def found(victim: str, run: Path) -> Found:
    if victim in EXACT:
        return results(run)
    kept = ("id", "label", "status", "reason", "original", "perturbed", "queries", "checks")
    outcomes = [json.loads(line) for line in (run / "outcomes.jsonl").read_text().splitlines()]
    return [(*(each[key] for key in kept), each["before"]["label"], each["after"]["label"]) for each in outcomes]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Runs an attack in one go, all samples in flight, and keeps it for the other tests of the module."""
    known: dict[tuple[str, str, Path], Path] = {}

    def run(victim: str, recipe: str, data: Path) -> Path:
        if (victim, recipe, data) not in known:
            cwd = tmp_path_factory.mktemp("undisturbed")
            # In a fresh process, as nothing may be said when packages are imported either.
            done = fresh(*attack(victim, recipe, "run", "--in-flight", 512, data=data), cwd=cwd)
            assert (done.code, done.err) == (0, "")
            known[victim, recipe, data] = cwd / "run"
        return known[victim, recipe, data]

    return run


@pytest.mark.parametrize(
    ("victim", "recipe"),
    pairs(("vader_victim", "pwws"), ("skops_victim", "greedy-synonym"), ("bert_victim", RANDOM)),
)
def test_the_width_decides_nothing(
    victim: str, recipe: str, undisturbed: Attacked, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    name = request.getfixturevalue(victim)
    expected = undisturbed(name, recipe, REVIEWS)
    summary = json.loads((expected / "summary.json").read_bytes())
    assert (summary["samples"], summary["errors"]) == (60, 0)
    assert summary["successes"] > 0  # else there would be little to tell apart
    done = unfool(*attack(name, recipe, "run", "--in-flight", 1), cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert found(victim, tmp_path / "run") == found(victim, expected)


@pytest.mark.parametrize(("victim", "recipe"), pairs(("vader_victim", RANDOM)))
def test_killed_ten_times(
    victim: str,
    recipe: str,
    undisturbed: Attacked,
    tmp_path: Path,
    many_reviews: Path,
    request: pytest.FixtureRequest,
) -> None:
    name = request.getfixturevalue(victim)
    expected = undisturbed(name, recipe, many_reviews)
    arguments = attack(name, recipe, "run", data=many_reviews)
    rng, run = random.Random(f"{victim} {recipe}"), tmp_path / "run"
    kept = [_killed(arguments, run, rng, while_starting=number % 3 == 0) for number in range(10)]
    assert kept == sorted(kept)
    assert 0 < kept[-1] < lines(many_reviews) - 1
    done = unfool(*arguments, "--resume", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert found(victim, run) == found(victim, expected)


def _killed(arguments: list[object], run: Path, rng: random.Random, while_starting: bool) -> int:
    """Start or resume an attack, kill it, and return how many outcomes it left behind."""
    more = ["--resume"] if (run / "config.json").exists() else []
    log = run / "outcomes.jsonl"
    before, deadline = lines(log), time.monotonic() + 120
    process = start(*arguments, *more, "--in-flight", rng.choice([1, 2, 3]), cwd=run.parent)
    if while_starting:
        time.sleep(rng.uniform(0, 0.5))
    else:
        while lines(log) <= before and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(rng.uniform(0, 0.1))
    process.kill()
    _, said = process.communicate()
    assert process.returncode == -signal.SIGKILL, f"it ended before it was killed: {said}"
    return lines(log)


def test_the_size_of_batches_decides_nothing(bert_victim: str) -> None:
    samples = list(load(str(REVIEWS)).sample(30, 0))
    recipe = find_attack("greedy-synonym")

    def outcomes(tokens: int, multiple: int, width: int) -> list[tuple[Any, ...]]:
        victim = Transformer(bert_victim.removeprefix("hf:"), device="cpu")
        victim.packing = Packing(tokens, tokens // 8, multiple)
        ended = [each for step in attack_samples(victim, samples, recipe, width=width) for each in step]
        done = [each for each in ended if isinstance(each, Outcome)]
        return sorted((each.id, each.status, each.perturbed, each.queries) for each in done)

    expected = outcomes(tokens=2048, multiple=1, width=256)
    assert len(expected) == 30
    for tokens, multiple, width in ((1, 1, 1), (100, 8, 13), (65_536, 4, 512)):
        assert outcomes(tokens, multiple, width) == expected
