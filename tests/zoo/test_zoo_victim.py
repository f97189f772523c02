from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unfool.engine import Ask, Failure, Service, attack_samples
from unfool.errors import UserError
from unfool.text import Sample, Text, Variants
from unfool.victims import Differentiates, Embeds, GradientRequest, require
from unfool.victims.tokens import TokenBatch
from unfool.zoo import NetVictim, WordVocabulary
from unfool.zoo.fronts import make_front
from unfool.zoo.nets import make_net
from unfool.zoo.nets.net import Net

SENTENCE = "The film isn't very good , it was dull"
words = st.sampled_from(["good", "Bad", "[UNK]", "isn't", "so-so", "", "a b", "χ", "\u0301", "."]) | st.text(
    max_size=4
)


def answer(service: Service, requests: Sequence[object]) -> list[Any]:
    return list(service.launch(requests).result())


def searched(victim: NetVictim, asked: Variants) -> np.ndarray:
    rows = victim.rows([asked])
    return np.asarray(victim.launch(rows, np.arange(len(asked))).result().values)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(text=st.text(max_size=30).map(lambda tail: f"the film {tail} isn't good"), data=st.data())
def test_the_search_sees_what_the_rendered_text_gives(victim: NetVictim, text: str, data: st.DataObject) -> None:
    base = Text.of(text)
    spots = data.draw(st.lists(st.sampled_from(range(len(base))), max_size=5))
    swaps = base.variants(spots, [data.draw(words) for _ in spots])
    for asked in (swaps, Variants.of_texts([base])):
        confirmed = victim.confirm([each.strings for each in asked]).values
        np.testing.assert_allclose(searched(victim, asked), confirmed, atol=1e-5)


def test_gradients_are_those_of_the_loss(net: Net, vocabulary: WordVocabulary) -> None:
    victim = NetVictim(net.double(), vocabulary, ("neg", "pos"), name="zoo:tiny", device="cpu")
    text, label = Text.of("the film isn't good"), 1
    (found,) = answer(victim.gradients, [GradientRequest(text, label)])
    assert found.words.tolist() == [0, 1, 2, 2, 3]
    ids = torch.from_numpy(found.ids)[None]
    vectors = net.front.embed(ids).detach()

    def loss(moved: torch.Tensor) -> float:
        logits = net.forward_embedded(moved, ids, torch.ones(1, len(found.ids), dtype=torch.bool))
        return torch.nn.functional.cross_entropy(logits, torch.tensor([label])).item()

    assert found.loss == pytest.approx(loss(vectors))
    step = 1e-6
    for token in range(len(found.ids)):
        for dimension in range(vectors.shape[2]):
            nudge = torch.zeros_like(vectors)
            nudge[0, token, dimension] = step
            slope = (loss(vectors + nudge) - loss(vectors - nudge)) / (2 * step)
            assert found.gradient[token, dimension] == pytest.approx(slope, abs=1e-7)


def test_gradients_of_a_batch_are_those_of_each_text(victim: NetVictim) -> None:
    requests = [GradientRequest(Text.of(text), 0) for text in (SENTENCE, "bad", "a good film")]
    for together, alone in zip(
        answer(victim.gradients, requests),
        [answer(victim.gradients, [each])[0] for each in requests],
        strict=True,
    ):
        np.testing.assert_allclose(together.gradient, alone.gradient, atol=1e-6)


@pytest.mark.parametrize("pool", ["max", "mean", "last"])
@pytest.mark.parametrize("layers", [1, 2])
def test_gradients_since_a_word_are_those_of_the_whole_and_leave_out_what_is_long_before(
    pool: str, layers: int
) -> None:
    vocabulary = WordVocabulary(["good", "bad", "film"], max_length=60)
    torch.manual_seed(0)
    front = make_front("Vectors", rows=len(vocabulary), dimensions=8)
    net = make_net("LSTM", front, 2, units=9, layers=layers, pool=pool).eval()
    victim = NetVictim(net, vocabulary, ("neg", "pos"), name="zoo:tiny", device="cpu")
    drawn = np.random.default_rng(0).choice(["good", "bad,", "film"], 90)
    texts = [Text.of(" ".join(drawn[:n])) for n in (90, 40, 30)]
    wholes = answer(victim.gradients, [GradientRequest(text, 0, of="logit") for text in texts])
    assert max(wholes[0].words) < len(texts[0]) - 1  # its end is cut off
    since = [len(texts[0]) - 1, 38, 29]
    for asked, whole, text in zip(since, wholes, texts, strict=True):
        (alone,) = answer(victim.gradients, [GradientRequest(text, 0, of="logit", since=asked)])
        told = whole.words >= min(asked, max(whole.words))
        assert told.any()
        np.testing.assert_allclose(alone.gradient[told], whole.gradient[told], atol=1e-7)
        assert not alone.gradient[0].any()
    requests = [GradientRequest(t, 0, of="logit", since=s) for t, s in zip(texts, since, strict=True)]
    for together, whole, asked in zip(answer(victim.gradients, requests), wholes, since, strict=True):
        told = whole.words >= min(asked, max(whole.words))
        np.testing.assert_allclose(together.gradient[told], whole.gradient[told], atol=1e-7)


def test_an_answer_that_came_with_a_gradient_is_given_without_another_pass(
    victim: NetVictim, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [Text.of(text) for text in (SENTENCE, "bad", "a good film", "a dull plot")]
    victim.shortcut = None  # which makes no pass
    expected = searched(victim, Variants.of_texts(texts))
    passed: list[int] = []
    plain = victim.logits

    def watched(batch: TokenBatch, *, full: bool) -> torch.Tensor:
        passed.append(len(batch.ids))
        return plain(batch, full=full)

    monkeypatch.setattr(victim, "logits", watched)
    answer(victim.gradients, [GradientRequest(texts[1], 0), GradientRequest(texts[3], 0)])
    answer(victim.gradients, [GradientRequest(texts[0], 1)])
    for still_to_pass in (1, 4):  # what was told once is not kept
        passed.clear()
        np.testing.assert_allclose(searched(victim, Variants.of_texts(texts)), expected, atol=1e-6)
        assert sum(passed) == still_to_pass


def test_answers_told_before_the_weights_changed_are_forgotten(victim: NetVictim) -> None:
    text = Text.of(SENTENCE)
    before = searched(victim, Variants.of_texts([text]))
    answer(victim.gradients, [GradientRequest(text, 0)])
    bias = victim.module.get_parameter("read_out.bias")
    with torch.no_grad():
        bias.add_(torch.tensor([1.0, 0.0]))
    victim.refresh()
    assert searched(victim, Variants.of_texts([text]))[0, 0] > before[0, 0] + 0.01


def test_no_half_precision_search_is_told_what_full_precision_says(net: Net, vocabulary: WordVocabulary) -> None:
    half = NetVictim(net, vocabulary, ("neg", "pos"), name="zoo:tiny", device="cpu", dtype="bf16")
    text = Text.of(SENTENCE)
    before = searched(half, Variants.of_texts([text]))
    answer(half.gradients, [GradientRequest(text, 0)])
    np.testing.assert_array_equal(searched(half, Variants.of_texts([text])), before)


def test_hidden_states_start_with_the_word_vectors(victim: NetVictim, net: Net) -> None:
    found, short = answer(victim.hidden, [Text.of(SENTENCE), Text.of("bad")])
    assert found.words.tolist() == [0, 1, 2, 2, 3, 4, -1, 5, 6, 7]
    assert found.states.shape == (2, 10, 18)
    ids = torch.tensor(victim.encoder.whole([(SENTENCE,)])[0].tokens)
    np.testing.assert_allclose(found.states[0, :, :8], net.front.table.weight[ids].detach())
    assert (found.states[0, :, 8:] == 0).all()
    alone = answer(victim.hidden, [Text.of("bad")])[0]
    np.testing.assert_allclose(short.states, alone.states, atol=1e-6)


def test_search_in_half_precision_is_near_and_confirmed_in_full(
    victim: NetVictim, net: Net, vocabulary: WordVocabulary
) -> None:
    half = NetVictim(net, vocabulary, ("neg", "pos"), name="zoo:tiny", device="cpu", dtype="bf16")
    asked = Variants.of_texts([Text.of(SENTENCE), Text.of("bad")])
    full, near = searched(victim, asked), searched(half, asked)
    assert half.approximate
    off = np.abs(full - near).max()
    assert off < 0.02
    assert (off == 0) == (half.decimals == victim.decimals)  # where nothing is multiplied in half precision
    np.testing.assert_array_equal(half.confirm([("bad",)]).values, victim.confirm([("bad",)]).values)


def test_a_check_is_the_same_alone_and_in_any_company(
    victim: NetVictim, reviews: Callable[[int, int], list[Sample]]
) -> None:
    inputs = [sample.text.strings for sample in reviews(300, 0)]
    alone = np.concatenate([victim.confirm([each]).values for each in inputs])
    for seed, company in enumerate((2, 7, 300)):
        order = np.random.default_rng(seed).permutation(len(inputs))
        for start in range(0, len(order), company):
            chosen = order[start : start + company]
            together = victim.confirm([inputs[number] for number in chosen]).values
            np.testing.assert_array_equal(together, alone[chosen])


def test_what_is_recorded_is_the_check_alone_at_any_width(
    victim: NetVictim, reviews: Callable[[int, int], list[Sample]]
) -> None:
    async def nothing(sample: Sample, ask: Ask) -> Text:
        return sample.text

    samples = reviews(40, 1)
    alone = [victim.confirm([sample.text.strings]).values[0] for sample in samples]
    for width in (1, 8, 128):
        steps = attack_samples(victim, samples, nothing, width=width)
        outcomes = {each.id: each for step in steps for each in step if not isinstance(each, Failure)}
        assert len(outcomes) == len(samples)
        for sample, expected in zip(samples, alone, strict=True):
            verdict = outcomes[sample.id].after
            assert (verdict.label, verdict.confidence) == (expected.argmax(), round(float(expected.max()), 5))


def test_it_offers_gradients_and_hidden_states_and_no_attention(victim: NetVictim) -> None:
    assert isinstance(victim, Differentiates)
    assert isinstance(victim, Embeds)
    with pytest.raises(UserError, match="needs the net's attention, and zoo:tiny does not offer that"):
        require(victim, ("attention",), "some")


def test_pairs_are_refused(victim: NetVictim) -> None:
    pair = Text.pair(("premise", "a film"), ("hypothesis", "it was good"))
    with pytest.raises(UserError, match="not a pair"):
        victim.rows([Variants.of_texts([pair])])
    with pytest.raises(UserError, match="not a pair"):
        victim.confirm([pair.strings])


def test_after_gradients_the_net_and_small_numbers_are_as_before(victim: NetVictim, net: Net) -> None:
    answer(victim.gradients, [GradientRequest(Text.of(SENTENCE), 1)])
    assert not any(part.training for part in net.modules())
    assert (torch.full((1,), 1e-40) * 1).item() > 0


def test_recurrent_weights_in_half_precision_are_laid_out_for_cudnn(
    make_tiny: Callable[..., Net], vocabulary: WordVocabulary, monkeypatch: pytest.MonkeyPatch
) -> None:
    # torch leaves bfloat16 weights alone unless its list of cuDNN's types has that type; see what it is asked.
    types = torch.backends.cudnn.CUDNN_TENSOR_DTYPES
    before, asked = set(types), list[tuple[torch.dtype, bool]]()

    def lay_out(layer: torch.nn.LSTM) -> None:
        kind = layer.get_parameter("weight_ih_l0").dtype
        asked.append((kind, kind in types))

    net = make_tiny("BiLSTM")
    monkeypatch.setattr(torch.nn.LSTM, "flatten_parameters", lay_out)
    victim = NetVictim(net, vocabulary, ("neg", "pos"), name="zoo:tiny", device="cpu", dtype="bf16")
    assert asked.count((torch.bfloat16, True)) == 2  # one LSTM a direction
    assert types == before
    assert next(victim.module.parameters()).dtype == torch.float32
