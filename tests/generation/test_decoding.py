"""Our greedy decoding is that of transformers, token for token, whatever else is in the batch."""

from __future__ import annotations

import random
from typing import Any

import pytest

from unfool.generation import forced_score, greedy
from unfool.generation._steps import Steps

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
WORDS, MOST = 60, 14


def marian() -> Any:
    config = transformers.MarianConfig(
        vocab_size=WORDS, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, max_position_embeddings=64,
        pad_token_id=0, eos_token_id=1, decoder_start_token_id=0, forced_eos_token_id=None,
    )  # fmt: skip
    model = transformers.MarianMTModel(config)
    model.generation_config.bad_words_ids = [[0]]
    return model


def t5() -> Any:
    config = transformers.T5Config(
        vocab_size=WORDS, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, decoder_start_token_id=0,
        pad_token_id=0, eos_token_id=1,
    )  # fmt: skip
    return transformers.T5ForConditionalGeneration(config)


@pytest.fixture(scope="module", params=[marian, t5])
def model(request: pytest.FixtureRequest) -> Any:
    torch.manual_seed(3)
    made = request.param().eval()
    for weight in made.parameters():
        if weight.dim() > 1:
            weight.data.mul_(3)  # as it comes, it says one word for ever
    return made


@pytest.fixture(scope="module")
def sources() -> list[list[int]]:
    draw = random.Random(1)
    return [[*(draw.randrange(2, WORDS) for _ in range(draw.randrange(1, 12))), 1] for _ in range(12)]


def by_transformers(model: Any, source: list[int], **settings: Any) -> list[int]:
    made = model.generate(
        input_ids=torch.tensor([source]), max_new_tokens=MOST, do_sample=False, num_beams=1, **settings
    )
    tokens: list[int] = made[0].tolist()[1:]
    return tokens[: tokens.index(1)] if 1 in tokens else tokens


def test_it_is_what_transformers_generates_with_its_cache_and_without(model: Any, sources: list[list[int]]) -> None:
    found = [each.tokens for each in greedy(Steps(model, ()), sources, MOST)]
    assert len({tuple(tokens) for tokens in found}) > 1
    for source, tokens in zip(sources, found, strict=True):
        assert tokens == by_transformers(model, source)
        assert tokens == by_transformers(model, source, use_cache=False)


def test_an_output_does_not_depend_on_its_neighbours(model: Any, sources: list[list[int]]) -> None:
    steps = Steps(model, ())
    alone = [greedy(steps, [source], MOST)[0].tokens for source in sources]
    for width in (7, 512):
        many = (sources * (width // len(sources) + 1))[:width]
        assert [each.tokens for each in greedy(steps, many, MOST)] == (alone * (width // len(sources) + 1))[:width]


def test_a_given_output_scores_what_it_scored_when_it_was_made(model: Any, sources: list[list[int]]) -> None:
    steps = Steps(model, ())
    ended = [
        (s, each) for s, each in zip(sources, greedy(steps, sources, 40), strict=True) if len(each.tokens) < 40
    ]
    for source, each in ended[:4]:
        assert forced_score(steps, [source], [each.tokens])[0] == pytest.approx(each.log_probability, abs=1e-3)


def test_the_best_chance_of_a_token_is_that_of_any_place(model: Any, sources: list[list[int]]) -> None:
    asked = [5, 6]
    (found,) = greedy(Steps(model, ()), sources[:1], MOST, asked)
    given = torch.tensor([[0, *found.tokens]])[:, :MOST]
    likely = model(input_ids=torch.tensor(sources[:1]), decoder_input_ids=given).logits.log_softmax(-1)[0]
    if model.generation_config.bad_words_ids:
        scores = model(input_ids=torch.tensor(sources[:1]), decoder_input_ids=given).logits[0]
        scores[:, 0] = -torch.inf
        likely = scores.log_softmax(-1)
    assert found.weights == pytest.approx(likely[:, asked].max(0).values.tolist(), abs=1e-3)


def test_no_sources_no_outputs(model: Any) -> None:
    assert greedy(Steps(model, ()), [], MOST) == []
