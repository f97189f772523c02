"""JSMA takes the step that a search over the whole dictionary, by differences alone, would take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from tests.toys import outcomes

from unfool import zoo
from unfool.attacks import find_attack
from unfool.engine import Budget, Goal, Predictor, Service
from unfool.errors import UserError
from unfool.text import Sample, Text
from unfool.training import seeded
from unfool.victims import Projection, WhiteBoxVictim, WordEmbeddings, require
from unfool.zoo.fronts import make_front

TEXT = Text.of("The good cast and fine plot, a great film is bad")
NETS = ["transformer", "net", "lstm", "attention"]


def answered(service: Service, *requests: object) -> list[Any]:
    return list(service.launch(requests).result())


@pytest.fixture(params=NETS)
def net(request: pytest.FixtureRequest, victims: dict[str, Predictor]) -> WhiteBoxVictim:
    victim = victims[request.param]
    assert isinstance(victim, WhiteBoxVictim)
    return victim


def output(victim: WhiteBoxVictim, vectors: torch.Tensor, text: Text, label: int) -> float:
    """The raw output for a label when the tokens of a text have these vectors."""
    (cut,) = victim.in_batches([text])
    with torch.inference_mode():
        return float(victim.logits_of(vectors[None], cut.batch)[0, label])


def slope(victim: WhiteBoxVictim, text: Text, position: int, label: int) -> np.ndarray:
    """How the output grows with each number of a word's vectors, by nudging them; summed over its tokens."""
    (cut,) = victim.in_batches([text])
    vectors = victim.embed(cut.batch)[0].detach()
    found = np.zeros(vectors.shape[1])
    for token in np.flatnonzero(cut.words[0] == position):
        for dimension in range(vectors.shape[1]):
            nudge = torch.zeros_like(vectors)
            nudge[token, dimension] = 0.01
            ahead, behind = (output(victim, vectors + sign * nudge, text, label) for sign in (1, -1))
            found[dimension] += (ahead - behind) / 0.02
    return found


def words_and_vectors(victim: WhiteBoxVictim) -> tuple[list[str], np.ndarray]:
    """The dictionary, one word after the other: those the victim reads as one token it knows."""
    words: list[str] = []
    read = [victim.encoder.whole([(victim.unknown,)])[0].tokens]
    for word in victim.vocabulary:
        tokens = victim.encoder.whole([(word,)])[0].tokens
        if len(tokens) == len(victim.encoder.prefix) + 1 and tokens not in read:
            words.append(word)
            read.append(tokens)
    rows = [victim.table[tokens[-1]].detach().numpy() for tokens in read[1:]]
    return words, np.array(rows, dtype=np.float64)


def next_step(
    victim: WhiteBoxVictim,
    label: int,
    sign: int,
    *,
    text: Text = TEXT,
    before: int | None = None,
    cosine: bool = False,
) -> tuple[int, str]:
    """Where the next new word goes, before the one that was replaced last, and which it is."""
    words, vectors = words_and_vectors(victim)
    assert len(words) > 5
    if cosine:
        vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    for position in reversed(range(len(text) if before is None else before)):
        step = sign * slope(victim, text, position, label)
        best = words[int((vectors @ step).argmax())]
        # A word that a pool passes over has no slope, but for the noise of nudging.
        if best != text.words[position] and np.abs(step).max() > 1e-4:
            return position, best
    raise AssertionError("no step to take")


@pytest.mark.parametrize("projection", ["dot", "cosine"])
@pytest.mark.parametrize("label", [0, 1])
def test_the_new_word_is_that_of_a_search_over_the_dictionary(
    net: WhiteBoxVictim, projection: str, label: int
) -> None:
    sample = Sample(0, TEXT, label)
    if net.confirm([TEXT.strings]).values[0].argmax() != label:
        pytest.skip("nothing to attack: the victim is wrong already")
    (found,) = outcomes(net, [sample], find_attack(f"jsma:most=1,projection={projection}"))
    position, expected = next_step(net, label, -1, cosine=projection == "cosine")
    assert found.perturbed == TEXT.replace(position, expected).strings


def test_so_is_every_word_after_it(net: WhiteBoxVictim) -> None:
    label = int(net.confirm([TEXT.strings]).values[0].argmax())
    (found,) = outcomes(net, [Sample(0, TEXT, label)], find_attack("jsma:most=4"), goal=Goal(confidence=0.999999))
    text, before = TEXT, None
    for _ in range(found.words_changed):
        before, word = next_step(net, label, -1, text=text, before=before)
        text = text.replace(before, word)
    assert found.words_changed > 1
    assert found.perturbed == text.strings


def test_the_farthest_word_of_many_directions(net: WhiteBoxVictim) -> None:
    embeddings = net.embeddings
    words, vectors = words_and_vectors(net)
    assert list(embeddings.words) == words
    np.testing.assert_allclose(embeddings.matrix, vectors, rtol=1e-6)
    directions = np.random.default_rng(3).normal(size=(50, vectors.shape[1])).astype(np.float32)
    asked = [Projection(direction, number % 2 == 1) for number, direction in enumerate(directions)]
    for chosen, (direction, cosine) in zip(answered(embeddings, *asked), asked, strict=True):
        scores = [
            float(vector @ direction / (np.linalg.norm(vector) if cosine else 1)) / float(np.linalg.norm(direction))
            for vector in vectors
        ]
        assert scores[words.index(chosen)] == pytest.approx(max(scores), abs=1e-4)


def test_equal_words_go_to_the_first_and_parts_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = torch.tensor([[1.0, 0.0], [0.0, 2.0], [0.0, 2.0], [0.0, 0.0]])
    embeddings = WordEmbeddings(("a", "b", "c", "d"), vectors)
    asked = [
        Projection(np.array(d, dtype=np.float32), c) for d in ([1, 1], [3, 1], [-1, -1]) for c in (False, True)
    ]
    whole = answered(embeddings, *asked)
    assert whole == ["b", "a", "a", "a", "d", "d"]
    monkeypatch.setattr("unfool.victims._capabilities._SCORES_AT_ONCE", 8)
    assert answered(embeddings, *asked) == whole


def test_words_are_replaced_from_the_last_one_on(victims: dict[str, Predictor]) -> None:
    victim = victims["lstm"]
    label = int(victim.check([TEXT.strings]).result().values[0].argmax())
    for most in (1, 2, 5):
        spec = find_attack(f"jsma:most={most}")
        (found,) = outcomes(victim, [Sample(0, TEXT, label)], spec, goal=Goal(confidence=1.0))
        changed = [a != b for a, b in zip(TEXT.words, Text.of(found.perturbed[0]).words, strict=True)]
        assert sum(changed) == most
        assert found.queries == most


def test_a_target_is_walked_towards(net: WhiteBoxVictim) -> None:
    label = int(net.confirm([TEXT.strings]).values[0].argmax())
    goal = Goal(target=1 - label, confidence=1.0)
    (found,) = outcomes(net, [Sample(0, TEXT, label)], find_attack("jsma:most=1"), goal=goal)
    position, expected = next_step(net, 1 - label, 1)
    assert found.perturbed == TEXT.replace(position, expected).strings


def test_words_the_victim_does_not_read_are_left_alone(victims: dict[str, Predictor]) -> None:
    victim = victims["transformer"]
    text = Text.of("good film " * 60)
    label = int(victim.check([text.strings]).result().values[0].argmax())
    (found,) = outcomes(victim, [Sample(0, text, label)], find_attack("jsma"), budget=Budget(words=0.05))
    changed = [n for n, (a, b) in enumerate(zip(text.words, found.perturbed[0].split(), strict=True)) if a != b]
    assert changed
    assert max(changed) < 47


def test_a_net_without_words_is_refused(victims: dict[str, Predictor]) -> None:
    with pytest.raises(UserError, match="'jsma' needs the net's word vectors"):
        require(victims["characters"], find_attack("jsma").needs, "jsma")


def test_settings_that_make_no_sense_are_refused(victims: dict[str, Predictor]) -> None:
    with pytest.raises(UserError, match="most=0"):
        outcomes(victims["net"], [Sample(0, TEXT, n) for n in (0, 1)], find_attack("jsma:most=0"))


@pytest.fixture(scope="module")
def read_behind() -> zoo.NetVictim:
    """A net that reads its state at step 20, behind the padding of shorter texts."""
    words = zoo.WordVocabulary(
        ["the", "good", "bad", "cast", "fine", "plot", "great", "film", "is", "."], max_length=20
    )
    with seeded(3):
        front = make_front("Vectors", rows=len(words), dimensions=8)
        net = zoo.make_net("LSTM", front, 2, units=6, pool="step", steps=20)
    return zoo.NetVictim(net, words, ("neg", "pos"), name="zoo:toy", device="cpu")


def test_padding_that_is_written_out_changes_no_answer(read_behind: zoo.NetVictim) -> None:
    behind = read_behind.padding
    assert behind is not None
    plain = ("The good cast is fine.",)
    padded = (" ".join([*plain, *[behind.word] * 14]),)
    both = read_behind.confirm([plain, padded, ("The good cast is fine. bad",)]).values
    assert (both[0] == both[1]).all()
    assert (both[0] != both[2]).any()


def test_words_are_put_into_the_padding_from_its_end(read_behind: zoo.NetVictim) -> None:
    text = Text.of("The good cast is fine.")
    label = int(read_behind.confirm([text.strings]).values[0].argmax())
    spec = find_attack("jsma:padding=true,most=3")
    (found,) = outcomes(read_behind, [Sample(0, text, label)], spec, goal=Goal(confidence=1.0))
    assert found.notes == {"words put": 3, "words put into padding": 3}
    start, *padding = found.perturbed[0].split(". ")
    assert start == "The good cast is fine"
    read = padding[0].split()
    assert len(read) == 14
    assert [word == "\u2400" for word in read] == [True] * 11 + [False] * 3
    (alone,) = outcomes(
        read_behind, [Sample(0, text, label)], find_attack("jsma:most=3"), goal=Goal(confidence=1.0)
    )
    assert alone.words_changed == 3
    assert "\u2400" not in alone.perturbed[0]


def test_a_text_without_padding_is_attacked_as_ever(read_behind: zoo.NetVictim) -> None:
    text = Text.of("the good film is fine " * 5)
    label = int(read_behind.confirm([text.strings]).values[0].argmax())
    both = [
        outcomes(read_behind, [Sample(0, text, label)], find_attack(spec), goal=Goal(confidence=1.0))[0]
        for spec in ("jsma:most=2", "jsma:most=2,padding=true")
    ]
    assert both[0].perturbed == both[1].perturbed
    assert both[1].notes["words put into padding"] == 0


def test_a_net_that_reads_no_padding_is_refused(victims: dict[str, Predictor]) -> None:
    with pytest.raises(UserError, match="offers no padding"):
        outcomes(victims["lstm"], [Sample(0, TEXT, n) for n in (0, 1)], find_attack("jsma:padding=true"))


def test_gradients_may_be_taken_once(read_behind: zoo.NetVictim) -> None:
    text = Text.of("the good film is fine and the plot great")
    label = int(read_behind.confirm([text.strings]).values[0].argmax())
    (found,) = outcomes(
        read_behind, [Sample(0, text, label)], find_attack("jsma:most=4,slopes=once"), goal=Goal(confidence=1.0)
    )
    words, vectors = words_and_vectors(read_behind)
    expected = text
    for position in reversed(range(len(text))):
        best = words[int((vectors @ -slope(read_behind, text, position, label)).argmax())]
        if (
            best != text.words[position]
            and sum(a != b for a, b in zip(expected.words, text.words, strict=True)) < 4
        ):
            expected = expected.replace(position, best)
    assert found.perturbed == expected.strings
