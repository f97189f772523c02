"""The language model: what a plain reading of its outputs gives, whatever is asked together."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from unfool import devices, resources
from unfool.devices import Half
from unfool.errors import UserError
from unfool.lexicon.language_model import LanguageModel, language_model
from unfool.resources.smollm2 import convert

SENTENCES = ["The film is good and the cast is fine.", "The cast film and good the is fine is.", "", "Good"]


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    pytest.importorskip("gguf")
    try:
        resources.get("smollm2", progress=False)
    except UserError as error:
        pytest.skip(str(error))
    return language_model()


def test_surprise_is_that_of_a_plain_forward_pass(model: LanguageModel) -> None:
    import torch

    ids = [model._start, *model._tokenizer(SENTENCES[0], add_special_tokens=False)["input_ids"]]
    with torch.inference_mode():
        logs = model._model(torch.tensor([ids])).logits[0].log_softmax(dim=-1)
    plain = -sum(float(logs[place, token]) for place, token in enumerate(ids[1:])) / (len(ids) - 1)
    assert model.work_out([SENTENCES[0]])[0] == pytest.approx(plain, abs=1e-3)


def test_order_makes_sense_and_company_changes_nothing(model: LanguageModel) -> None:
    together = model.work_out([*SENTENCES, "word " * 600])
    assert together[0] + 1 < together[1]
    assert together[2] == 0
    for string, answer in zip(SENTENCES, together, strict=False):
        assert model.work_out([string])[0] == pytest.approx(answer, abs=2e-4)
    assert model.work_out([]) == []


def test_the_end_of_a_long_text_counts(model: LanguageModel) -> None:
    plain = "The film is good and the cast is fine. " * 40
    odd, even = model.work_out([plain + "Zygote lamp asphalt quarry bishop turnip axle fjord velvet.", plain])
    assert odd > even + 0.05


def test_the_likeliest_word_leaves_the_least_surprise(model: LanguageModel) -> None:
    import torch

    context, words = "The capital of France is", ["Paris", "London", "a", "purple", "unbelievably", "zygote"]
    ids = [model._start, *model._tokenizer(context, add_special_tokens=False)["input_ids"]]
    logs = []
    for word in words:
        tokens = model._tokenizer(" " + word, add_special_tokens=False)["input_ids"]
        with torch.inference_mode():
            outputs = model._model(torch.tensor([ids + tokens])).logits[0].log_softmax(dim=-1)
        logs.append(sum(float(outputs[len(ids) - 1 + n, token]) for n, token in enumerate(tokens)))
    before, *after = model.totals.work_out([context, *(f"{context} {word}" for word in words)])
    assert [before - total for total in after] == pytest.approx(logs, abs=5e-3)
    assert max(zip(logs, words, strict=True))[1] == "Paris"


def test_the_converted_copy_holds_what_the_file_holds(model: LanguageModel) -> None:
    import gguf

    file = gguf.GGUFReader(resources.get("smollm2"))
    held = {tensor.name: gguf.dequantize(tensor.data, tensor.tensor_type) for tensor in file.tensors}
    weights = model._model.state_dict()
    names = {
        "token_embd": "model.embed_tokens",
        "output_norm": "model.norm",
        "blk.0.attn_v": "model.layers.0.self_attn.v_proj",
        "blk.29.ffn_down": "model.layers.29.mlp.down_proj",
    }
    for theirs, ours in names.items():
        np.testing.assert_array_equal(weights[f"{ours}.weight"].numpy(force=True), held[f"{theirs}.weight"])
    assert weights["lm_head.weight"].equal(weights["model.embed_tokens.weight"])
    tokens = file.fields["tokenizer.ggml.tokens"].contents()
    assert model._tokenizer.convert_ids_to_tokens(range(len(tokens))) == tokens


def test_quick_answers_are_near(model: LanguageModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "measured_half", lambda device: Half(4.0, 0.003))
    quick = LanguageModel.quick.func(model)  # type: ignore[attr-defined]
    exact, near = (np.array(each.work_out(SENTENCES)) for each in (model, quick))
    np.testing.assert_allclose(near, exact, atol=0.2)
    assert (near != exact).any()
    assert quick.totals is not model.totals


def test_it_is_converted_once(model: LanguageModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "gguf", None)
    with pytest.raises(UserError, match=r"pip install 'unfool\[perplexity\]'"):
        convert(resources.get("smollm2"), tmp_path)
    again = language_model.__wrapped__()
    assert again.surprise(SENTENCES)[0].tolist() == model.surprise(SENTENCES)[0].tolist()
