from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
import torch

from unfool.errors import UserError
from unfool.lexicon import Vectors
from unfool.text import Sample
from unfool.training import EncodedSamples, Fitted, accuracy
from unfool.zoo import WordVocabulary, encode_splits, first_vectors, train
from unfool.zoo.nets.net import Net

CPU = torch.device("cpu")
Draw = Callable[[int, int], list[Sample]]


def trained(net: Net, vocabulary: WordVocabulary, reviews: Draw, *, epochs: int = 3, seed: int = 0) -> Fitted:
    fitted, _ = train(
        net,
        encode_splits(vocabulary, reviews(96, 1), reviews(40, 2), [], CPU),
        CPU,
        seed=seed,
        epochs=epochs,
        patience=epochs,
        lr=1e-2,
        batch=16,
        progress=False,
    )
    return fitted


def test_it_learns(kind: str, make_tiny: Callable[..., Net], vocabulary: WordVocabulary, reviews: Draw) -> None:
    net = make_tiny(kind)
    fitted = trained(net, vocabulary, reviews, epochs=20)
    assert fitted.validation.share > 0.95
    assert fitted.validation.n == 40
    assert not net.training


def test_the_same_seed_gives_the_same_weights(
    kind: str, make_tiny: Callable[..., Net], vocabulary: WordVocabulary, reviews: Draw
) -> None:
    nets = [make_tiny(kind, seed=5) for _ in range(3)]
    for net, seed in zip(nets, (7, 7, 8), strict=True):
        torch.rand(int(seed))  # the caller's random numbers must not matter
        trained(net, vocabulary, reviews, seed=seed)
    first, again, other = (net.state_dict() for net in nets)
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not all(torch.equal(first[name], other[name]) for name in first)


def test_training_leaves_the_callers_random_numbers_alone(
    make_tiny: Callable[..., Net], vocabulary: WordVocabulary, reviews: Draw
) -> None:
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    trained(make_tiny("KimCNN"), vocabulary, reviews, epochs=1)
    assert torch.equal(torch.rand(2), expected)


def test_the_best_epoch_is_kept_and_patience_ends(
    make_tiny: Callable[..., Net], vocabulary: WordVocabulary, reviews: Draw
) -> None:
    net, validation = make_tiny("KimCNN"), reviews(40, 2)
    fitted, judged = train(
        net,
        encode_splits(vocabulary, reviews(96, 1), validation, validation, CPU),
        CPU,
        seed=0,
        epochs=40,
        patience=2,
        lr=1e-2,
        batch=16,
        progress=False,
    )
    encoded = EncodedSamples(validation, vocabulary, CPU)
    measured = accuracy(net, lambda tokens: net(tokens.ids, tokens.mask), encoded)
    assert measured == fitted.validation == judged
    assert fitted.epochs == fitted.epoch + 2 < 40


def test_shuffled_batches_hold_each_sample_once_beside_others_of_its_length(
    vocabulary: WordVocabulary, reviews: Draw
) -> None:
    samples = reviews(50, 0)
    encoded = EncodedSamples(samples, vocabulary, CPU)
    one, two = (list(encoded.shuffled(8, np.random.default_rng(seed))) for seed in (0, 1))
    assert sum(len(batch.labels) for batch in one) == 50
    rows = sorted(tuple(ids[mask].tolist()) for batch in one for ids, mask in zip(*batch.tokens[:2], strict=True))
    assert rows == sorted(tuple(whole.tokens) for whole in vocabulary.whole([s.text.strings for s in samples]))
    lengths = sorted(sorted(batch.tokens.mask.sum(1).tolist()) for batch in one)
    assert all(shorter[-1] <= longer[0] for shorter, longer in pairwise(lengths))
    assert any(not torch.equal(a.tokens.ids, b.tokens.ids) for a, b in zip(one, two, strict=True))


def test_nothing_to_train_on_is_an_error(make_tiny: Callable[..., Net], vocabulary: WordVocabulary) -> None:
    nothing = encode_splits(vocabulary, [], [], [], CPU)
    with pytest.raises(UserError, match="cannot train on 0 samples"):
        train(make_tiny("KimCNN"), nothing, CPU, seed=0, epochs=1, lr=1e-3, patience=1, progress=False)


def test_first_vectors_are_pretrained_where_known_and_small_elsewhere() -> None:
    known = Vectors(["film", "good"], np.array([[3, 4], [5, 6]], dtype=np.float32))
    rows = first_vectors(["good", "odd", "film"], known, seed=1)
    assert rows.shape == (5, 2)
    assert rows[[0, 2, 4]].tolist() == [[0, 0], [5, 6], [3, 4]]
    assert 0 < rows[3].abs().max() < 1
    assert torch.equal(rows, first_vectors(["good", "odd", "film"], known, seed=1))
    assert not torch.equal(rows, first_vectors(["good", "odd", "film"], known, seed=2))


def test_long_texts_come_in_smaller_batches(
    vocabulary: WordVocabulary, reviews: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(EncodedSamples, "most_tokens", 12)
    encoded = EncodedSamples(reviews(50, 1), vocabulary, CPU)
    batches = list(encoded.shuffled(8, np.random.default_rng(0)))
    assert len(batches) == encoded.steps(8)
    assert sorted(number for batch in batches for number in batch.numbers) == list(range(50))
    assert all(batch.tokens.ids.numel() <= 12 or len(batch.labels) == 1 for batch in batches)
    assert max(len(batch.labels) for batch in batches) > 1


def test_gradient_descent_without_adam_learns_too(
    make_tiny: Callable[..., Net], vocabulary: WordVocabulary, reviews: Draw
) -> None:
    reached = {}
    for optimizer in ("sgd", "adam"):
        net = make_tiny("KimCNN", seed=1)
        texts = encode_splits(vocabulary, reviews(96, 1), reviews(40, 2), [], CPU)
        fitted, _ = train(
            net, texts, CPU, seed=0, epochs=12, patience=12, lr=0.5, batch=16, optimizer=optimizer, progress=False
        )
        reached[optimizer] = fitted.validation.share
    assert reached["sgd"] >= 0.9
    assert reached["adam"] < reached["sgd"]  # at this rate
