"""Whatever a victim does, the run ends, every sample is accounted for, and a healed victim completes it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import unfool
from unfool.attacks import attack
from unfool.data import from_texts
from unfool.engine import Ask, NoAnswer, Status
from unfool.errors import UserError
from unfool.runs import Run
from unfool.text import Sample, Text
from unfool.victims import PLAIN_TEXTS

WORDS = ("good", "bad", "dull", "great", "awful", "so")
TEXTS = [f"{word} is the film of number {number}" for number, word in enumerate(WORDS)]
BUCKETS = 12


class Hostile:
    """A model that treats each text as a plan says, by the bucket the text falls into.

    What it does about a text concerns the whole call where it cannot be told for one text alone.
    """

    labels = ("no", "yes")

    def __init__(self, plan: Sequence[str]) -> None:
        self.plan = list(plan)
        self._calls = 0

    def heal(self) -> None:
        self.plan = ["sound"]

    def __call__(self, texts: Sequence[str]) -> Any:
        self._calls += 1
        fates = [self.plan[crc32(text.encode()) % len(self.plan)] for text in texts]
        for fate in fates:
            _befall(fate)
        rows = [self._row(fate, text) for fate, text in zip(fates, texts, strict=True)]
        if "too few" in fates:
            return rows[1:]
        if "too many" in fates:
            return [*rows, rows[0]]
        return None if "nothing" in fates else rows

    def _row(self, fate: str, text: str) -> Any:
        share = crc32(text.encode()[::-1]) % 1000 / 1000
        if fate == "another mind":
            share = crc32(f"{text}{self._calls}".encode()) % 1000 / 1000
        return WRONG.get(fate, [1 - share, share])


class Unreadable:
    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("no numbers")


WRONG: dict[str, Any] = {
    "nan": [float("nan"), 0.5],
    "nan alone": float("nan"),
    "infinite": [float("inf"), float("-inf")],
    "huge": [10**400, 1],
    "negative": [-0.5, 1.5],
    "logits": [3.1, -1.2],
    "percent": [90, 10],
    "three": [0.2, 0.3, 0.5],
    "one": [1],
    "empty": [],
    "nested": [[0.5, 0.5]],
    "none": None,
    "string": "maybe",
    "label": "yes",
    "number": 7,
    "sigmoid": 0.25,
    "score": {"label": "yes", "score": 0.75},
    "half a score": {"label": "yes"},
    "odd score": [{"label": "yes", "score": "0.75"}],
    "bytes": b"yes",
    "object": object(),
    "unreadable": Unreadable(),
    "array": np.array([0.25, 0.75]),
    "strings": np.array(["much", "little"]),
    "dictionary": {0: 0.5, 1: 0.5},
    "error": ValueError("as an answer"),
}
RAISED: dict[str, BaseException] = {
    "raises": ValueError("cannot read it"),
    "raises keys": KeyError("x"),
    "raises memory": MemoryError(),
    "raises stop": StopIteration("enough"),
    "recursion": RecursionError("too deep"),
    "exits": SystemExit(3),
    "exits at once": SystemExit(),
}
FATES = ["sound", "prints", "slow", "too few", "too many", "nothing", *WRONG, *RAISED]


def _befall(fate: str) -> None:
    if fate in RAISED:
        raise RAISED[fate]
    if fate == "prints":
        print("noise", "\x1b[31m", "{")
    elif fate == "slow":
        time.sleep(0.001)


@attack()
async def wander(sample: Sample, ask: Ask) -> Text:
    """Ask about several variants, then about single ones, and settle on the best."""
    text = sample.text
    for place in (0, 3):
        variants = text.variants([place] * 4, ["good", "bad", "odd", ""])
        progress = await ask.progress(variants)
        assert np.isfinite(progress).all()
        text = variants[int(progress.argmax())]
        if await ask.fooled(text):
            return text
    for word in ("one", "two"):
        last = text.replace(0, word)
        if await ask.fooled(last):
            return last
    return text


def attacked(victim: Hostile, out: str, *, resume: bool = False, width: int = 4) -> Run:
    data = from_texts(TEXTS, ["no", "yes"] * (len(TEXTS) // 2))
    return unfool.attack(victim, data, wander, out=out, resume=resume, in_flight=width, progress=False)


def assert_adds_up(run: Run) -> None:
    outcomes, failures = list(run.outcomes()), list(run.failures())
    assert sorted([each.id for each in outcomes] + [each.id for each in failures]) == list(range(len(TEXTS)))
    summary = run.summary
    assert (summary.samples, summary.errors) == (len(outcomes), len(failures))
    assert summary.samples == summary.skipped + summary.attacked
    assert summary.attacked == summary.successes + sum(summary.failures.values())
    assert summary.unanswered == sum(outcome.unanswered for outcome in outcomes)
    assert all(0 <= outcome.unanswered <= outcome.queries for outcome in outcomes)
    assert all(failure.error for failure in failures)


plans = st.lists(st.sampled_from(FATES), min_size=BUCKETS, max_size=BUCKETS) | st.lists(
    st.sampled_from(["sound", "sound", "sound", *FATES]), min_size=BUCKETS, max_size=BUCKETS
)


@settings(max_examples=60)
@given(plans, st.booleans())
def test_a_run_ends_and_adds_up_and_a_healed_victim_completes_it(plan: list[str], fickle: bool) -> None:
    victim = Hostile([*plan, "another mind"] if fickle else plan)
    with TemporaryDirectory() as folder:
        out = f"{folder}/run"
        with suppress(UserError):  # no sample got an answer
            run = attacked(victim, out)
            assert_adds_up(run)
            assert all(0 <= outcome.after.confidence <= 1 for outcome in run.outcomes())
        victim.heal()
        healed = attacked(victim, out, resume=True)
        assert_adds_up(healed)
        assert healed.whole
        assert (healed.summary.samples, healed.summary.errors) == (len(TEXTS), 0)


@settings(max_examples=20)
@given(plans)
def test_the_outcomes_hang_on_no_batch(plan: list[str]) -> None:
    plan = ["sound", *plan]
    # Nothing but nonsense in the first call, which is larger where the width is, would end the run.
    plan = [
        "sound" if any(crc32(text.encode()) % len(plan) == n for text in PLAIN_TEXTS) else fate
        for n, fate in enumerate(plan)
    ]
    with TemporaryDirectory() as folder:
        for width in (1, 8):
            with suppress(NoAnswer):  # nor does the silence about every sample
                attacked(Hostile(plan), f"{folder}/{width}", width=width)
        runs = [Run.open(f"{folder}/{width}") for width in (1, 8)]
        first, second = (list(run.outcomes()) for run in runs)
        assert first == second
        assert [each.id for each in runs[0].failures()] == [each.id for each in runs[1].failures()]


def test_the_plans_meet_every_end() -> None:
    """Else the tests above would not say much."""
    plan = [
        "sound",
        "sound",
        "sound",
        "nan",
        "raises",
        "sound",
        "sound",
        "too few",
        "sound",
        "sound",
        "exits",
        "sound",
    ]
    with TemporaryDirectory() as folder:
        run = attacked(Hostile(plan), f"{folder}/run")
        outcomes = list(run.outcomes())
        assert list(run.failures())
        assert {outcome.status for outcome in outcomes} >= {Status.SUCCESS, Status.SKIPPED}
        assert any(outcome.unanswered for outcome in outcomes)
