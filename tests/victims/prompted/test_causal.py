"""A causal model in process: its label probabilities are those of a plain loop over forced continuations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests import toy_tokenizers
from tests.toys import outcomes
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
)

from unfool.attacks import find_attack
from unfool.engine import Budget
from unfool.errors import UserError
from unfool.text import Sample, Text
from unfool.victims import Options, open_victim
from unfool.victims.prompted import Causal

LABELS = ("fine", "a great loss")
TEMPLATE = "{% for m in messages %}<s>{{ m.content }}{% endfor %}\nanswer:"
TEXTS = [("a fine film, isn't it?",), ("the plot is dull",), ("",), ("the plot is so-so and the acting is dull",)]


def save(folder: Path, kind: str, template: str | None = None) -> Path:
    tokenizer = toy_tokenizers.byte_bpe()
    tokenizer.chat_template = template
    torch.manual_seed(3)
    size: dict[str, Any] = {"vocab_size": len(tokenizer), "initializer_range": 0.3, "pad_token_id": 1}
    size |= {"bos_token_id": 0, "eos_token_id": 2}
    if kind == "gpt2":
        model: Any = GPT2LMHeadModel(GPT2Config(n_embd=16, n_layer=2, n_head=2, n_positions=160, **size))
    else:
        shape: dict[str, Any] = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2}
        heads = {"num_attention_heads": 4, "num_key_value_heads": 2}
        model = LlamaForCausalLM(LlamaConfig(**shape, **heads, max_position_embeddings=160, **size))
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def opened(folder: Path, more: str = "") -> Causal:
    victim = open_victim(f"hf-causal:{folder}#labels={'|'.join(LABELS)},least=0{more}")
    assert isinstance(victim, Causal)
    return victim


def plain_loop(model: Any, tokenizer: Any, prompt: list[int], label: str) -> float:
    """Force every way to write a label behind a prompt, one model call each, and add up their probabilities."""
    total = 0.0
    written = [f"{space}{way}" for way in (label, label.capitalize(), label.upper()) for space in ("", " ")]
    for tokens in {tuple(tokenizer(way, add_special_tokens=False)["input_ids"]) for way in written}:
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([[*prompt, *tokens]])).logits[0].double()
        steps = logits.log_softmax(-1)[len(prompt) - 1 : -1]
        total += float(np.exp(sum(float(step[token]) for step, token in zip(steps, tokens, strict=True))))
    return total


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
@pytest.mark.parametrize("template", [None, TEMPLATE])
def test_label_probabilities_are_those_of_a_plain_loop(kind: str, template: str | None, tmp_path: Path) -> None:
    folder = save(tmp_path / "model", kind, template)
    victim = opened(folder)
    prompts = [victim.tokens(strings) for strings in TEXTS]
    model = AutoModelForCausalLM.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    wanted = np.array([[plain_loop(model, tokenizer, prompt, label) for label in LABELS] for prompt in prompts])
    assert (wanted > 0).all()
    together, alone = victim.mass(prompts), np.concatenate([victim.mass([prompt]) for prompt in prompts])
    assert np.allclose(together, wanted, rtol=1e-4, atol=0)
    assert np.allclose(alone, wanted, rtol=1e-4, atol=0)
    shares = wanted / wanted.sum(axis=1, keepdims=True)
    assert np.abs(victim.confirm(TEXTS).values - shares).max() < 1e-5
    assert np.abs(victim.check(TEXTS).result().values - shares).max() < 1e-5


def test_batches_change_nothing_and_the_template_wraps_the_prompt(tmp_path: Path) -> None:
    folder = save(tmp_path / "model", "llama", TEMPLATE)
    by_one, by_three = opened(folder, ",batch=1"), opened(folder, ",batch=3")
    assert np.abs(by_one.confirm(TEXTS).values - by_three.confirm(TEXTS).values).max() < 1e-5
    assert by_one.tokens(("x",)) != opened(save(tmp_path / "plain", "llama")).tokens(("x",))


def test_too_little_belief_in_the_labels_is_refused_and_told(tmp_path: Path) -> None:
    folder = save(tmp_path / "model", "gpt2")
    victim = open_victim(f"hf-causal:{folder}#labels=fine|dull")
    with pytest.raises(UserError, match=r"of its belief to fine, dull, less than least=0.5; mend the prompt"):
        victim.check(TEXTS).result()
    assert "outside all labels" in victim.account  # type: ignore[attr-defined]


def test_a_text_that_is_too_long_costs_that_text_alone(tmp_path: Path) -> None:
    victim = opened(save(tmp_path / "model", "gpt2"))
    answers = victim.confirm([("xyz " * 60,), *TEXTS])
    assert list(answers.errors) == [0]
    assert "reads 160; shorten the text" in str(answers.errors[0])


def test_labels_that_begin_alike_are_refused(tmp_path: Path) -> None:
    folder = save(tmp_path / "model", "gpt2")
    with pytest.raises(UserError, match="'a' is the beginning of 'a fine' to the model"):
        open_victim(f"hf-causal:{folder}#labels=a|a fine")


def test_half_precision_is_refused_before_anything_is_loaded() -> None:
    with pytest.raises(UserError, match="full precision alone; leave --dtype bf16 out"):
        open_victim("hf-causal:nowhere#labels=fine|dull", Options("cpu", "bf16"))


def test_an_attack_runs_end_to_end(tmp_path: Path) -> None:
    victim = opened(save(tmp_path / "model", "gpt2"))
    labels = victim.confirm(TEXTS[:2]).values.argmax(axis=1).tolist()
    samples = [Sample(n, Text.of(text), labels[n]) for n, (text,) in enumerate(TEXTS[:2])]
    assert len(outcomes(victim, samples, find_attack("deepwordbug"), budget=Budget(queries=30))) == 2
