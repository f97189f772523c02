"""GCG follows an independent reading of the paper, step by step, and its suffixes are read as they were meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.toys import run
from tests.victims.prompted.test_causal import TEMPLATE, save
from transformers import AutoModelForCausalLM, AutoTokenizer

from unfool.attacks import find_attack
from unfool.attacks.parts.suffix import with_suffix
from unfool.engine import Budget, Goal, Outcome
from unfool.text import Sample, Text
from unfool.victims import open_victim

LABELS = ("fine", "dull")
PROMPT = "the plot is {text}, isn't it?"
START, STEPS, TOKENS, CANDIDATES, SWAPS = "film", 5, 4, 12, 10


class Reading:
    """GCG against a causal model in plain code: one row at a time, nothing shared, the whole prompt read anew."""

    def __init__(self, folder: Path, text: str, target: int, seed: int) -> None:
        self.model = AutoModelForCausalLM.from_pretrained(folder).eval()
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.text, self.target = text, target
        self.random = np.random.default_rng([seed, 0])
        ways = [[label, label.capitalize(), label.upper()] for label in LABELS]
        self.forms = [{tuple(self.encode(s + w)) for w in some for s in ("", " ")} for some in ways]

    def encode(self, written: str) -> list[int]:
        return list(self.tokenizer(written, add_special_tokens=False)["input_ids"])

    def prompt(self, suffix: str) -> tuple[list[int], int, int]:
        """Return the prompt's tokens, and where the suffix starts and stops in them."""
        message = [{"role": "user", "content": PROMPT.replace("{text}", f"{self.text} {suffix}")}]
        whole = self.tokenizer.apply_chat_template(message, add_generation_prompt=True, tokenize=False)
        start, behind = (len(self.encode(part)) for part in whole.split(f" {suffix}"))
        ids = self.encode(whole)
        return ids, start, len(ids) - behind

    def loss(self, one_hot: torch.Tensor) -> torch.Tensor:
        table = self.model.get_input_embeddings().weight
        beliefs = []
        for forms in self.forms:
            total = torch.zeros(())
            for form in forms:
                vectors = torch.cat([one_hot @ table, table[list(form)]])
                logs = self.model(inputs_embeds=vectors[None]).logits[0].log_softmax(-1)
                total = total + logs[range(len(one_hot) - 1, len(one_hot) - 1 + len(form)), list(form)].sum().exp()
            beliefs.append(total)
        return -torch.log(beliefs[self.target] / sum(beliefs))

    def one_hot(self, ids: list[int]) -> torch.Tensor:
        rows = self.model.get_input_embeddings().num_embeddings
        return torch.nn.functional.one_hot(torch.tensor(ids), rows).float()

    def curve(self) -> list[float]:
        plain = [
            number
            for number in range(len(self.tokenizer))
            if (written := self.tokenizer.decode([number])).isprintable()
            and written.isascii()
            and number not in self.tokenizer.all_special_ids
        ]
        suffix, losses = " ".join([START] * TOKENS), []
        for _ in range(STEPS):
            ids, start, stop = self.prompt(suffix)
            one_hot = self.one_hot(ids).requires_grad_()
            (slope,) = torch.autograd.grad(self.loss(one_hot), one_hot)
            best = [
                sorted(plain, key=lambda n: (round(float(row[n]), 5), n))[:CANDIDATES] for row in slope[start:stop]
            ]
            places = self.random.integers(len(best), size=SWAPS)
            picks = self.random.integers(CANDIDATES, size=SWAPS)
            tried = {}
            for place, pick in zip(places, picks, strict=True):
                changed = [*ids]
                changed[start + place] = best[place][pick]
                written = self.tokenizer.decode(changed[start:stop]).strip(" ")
                if "  " not in written and written and self.prompt(written)[0] == changed:
                    tried[written] = round(float(self.loss(self.one_hot(changed)).detach().neg().exp()), 5)
            suffix = max(tried, key=lambda written: tried[written])
            losses.append(-np.log(tried[suffix]))
        return losses


def toy(kind: str, folder: Path) -> tuple[Any, Sample]:
    save(folder / "model", kind, TEMPLATE)
    (folder / "prompt.txt").write_text(PROMPT, "utf-8")
    victim = open_victim(f"hf-causal:{folder / 'model'}#prompt={folder / 'prompt.txt'},labels=fine|dull,least=0")
    text = Text.of("so-so and lovely")
    return victim, Sample(0, text, int(victim.check([text.strings]).result().values.argmax()))


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_the_loss_is_that_of_an_independent_reading(kind: str, tmp_path: Path) -> None:
    victim, sample = toy(kind, tmp_path)
    goal = Goal(target=1 - sample.label, confidence=1.0)
    losses = []
    for steps in range(1, STEPS + 1):
        recipe = find_attack(
            f"gcg:tokens={TOKENS},steps={steps},candidates={CANDIDATES},swaps={SWAPS},start={START}"
        )
        outcome = run(victim, [sample], recipe, goal=goal, seed=3)[0]
        assert isinstance(outcome, Outcome)
        losses.append(outcome.notes["loss"])
    reading = Reading(tmp_path / "model", str(sample.text), 1 - sample.label, 3).curve()
    assert losses == pytest.approx(reading, abs=2e-3)
    assert len(set(np.round(reading, 3))) > 2


@pytest.mark.parametrize(
    "spec", ["gcg:tokens=3,steps=4,candidates=20,swaps=16,buffer=2", "random-search:length=8,steps=10"]
)
def test_the_suffix_stands_behind_the_text_and_brings_the_goal_nearer(spec: str, tmp_path: Path) -> None:
    victim, sample = toy("llama", tmp_path)
    before = float(victim.confirm([sample.text.strings]).values[0, 1 - sample.label])
    outcome = run(victim, [sample], find_attack(spec), budget=Budget(queries=120))[0]
    assert isinstance(outcome, Outcome)
    assert outcome.perturbed[0].startswith(f"{sample.text} ")
    assert outcome.perturbed[0].isascii()
    assert outcome.queries <= 120
    assert float(victim.confirm([outcome.perturbed]).values[0, 1 - sample.label]) > before


@pytest.mark.parametrize(
    ("text", "suffix", "whole"),
    [
        ("a fine film.", "! x", "a fine film. ! x"),
        ("a fine film", "! x", "a fine film ! x"),
        ("", "! x", "! x"),
        ("  ", "x", "  x"),
        ("?!", "x", "?! x"),
        ("line\n", "x", "line\nx"),
    ],
)
def test_a_suffix_is_behind_all_of_a_text(text: str, suffix: str, whole: str) -> None:
    changed = with_suffix(Text.of(text), suffix)
    assert changed.strings == (whole,)
    assert changed.words[-len(suffix.split()) :] == tuple(suffix.split())
    pair = with_suffix(Text.pair(("one", text), ("two", "Say it."), "one"), suffix)
    assert pair.strings == (whole, "Say it.")
