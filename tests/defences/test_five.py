"""FIVE perturbs all chosen tokens, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import torch
from tests.toys import BagOfWords, outcomes

from unfool.defences import Five, FiveSettings, Fuse, FuseSettings
from unfool.engine import Ask, Floats, Status
from unfool.errors import UserError
from unfool.stats import softmax
from unfool.text import Sample, Text, Variants
from unfool.victims import GradientRequest, Options, Transformer, WhiteBoxVictim, open_victim
from unfool.zoo.victim_names import short_name

FILM = Text.of("The film is dull, the cast awful; a good plot!")
TEXTS = [
    FILM,
    Text.of("a great film and a fine cast"),
    Text.of("bad"),
    Text.of(""),
    Text.of("?!"),
    Text.of("the plot " * 40),
]
PAIR = Text.pair(("premise", "A good plot, he said."), ("hypothesis", "the film is fine"), "hypothesis")
NETS = ["transformer", "lstm", "cnn", "characters"]


@contextmanager
def watched(net: WhiteBoxVictim) -> Iterator[list[torch.Tensor]]:
    """Keep the vectors that the net is given."""
    seen: list[torch.Tensor] = []
    plain = net.logits_of

    def watch(vectors: torch.Tensor, batch: Any) -> torch.Tensor:
        seen.append(vectors.detach().clone())
        return plain(vectors, batch)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(net, "logits_of", watch)
        yield seen


def read(five: Five, text: Text) -> torch.Tensor:
    """Return the vectors of a text and its copies; importance is measured first, then all copies go together."""
    with watched(five.net) as seen:
        five.confirm([text.strings])
    importance, copies = seen
    assert len(importance) == 1
    return copies


def moved(copies: torch.Tensor) -> list[list[int]]:
    """Say for each copy which tokens differ from the text's."""
    return [((copy - copies[0]).abs().amax(1) > 0).nonzero()[:, 0].tolist() for copy in copies[1:]]


def answers(five: Five, texts: list[Text]) -> Floats:
    rows = five.rows([Variants.of_texts(texts)])
    return np.round(five.launch(rows, np.arange(len(texts))).result().values, 5)


@pytest.mark.parametrize("tokens", [1, 2, 5])
@pytest.mark.parametrize("name", NETS)
def test_all_chosen_tokens_are_perturbed_in_every_copy(
    nets: dict[str, WhiteBoxVictim], name: str, tokens: int
) -> None:
    """The released code left all but the last of them as they were."""
    five = Five(nets[name], FiveSettings(tokens=tokens, samples=4))
    (chosen,) = five.chosen_tokens([FILM])
    assert len(set(chosen)) == tokens
    assert moved(read(five, FILM)) == [sorted(chosen)] * 4
    words = nets[name].words_of_tokens(FILM)[1]
    assert all(words[token] >= 0 for token in chosen)


def test_the_chosen_tokens_have_the_largest_gradients(bert: Transformer) -> None:
    label = int(bert.confirm([FILM.strings]).values.argmax())
    (found,) = bert.gradients.launch([GradientRequest(FILM, label, of="logit")]).result()
    sizes = np.where(found.words >= 0, np.abs(found.gradient).max(axis=1), -1)
    (chosen,) = Five(bert, FiveSettings(tokens=3)).chosen_tokens([FILM])
    assert chosen == np.argsort(-sizes)[:3].tolist()
    by_logits = Five(bert, FiveSettings(tokens=20, importance="logits")).chosen_tokens(TEXTS)
    assert by_logits != Five(bert, FiveSettings(tokens=20)).chosen_tokens(TEXTS)


@pytest.mark.parametrize("samples", [1, 7])
def test_samples_says_how_many_copies_there_are(bert: Transformer, samples: int) -> None:
    assert len(read(Five(bert, FiveSettings(samples=samples)), FILM)) == samples + 1


def test_std_is_that_of_the_noise(bert: Transformer) -> None:
    for std in (0.25, 3.0):
        five = Five(bert, FiveSettings(std=std, samples=400, tokens=2))
        copies = read(five, FILM)
        (chosen,) = five.chosen_tokens([FILM])
        noise = (copies[1:] - copies[0])[:, chosen]
        assert abs(float(noise.std()) / std - 1) < 0.02
        assert abs(float(noise.mean())) < 0.02 * std
        first, second = noise[:, 0].flatten(), noise[:, 1].flatten()
        assert abs(float((first * second).mean())) < 0.05 * std**2


@pytest.mark.parametrize("name", NETS)
def test_without_noise_it_answers_like_the_net(nets: dict[str, WhiteBoxVictim], name: str) -> None:
    five = Five(nets[name], FiveSettings(std=0.0, samples=2))
    expected = nets[name].confirm([text.strings for text in TEXTS]).values
    np.testing.assert_allclose(answers(five, TEXTS), expected, atol=2e-5)


@pytest.mark.parametrize("name", NETS)
def test_stop_words_are_left_alone_where_that_is_asked(nets: dict[str, WhiteBoxVictim], name: str) -> None:
    net, all_of_them = nets[name], 100
    texts = [FILM, Text.of("the a and"), Text.of("")]
    words = [cut.words[0] for text in texts for cut in net.in_batches([text], 1)]
    plain = Five(net, FiveSettings(tokens=all_of_them)).chosen_tokens(texts)
    five = Five(net, FiveSettings(tokens=all_of_them, stop_words=True))
    chosen = five.chosen_tokens(texts)
    told = [{text.words[w] for w in of[some]} for text, of, some in zip(texts, words, chosen, strict=True)]
    assert told == [{word for word in FILM.words if word.lower() not in {"the", "is", "a"}}, set(), set()]
    assert [token for token in plain[0] if token in chosen[0]] == chosen[0]  # in the same order
    assert len(plain[1]) >= 3
    assert np.isfinite(five.confirm([texts[1].strings]).values).all()  # read as it is


@pytest.mark.parametrize("name", NETS)
def test_mask_hides_the_chosen_tokens(nets: dict[str, WhiteBoxVictim], name: str) -> None:
    net = nets[name]
    five = Five(net, FiveSettings(arm="mask", tokens=2, samples=6, vote="probabilities"))
    (chosen,) = five.chosen_tokens([FILM])
    text, hidden = read(five, FILM)
    blank = torch.zeros(text.shape[1]) if net.blank is None else net.table[net.blank]
    assert (hidden[chosen] == blank).all()
    assert moved(torch.stack([text, hidden])) == [sorted(chosen)]
    assert (net.blank is not None) == (name == "transformer")
    with torch.inference_mode():
        (cut,) = net.in_batches([FILM])
        both = [net.logits_of(vectors[None], cut.batch).softmax(-1)[0].numpy() for vectors in (text, hidden)]
    expected = (both[0] + 6 * both[1]) / 7
    np.testing.assert_allclose(five.confirm([FILM.strings]).values[0], expected, atol=1e-5)


@pytest.mark.parametrize("vote", ["logits", "probabilities", "majority"])
def test_votes_are_counted_as_they_say(bert: Transformer, vote: Any) -> None:
    five = Five(bert, FiveSettings(vote=vote, samples=6))
    copies = read(five, FILM)
    (cut,) = bert.in_batches([FILM])
    with torch.inference_mode():
        logits = torch.cat([bert.logits_of(copy[None], cut.batch) for copy in copies]).double().numpy()
    if vote == "logits":
        expected = softmax(logits.mean(axis=0, keepdims=True))[0]
    elif vote == "probabilities":
        expected = softmax(logits).mean(axis=0)
    else:
        expected = np.bincount(logits.argmax(axis=1), minlength=2) / 7
    np.testing.assert_allclose(five.confirm([FILM.strings]).values[0], expected, atol=1e-5)


def test_fields_says_which_texts_of_a_pair_are_perturbed(nets: dict[str, WhiteBoxVictim]) -> None:
    for name in ("transformer", "pairs"):
        words = nets[name].words_of_tokens(PAIR)[1]
        start = PAIR.fields[1].start
        touched = {}
        for fields in ("last", "all"):
            five = Five(nets[name], FiveSettings(fields=fields, tokens=30))
            (chosen,) = five.chosen_tokens([PAIR])
            touched[fields] = {words[token] >= start for token in chosen}
        assert touched == {"last": {True}, "all": {True, False}}


@pytest.mark.parametrize("name", NETS)
def test_answers_depend_on_text_and_seed_alone(nets: dict[str, WhiteBoxVictim], name: str) -> None:
    five = Five(nets[name], FiveSettings(tokens=2, samples=3, noise="text"))
    together = answers(five, TEXTS)
    alone = np.concatenate([answers(five, [text]) for text in TEXTS])
    np.testing.assert_allclose(alone, together, atol=2e-5)
    np.testing.assert_allclose(answers(five, TEXTS[::-1])[::-1], together, atol=2e-5)
    np.testing.assert_allclose(five.confirm([text.strings for text in TEXTS]).values, together, atol=2e-5)
    other = answers(Five(nets[name], FiveSettings(tokens=2, samples=3, seed=1)), TEXTS)
    assert (other != together).any(axis=1).tolist() == [True, True, True, False, False, True]


@pytest.mark.parametrize("name", NETS)
def test_a_check_meets_noise_that_no_search_has_met(nets: dict[str, WhiteBoxVictim], name: str) -> None:
    """A model that draws anew for each query judges a text by another answer than its search saw."""
    five = Five(nets[name], FiveSettings(tokens=2, samples=3))
    strings = [text.strings for text in TEXTS]
    checked = np.round(five.confirm(strings).values, 5)
    searched = [answers(each, TEXTS) for each in (five, *map(five.draw, range(1, 4)))]
    some_tokens = [True, True, True, False, False, True]
    for seen in searched:
        assert (checked != seen).any(axis=1).tolist() == some_tokens
    again = Five(nets[name], FiveSettings(tokens=2, samples=3))
    np.testing.assert_allclose(again.confirm(strings[::-1]).values[::-1], checked, atol=2e-5)


def test_an_attack_on_fresh_noise_is_judged_by_another_answer_than_it_saw(bert: Transformer) -> None:
    """Where the same text meets the same noise, an attack that asks long enough always wins."""
    texts = [Text.of(f"the film number {number} is dull and the cast good") for number in range(12)]
    found = {}
    for noise in ("fresh", "text"):
        five = Five(bert, FiveSettings(samples=2, std=3.0, noise=noise))
        labels = five.confirm([text.strings for text in texts]).values.argmax(axis=1).tolist()
        samples = [Sample(n, text, label) for n, (text, label) in enumerate(zip(texts, labels, strict=True))]
        found[noise] = outcomes(five, samples, ask_until_fooled)
        assert found[noise] == outcomes(five, samples[::-1], ask_until_fooled)
    lost = [outcome for outcome in found["fresh"] if outcome.notes["seen"] and outcome.status is Status.FAILED]
    assert lost
    assert not [each for each in found["text"] if each.notes["seen"] and each.status is Status.FAILED]


async def ask_until_fooled(sample: Sample, ask: Ask) -> Text:
    """Change words at random until an answer is wrong."""
    ask.notes["seen"] = 0
    text = sample.text
    for _ in range(60):
        tried = text.replace(int(ask.random.integers(len(text))), str(ask.random.choice(["fine", "bad", "plot"])))
        if await ask.fooled(tried):
            ask.notes["seen"] = 1
            return tried
    return text


def test_draws_differ_and_repeat(bert: Transformer) -> None:
    five = Five(bert)
    own, zero, one, again, two = (answers(each, TEXTS[:2]) for each in (five, *map(five.draw, (0, 1, 1, 2))))
    assert (own == zero).all()
    assert (one == again).all()
    assert (own != one).any()
    assert (one != two).any()


def test_all_copies_go_in_one_batch(bert: Transformer) -> None:
    five = Five(bert, FiveSettings(samples=5))
    with watched(bert) as seen:
        answers(five, TEXTS[:3])
    assert [len(vectors) for vectors in seen] == [3, 18]


@pytest.mark.parametrize("name", NETS)
def test_gradients_are_those_of_the_mean_output(nets: dict[str, WhiteBoxVictim], name: str) -> None:
    net = nets[name]
    five = Five(net, FiveSettings(samples=3, tokens=2, std=0.5, noise="text"))
    requests = [GradientRequest(FILM, 1, of="logit"), GradientRequest(TEXTS[1], 0)]
    first, second = five.gradients.launch(requests).result()
    copies = read(five, FILM)
    leaves = copies[0].detach().clone().requires_grad_()
    (cut,) = net.in_batches([FILM])
    with net.differentiable():
        means = torch.stack(
            [net.logits_of((leaves + (c - copies[0]))[None], cut.batch)[0, 1] for c in copies]
        ).mean()
        (expected,) = torch.autograd.grad(means, leaves)
    np.testing.assert_allclose(first.gradient, expected[: len(first.gradient)].numpy(), atol=1e-4)
    assert first.words.tolist() == cut.words[0].tolist()
    assert second.loss == pytest.approx(-np.log(five.confirm([TEXTS[1].strings]).values[0, 0]), abs=1e-4)


def test_one_hot_gradients_have_a_number_for_every_token(nets: dict[str, WhiteBoxVictim]) -> None:
    five = Five(nets["characters"])
    (found,) = five.gradients.launch([GradientRequest(FILM, 1, one_hot=True)]).result()
    assert found.gradient.shape == (len(found.ids), len(nets["characters"].table))


def test_what_is_no_net_is_refused(bert: Transformer) -> None:
    for victim in (BagOfWords(), Five(bert), Fuse(bert, FuseSettings())):
        with pytest.raises(UserError, match="put it around a neural victim"):
            Five(victim)


def test_no_seed_is_below_nothing(bert: Transformer) -> None:
    for defend in (lambda: Five(bert, FiveSettings(seed=-1)), lambda: Fuse(bert, FuseSettings(seed=-1))):
        with pytest.raises(UserError, match="seed=-1 is too small"):
            defend()


@pytest.mark.parametrize("wrong", [{"tokens": 0}, {"samples": 0}, {"std": -1.0}, {"std": float("nan")}])
def test_nonsense_is_refused(wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(UserError, match=f"{name}="):
        FiveSettings(**wrong)


@pytest.mark.parametrize(
    "head",
    [
        "five",
        "five[std=0.25,samples=3]",
        "five[vote=majority,fields=all,seed=4,tokens=2,arm=mask,importance=logits,stop_words=true,noise=text]",
        "fuse",
        "fuse[words=1,alternatives=2,candidates=3,pos=universal,stop_words=false,keep_word=true,similarity=rank]",
        "fuse[multiplier=2,encoder=universal,importance=logits,vote=probabilities]:five[std=0.5]",
    ],
)
def test_a_name_opens_it_and_the_repr_is_one(bert: Transformer, head: str) -> None:
    options = Options(device="cpu")
    victim = open_victim(f"{head}:{bert!r}", options)
    again = open_victim(repr(victim), options)
    assert isinstance(victim, Five | Fuse)
    assert isinstance(again, Five | Fuse)
    assert again.settings == victim.settings
    assert repr(again) == repr(victim)
    assert victim.fingerprint == bert.fingerprint
    assert sorted(repr(victim).replace("]:five", "").partition("]")[0]) == sorted(
        f"{head}:{bert!r}".replace("]:five", "").partition("]")[0]
    )


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("five[sdt=1]:hf:x", "did you mean 'std'"),
        ("five[std=high]:hf:x", "takes a number"),
        ("five[vote=mean]:hf:x", "vote=mean"),
        ("five[std]:hf:x", "key=value"),
        ("five[std=1:hf:x", "five[key=value,key=value]:VICTIM"),
        ("five:", "names no victim"),
        ("fuse[words=0]:hf:x", "words=0"),
        ("hf[std=1]:x", "takes no settings"),
        ("fyve[std=1]:hf:x", "did you mean 'five'"),
        ("five:py:unfool.victims.vader:probabilities", "put it around a neural victim"),
    ],
)
def test_mistakes_in_a_name_are_told(name: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        open_victim(name)
    assert said in str(caught.value)


def test_a_study_calls_it_by_a_name_that_tells_it_from_the_net() -> None:
    assert short_name("five[std=0.5]:zoo:WordCNN@rotten_tomatoes") == "five[std=0.5]:WordCNN"
    assert short_name("fuse:five:hf:/a/very/long/path/to/some/model") == "fuse:five:…ery/long/path/to/some/model"
