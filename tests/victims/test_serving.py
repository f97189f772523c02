"""A victim served by one process answers the same in all others."""

from __future__ import annotations

import queue
import threading
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.toy_models import save_bert
from tests.victims.remote import opened, prepare

import unfool
from unfool import zoo
from unfool.attacks import find_attack
from unfool.engine import (
    Answers,
    Connection,
    Failure,
    Floats,
    Outcome,
    attack_in_workers,
    attack_samples,
)
from unfool.errors import UserError
from unfool.text import Sample, Text, Variants
from unfool.training import seeded
from unfool.victims import EncodedVictim, Options, RemoteVictim, Transformer, serve
from unfool.victims.serving import InferenceServer, TokenRequest
from unfool.victims.tokens import token_rows
from unfool.zoo.fronts import make_front

WORDS = ("good", "dull", "awful", "lovely", "film", "plot")
TEXTS = [Text.of(f"the {WORDS[n % 6]} {WORDS[n % 5]} is " + "not " * (n % 7) + WORDS[n % 4]) for n in range(40)]
PAIRS = [Text.pair(("premise", text.strings[0]), ("hypothesis", "it is dull"), "hypothesis") for text in TEXTS[:9]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_bert(tmp_path_factory.mktemp("bert"))


def remote(owner: EncodedVictim) -> RemoteVictim:
    requests, answers = queue.Queue[object](), queue.Queue[object]()
    threading.Thread(target=serve, args=(lambda: owner, requests, [answers]), daemon=True).start()
    return RemoteVictim(Connection(0, requests, answers))


def test_a_remote_victim_answers_like_the_victim_itself(folder: Path) -> None:
    owner = Transformer(str(folder), device="cpu")
    here = remote(owner)
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


def test_answers_and_errors_go_to_those_who_asked(folder: Path) -> None:
    owner = Transformer(str(folder), device="cpu")
    first, second = ([text.strings for text in part] for part in (TEXTS[:7], TEXTS[7:20]))
    rows = [token_rows(owner.encoder.whole(part), owner.encoder.suffix) for part in (first, second)]
    requests, lines = queue.Queue[Any](), [queue.Queue[Any](), queue.Queue[Any]()]
    for worker, part in enumerate(rows):
        requests.put(TokenRequest(worker, 10 + worker, False, False, part))
    expected_here = owner.confirm(first).values
    expected = np.concatenate([owner.confirm([text]).values for text in second])
    spoil = owner.answers

    def spoiled(values: Floats, raw: bool) -> Answers:
        values[9] = np.nan
        return spoil(values, raw)

    owner.answers = spoiled  # type: ignore[method-assign]
    threading.Thread(target=InferenceServer(owner, requests, lines).run, daemon=True).start()
    found = [line.get(timeout=20) for line in lines]
    assert [ticket for ticket, _ in found] == [10, 11]
    here, there = (answers for _, answers in found)
    assert (here.errors, list(there.errors)) == ({}, [2])
    np.testing.assert_allclose(here.values, expected_here, atol=1e-5)
    sound = [number for number in range(13) if number != 2]
    np.testing.assert_allclose(there.values[sound], expected[sound], atol=1e-5)


def test_a_remote_net_refuses_what_the_net_itself_refuses_and_reads_empty_texts() -> None:
    with seeded(0):
        front = make_front("Vectors", rows=len(WORDS) + 2, dimensions=4)
        net = zoo.make_net("KimCNN", front, 2, filters=3).eval()
    owner = zoo.NetVictim(net, zoo.WordVocabulary(WORDS), ("neg", "pos"), name="zoo:toy", device="cpu")
    here = remote(owner)
    np.testing.assert_allclose(here.check([("",)]).result().values, owner.confirm([("",)]).values, atol=1e-5)
    np.testing.assert_allclose(here.confirm_logits([("good",)]).values, owner.confirm_logits([("good",)]).values)
    with pytest.raises(UserError, match="reads one text, not a pair"):
        here.check([PAIRS[0].strings])
    with pytest.raises(UserError, match="reads one text, not a pair"):
        here.rows([Variants.of_texts(PAIRS)])


def test_a_spec_that_cannot_travel_is_an_error_not_a_wait(folder: Path) -> None:
    owner = Transformer(str(folder), device="cpu")
    owner.unknown = threading.Lock()  # type: ignore[assignment]
    with pytest.raises(TypeError, match="pickle"):
        serve(lambda: owner, queue.Queue(), [queue.Queue()])


def found(steps: list[list[Outcome | Failure]]) -> list[tuple[object, ...]]:
    rows = [outcome for step in steps for outcome in step]
    assert all(isinstance(row, Outcome) for row in rows)
    return sorted((o.id, o.perturbed, o.status, o.queries) for o in rows if isinstance(o, Outcome))


def test_workers_that_share_a_net_find_what_one_process_finds(folder: Path) -> None:
    # More than one parcel, so that both workers ask.
    samples = [Sample(number, TEXTS[number % 40], number % 2) for number in range(200)]
    steps = attack_in_workers(prepare, samples, workers=2, serve=partial(serve, partial(opened, folder)))
    assert found(list(steps)) == found(list(attack_samples(opened(folder), samples, find_attack("random"))))


def test_a_server_that_cannot_open_its_victim_says_so(tmp_path: Path) -> None:
    broken = partial(serve, partial(opened, tmp_path / "nothing"))
    with pytest.raises(UserError, match="there is no model folder"):
        list(attack_in_workers(prepare, [Sample(0, TEXTS[0], 0)], workers=1, serve=broken))


def test_an_attack_by_gradients_has_a_net_in_each_worker(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [f"the {WORDS[number % 6]} film is {WORDS[number % 4]},{number % 2}" for number in range(12)]
    (tmp_path / "texts.csv").write_text("\n".join(["text,label", *rows]))
    # Only on a GPU is there a server, which gives no gradients.
    monkeypatch.setattr("unfool.job._job._device_of", lambda model: "cuda")

    def outcomes(workers: int) -> list[list[Outcome | Failure]]:
        out = tmp_path / f"run-{workers}"
        run = unfool.attack(
            f"hf:{folder}",
            str(tmp_path / "texts.csv"),
            "jsma",
            workers=workers,
            options=Options(device="cpu"),
            out=out,
            progress=False,
        )
        return [[*run.outcomes(), *run.failures()]]

    assert found(outcomes(2)) == found(outcomes(1))
