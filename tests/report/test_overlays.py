"""How much words matter, against numbers computed by hand, and how they are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.report.conftest import MakeRun
from tests.report.pages import data_of

from unfool.engine import FunctionService, Outcome, Status, Swap
from unfool.errors import UserError, VictimError
from unfool.report import overlay
from unfool.runs import Overlay, Run, Weights, read_overlays
from unfool.text import Text
from unfool.victims import Attention, Input, TextVictim

WEIGHTS = {"good": 0.3, "film": 0.125, "bad": -0.25, "decent": -0.15}


class Adds(TextVictim):
    """Believes in label 1 by half, and by the weight of every word more or less."""

    labels = ("bad", "good")

    def __init__(self) -> None:
        self.calls: list[int] = []

    def __repr__(self) -> str:
        return "adds"

    def probabilities(self, inputs: Sequence[Input]) -> Any:
        self.calls.append(len(inputs))
        return [self._row(" ".join(strings)) for strings in inputs]

    def _row(self, string: str) -> Any:
        if "unspeakable" in string:
            return VictimError("no answer")
        belief = 0.5 + sum(WEIGHTS.get(word.lower(), 0.0) for word in Text.of(string).words)
        return [1 - belief, belief]


class Attentive(Adds):
    """Tokens: a special one, then two a word, of at most four words. The last layer's first head is what counts."""

    def __init__(self) -> None:
        super().__init__()
        self.shares: list[int] = []
        self.attention = FunctionService(self._attend)

    def _attend(self, texts: Sequence[Text]) -> list[Attention]:
        self.shares.append(len(texts))
        return [self._look(min(4, len(text))) for text in texts]

    def _look(self, words: int) -> Attention:
        tokens = 1 + 2 * words
        weights = np.full((2, 2, tokens, tokens), 0.9)
        weights[1, :, 0] = [np.arange(tokens) / 100, np.arange(tokens) / 50]
        weights[1, :, -1] = 0.25
        return Attention(np.array([-1, *np.repeat(np.arange(words), 2)]), weights)


def test_importance_is_what_belief_loses_without_the_word(make_run: MakeRun, outcome: Outcome) -> None:
    run = make_run("run", [outcome])
    assert overlay(run, victim=Adds()) == 0
    # A good film: 0.5 + 0.3 + 0.125; a decent film: 0.5 - 0.15 + 0.125.
    expected = Weights([0.0, 0.3, 0.125], None), Weights([0.0, -0.15, 0.125], None)
    assert read_overlays(run.folder) == {0: Overlay(0, *expected, [0.925])}


def test_beliefs_follow_the_steps_of_the_search(make_run: MakeRun, outcome: Outcome) -> None:
    steps = (Swap(1, "good", "bad"),), (Swap(1, "bad", "decent"), Swap(2, "film", "movie"))
    run = make_run("run", [replace(outcome, perturbed=("A decent movie.",), steps=steps)])
    overlay(run, victim=Adds())
    assert read_overlays(run.folder)[0].beliefs == [0.925, 0.375, 0.35]


def test_it_is_about_the_true_label_whatever_the_victim_says(make_run: MakeRun, outcome: Outcome) -> None:
    run = make_run("run", [replace(outcome, label=0, perturbed=outcome.original, status=Status.SKIPPED)])
    overlay(run, victim=Adds())
    assert read_overlays(run.folder) == {0: Overlay(0, Weights([0.0, -0.3, -0.125], None), None, [0.075])}


def test_pairs_have_a_number_for_each_word_of_each_field(make_run: MakeRun, outcome: Outcome) -> None:
    pair = replace(
        outcome, original=("Bad!", "a good film"), perturbed=("Bad!", "film"), field_names=("premise", "hypothesis")
    )
    run = make_run("run", [pair])
    overlay(run, victim=Adds())
    (found,) = read_overlays(run.folder).values()
    assert found == Overlay(0, Weights([-0.25, 0.0, 0.3, 0.125], None), Weights([-0.25, 0.125], None), [0.675])
    (fields, changed, _, _) = data_of(run)["overlays-0"]["0"]
    assert fields == [[[0, 3], [-0.25], None], [[0, 1, 1, 4, 1, 4], [0.0, 0.3, 0.125], None]]
    assert changed == [[[0, 3], [-0.25], None], [[0, 4], [0.125], None]]


def test_attention_is_the_last_layers_mean_over_heads_summed_over_a_words_tokens(
    make_run: MakeRun, outcome: Outcome
) -> None:
    long = replace(outcome, perturbed=("one two three four five",))
    run = make_run("run", [long])
    overlay(run, victim=Attentive())
    (found,) = read_overlays(run.folder).values()
    # Token t has 0.01 t in one head and 0.02 t in the other; word k has the tokens 2k + 1 and 2k + 2.
    assert found.original.attention == [0.045, 0.105, 0.165]
    assert found.perturbed is not None
    assert found.perturbed.attention == [0.045, 0.105, 0.165, 0.225, None]
    assert data_of(run)["about"]["runs"][0]["overlays"] == {"samples": 1, "attention": True}


def test_nets_that_decide_by_the_last_token_attend_from_there(make_run: MakeRun, outcome: Outcome) -> None:
    victim = Attentive()
    victim.reads_last_token = True  # type: ignore[attr-defined]
    run = make_run("run", [replace(outcome, perturbed=outcome.original)])
    overlay(run, victim=victim)
    assert read_overlays(run.folder)[0].original.attention == [0.5, 0.5, 0.5]


def test_attention_is_asked_in_shares_that_fit(
    make_run: MakeRun, outcome: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unfool.report._overlays._WORDS_SQUARED", 20)
    victim = Attentive()
    run = make_run("run", [replace(outcome, id=i) for i in range(4)])
    overlay(run, victim=victim)
    assert victim.shares == [2, 2, 2, 2]  # of three words each


def test_samples_are_asked_together_successes_first_and_once(make_run: MakeRun, outcome: Outcome) -> None:
    outcomes = [replace(outcome, id=i, original=(f"good film {i}",)) for i in range(100)]
    run = make_run("run", [replace(each, status=Status.FAILED) for each in outcomes[:50]] + outcomes[50:])
    victim, told = Adds(), list[tuple[int, int]]()
    overlay(run, 60, victim=victim, on_progress=lambda done, of: told.append((done, of)))
    assert len(victim.calls) <= 2
    assert told[-1] == (60, 60)
    assert sorted(read_overlays(run.folder)) == [*range(10), *range(50, 100)]
    again = Adds()
    overlay(run, 60, victim=again)
    assert again.calls == []
    overlay(run, 61, victim=again)
    assert len(read_overlays(run.folder)) == 61


def test_a_text_without_an_answer_is_left_out(make_run: MakeRun, outcome: Outcome) -> None:
    run = make_run("run", [outcome, replace(outcome, id=1, original=("An unspeakable film",))])
    assert overlay(run, victim=Adds()) == 1
    assert list(read_overlays(run.folder)) == [0]


def test_another_victim_is_refused(make_run: MakeRun, outcome: Outcome) -> None:
    victim = Adds()
    victim.fingerprint = "now"
    with pytest.raises(UserError, match=r"adds is not what .*run attacked; give what it calls hf:\./bert"):
        overlay(make_run("run", [outcome], victim="hf:./bert", victim_fingerprint="then"), victim=victim)
    with pytest.raises(UserError, match="is not what"):
        overlay(make_run("three", [outcome], labels=["a", "b", "c"]), victim=victim)


def test_a_victim_without_a_name_that_opens_it(make_run: MakeRun, outcome: Outcome) -> None:
    with pytest.raises(UserError, match=r"'Endpoint\(…\)' is.*add --victim NAME"):
        overlay(make_run("run", [outcome], victim="Endpoint(…)"))


def test_what_a_kill_left_is_mended_and_what_is_damaged_is_named(make_run: MakeRun, outcome: Outcome) -> None:
    run = make_run("run", [outcome, replace(outcome, id=1)])
    overlay(run, 1, victim=Adds())
    with (run.folder / "overlays.jsonl").open("a") as file:
        file.write('{"id": 1, "orig')
    assert list(read_overlays(run.folder)) == [0]
    overlay(run, victim=Adds())
    assert list(read_overlays(run.folder)) == [0, 1]
    (run.folder / "overlays.jsonl").write_text('{"id": 1}\n')
    with pytest.raises(UserError, match=r"line 1 of .*overlays\.jsonl is damaged; delete the file"):
        read_overlays(run.folder)


def test_words_are_cut_as_a_browser_counts(make_run: MakeRun, outcome: Outcome) -> None:
    run = make_run("run", [replace(outcome, original=("\U0001f600 so-so, \ud800𝔾od",), perturbed=("x",))])
    overlay(run, victim=Adds())
    ((lengths, *_),), *_ = data_of(run)["overlays-0"]["0"]
    assert lengths == [3, 5, 3, 4]


def test_a_run_nobody_asked_about_has_none(make_run: MakeRun, outcome: Outcome, tmp_path: Path) -> None:
    run = make_run("run", [outcome])
    assert read_overlays(run.folder) == {}
    assert data_of(run)["about"]["runs"][0]["overlays"] is None
    assert Run.open(run.folder).summary.samples == 1
