"""Gradients at a prompt's tokens are those of a plain loop over forced labels, and tokens know their words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from tests.victims.prompted.test_causal import LABELS, TEMPLATE, opened, save
from transformers import AutoModelForCausalLM, AutoTokenizer

from unfool.text import Text
from unfool.victims import GradientRequest

TEXT = Text.of("a fine film, isn't it? a fine film")


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
@pytest.mark.parametrize("template", [None, TEMPLATE])
def test_slopes_are_those_of_a_plain_loop(kind: str, template: str | None, tmp_path: Path) -> None:
    folder = save(tmp_path / "model", kind, template)
    victim = opened(folder)
    asked = [GradientRequest(TEXT, 1), GradientRequest(TEXT, 1, of="logit", one_hot=True)]
    loss, logit = victim.gradients.launch(asked).result()
    prompt = victim.tokens(TEXT.strings)
    assert loss.ids.tolist() == logit.ids.tolist() == prompt
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    table = model.get_input_embeddings().weight.detach()
    vectors = table[prompt].clone().requires_grad_()
    logs = []
    for label in LABELS:
        ways = {f"{space}{way}" for way in (label, label.capitalize(), label.upper()) for space in ("", " ")}
        forms = []
        for tokens in {tuple(tokenizer(way, add_special_tokens=False)["input_ids"]) for way in ways}:
            behind = model(inputs_embeds=torch.cat([vectors, table[list(tokens)]])[None]).logits[0]
            steps = behind.log_softmax(-1)[len(prompt) - 1 : -1]
            forms.append(steps[range(len(tokens)), list(tokens)].sum())
        logs.append(torch.stack(forms).logsumexp(0))
    wanted = torch.stack(logs).logsumexp(0) - logs[1]
    assert loss.loss == pytest.approx(float(wanted), abs=1e-4)
    for found, of, wide in ((loss, wanted, False), (logit, logs[1], True)):
        (slope,) = torch.autograd.grad(of, vectors, retain_graph=True)
        assert np.allclose(found.gradient, slope @ table.T if wide else slope, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("template", [None, TEMPLATE])
def test_every_token_knows_its_word(template: str | None, tmp_path: Path) -> None:
    tokenizing = opened(save(tmp_path / "model", "gpt2", template)).tokenizing
    ids, words = tokenizing.read(TEXT)
    assert [tokenizing.write(ids[words == position].tolist()).strip() for position in range(len(TEXT))] == list(
        TEXT.words
    )
    assert tokenizing.plain[ids[words >= 0]].all()
    assert not tokenizing.plain[[0, 1, 2]].any()
