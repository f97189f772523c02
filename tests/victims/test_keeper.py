"""A victim kept by one process answers the same for those that borrow it."""

from __future__ import annotations

import queue
import threading
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from tests.toy_models import save_bert

from unfool.attacks import find_attack
from unfool.engine import Attack, Failure, Line, Outcome, Predictor, attack_in_workers, attack_samples
from unfool.errors import UserError
from unfool.text import Sample, Text, Variants
from unfool.victims import BorrowedVictim, Transformer, keep

WORDS = ("good", "dull", "awful", "lovely", "film", "plot")
TEXTS = [Text.of(f"the {WORDS[n % 6]} {WORDS[n % 5]} is " + "not " * (n % 7) + WORDS[n % 4]) for n in range(40)]
PAIRS = [Text.pair(("premise", text.strings[0]), ("hypothesis", "it is dull"), "hypothesis") for text in TEXTS[:9]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_bert(tmp_path_factory.mktemp("bert"))


def borrowed(owner: Transformer) -> BorrowedVictim:
    requests, answers = queue.Queue[object](), queue.Queue[object]()
    threading.Thread(target=keep, args=(lambda: owner, requests, [answers]), daemon=True).start()
    return BorrowedVictim(Line(0, requests, answers))


def test_a_borrowed_victim_answers_like_its_owner(folder: Path) -> None:
    owner = Transformer(str(folder), device="cpu")
    here = borrowed(owner)
    assert (here.labels, here.unknown, here.approximate) == (owner.labels, owner.unknown, owner.approximate)
    asked = [text.variants(text.editable, "lovely") for text in TEXTS] + [Variants.of_texts(PAIRS)]
    ours, theirs = here.rows(asked), owner.rows(asked)
    assert (ours.keys == theirs.keys).all()
    everything = np.arange(len(ours.keys))
    # Both are under way before either is read, the later one first.
    first, second = here.launch(ours, everything), here.launch(ours, everything[:3])
    nothing = here.launch(ours, everything[:0])
    expected = owner.launch(theirs, everything).result().values
    np.testing.assert_allclose(second.result().values, expected[:3], atol=1e-5)
    np.testing.assert_allclose(first.result().values, expected, atol=1e-5)
    assert nothing.result().values.shape == (0, 2)
    strings = [text.strings for text in (*TEXTS, *PAIRS)]
    for some in (strings[:40], strings[40:]):
        np.testing.assert_allclose(here.check(some).result().values, owner.confirm(some).values, atol=1e-5)


def prepare(line: Line | None) -> tuple[Predictor, Attack]:
    assert line
    return BorrowedVictim(line), find_attack("random")


def opened(folder: Path) -> Transformer:
    return Transformer(str(folder), device="cpu")


def found(steps: list[list[Outcome | Failure]]) -> list[tuple[object, ...]]:
    rows = [outcome for step in steps for outcome in step]
    assert all(isinstance(row, Outcome) for row in rows)
    return sorted((o.id, o.perturbed, o.status, o.queries) for o in rows if isinstance(o, Outcome))


def test_workers_that_borrow_find_what_one_process_finds(folder: Path) -> None:
    samples = [Sample(number, text, number % 2) for number, text in enumerate(TEXTS)]
    steps = attack_in_workers(prepare, samples, workers=2, keep=partial(keep, partial(opened, folder)))
    assert found(list(steps)) == found(list(attack_samples(opened(folder), samples, find_attack("random"))))


def test_a_keeper_that_cannot_open_its_victim_says_so(tmp_path: Path) -> None:
    broken = partial(keep, partial(opened, tmp_path / "nothing"))
    with pytest.raises(UserError, match="there is no model folder"):
        list(attack_in_workers(prepare, [Sample(0, TEXTS[0], 0)], workers=1, keep=broken))
