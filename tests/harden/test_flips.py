"""Training on HotFlip's flips: which are made, and how many."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from unfool import zoo
from unfool.defences.harden import Training, find_method, harden, trainable
from unfool.defences.harden.recipes.hotflip import KnownWords, worst_flips
from unfool.text import Sample, Text
from unfool.training import LabelledBatch, seeded
from unfool.victims import Options, open_victim
from unfool.victims.tokens import TokenBatch
from unfool.zoo.encoders import START
from unfool.zoo.fronts import make_front


def test_the_worst_flips_of_each_row_are_made() -> None:
    table = torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    mask = torch.tensor([[True, True, True, True, False]])
    tokens = TokenBatch(torch.tensor([[1, 1, 1, 1, 0]]), mask, torch.zeros(1, 5))
    slopes = torch.tensor([[[0.0, 1.0], [0.0, 3.0], [0.0, 2.0], [0.0, -1.0], [0.0, 9.0]]])
    letters = torch.tensor([1, 2, 3])
    half = worst_flips(tokens, slopes, table, letters, letters, 0.5, None)
    assert half.ids.tolist() == [[1, 2, 2, 1, 0]]  # two of four; the last place is padding
    near = worst_flips(tokens, slopes, table, letters, letters, 1.0, 0.9)
    assert near.ids.tolist() == [[1, 1, 1, 1, 0]]  # nothing is as near as that
    one = worst_flips(tokens, slopes, table, letters, letters, 0.01, None)
    assert one.ids.tolist() == [[1, 2, 1, 1, 0]]
    assert tokens.ids.tolist() == [[1, 1, 1, 1, 0]]


def test_how_much_was_flipped_is_told(nets: dict[str, str], task: Path, tmp_path: Path) -> None:
    def flipped(spec: str, reads: str) -> float:
        out = tmp_path / f"{spec}-{reads}"
        hardened = harden(spec, nets[reads], str(task), out, epochs=1, n=40, device="cpu", progress=False)
        return hardened.figures["flipped"]

    assert flipped("hotflip:share=0.5,similarity=-1", "bert") == pytest.approx(0.5, abs=0.1)
    assert flipped("hotflip:share=0.5,similarity=0.99", "bert") < 0.1  # hardly any word has one so near
    assert 0 < flipped("hotflip", "letters") < 0.3


def flipped_words(spec: str, name: str, texts: list[str], folder: Path) -> set[str]:
    """The words of the copies that a method trains on beside some texts."""
    net = trainable(open_victim(name))
    samples = [Sample(number, Text.of(text), 0) for number, text in enumerate(texts)]
    plan = find_method(spec)(Training(net, samples, name, Options(), 0, folder, False))
    assert plan.losses is not None
    read: list[TokenBatch] = []
    net.logits = lambda tokens: read.append(tokens) or torch.zeros(len(tokens.ids), 2)  # type: ignore[method-assign, func-returns-value]
    batch = LabelledBatch(
        net.encode([sample.text for sample in samples]),
        torch.zeros(len(samples), dtype=torch.long),
        np.arange(len(samples)),
    )
    for loss in plan.losses(batch, (1, 0, 0)):
        if loss.requires_grad:
            torch.autograd.backward(loss)
    (copies,) = read
    alphabet = net.encoder.alphabet  # type: ignore[attr-defined]
    return {
        "".join(alphabet[token - 3] for token in word if token > 2)
        for row in copies.ids.tolist()
        for word in _cut(row)
    }


def _cut(row: list[int]) -> list[list[int]]:
    words: list[list[int]] = []
    for token in row:
        if token == START:
            words.append([])
        words[-1].append(token)
    return words


def test_no_word_is_flipped_to_one_the_net_knows(tmp_path: Path) -> None:
    """The worst flip of every "ab" is "aa" or "bb", so one of these, made known, is never made."""
    letters = zoo.CharWords("ab", max_length=80, words=["AA", "ab", "bb", "ba"])
    with seeded(0):
        front = make_front("CharCNN", rows=len(letters), dimensions=4, filters=4)
        net = zoo.make_net("LSTM", front, 2, units=4)
    zoo.save(tmp_path / "net", net, letters, ("neg", "pos"), {"seed": 0})
    name, texts = f"zoo:{tmp_path / 'net'}", ["ab ab ab abbab", "ab ababb ab"]
    free = flipped_words("hotflip:share=1,not_in_vocabulary=false", name, texts, tmp_path)
    bound = flipped_words("hotflip:share=1", name, texts, tmp_path)
    assert free & {"aa", "bb", "ba"}
    assert not bound & {"aa", "bb", "ba"}
    assert bound - {"ab", "abbab", "ababb"}  # longer words, which it does not know, are flipped all the same


def test_known_words_are_found_in_any_case_and_by_nothing_less_than_all_of_them() -> None:
    letters = zoo.CharWords("abAB-_", max_length=80, words=["ab", "b_a", "a-b", "aé"])
    known = KnownWords(letters.vocabulary, letters, len(letters), torch.device("cpu"))
    (row,) = letters.pieces(["ab aB ba abb b_A"])
    found = known.within(torch.tensor([row]))[0].tolist()
    assert [sum(found[start:stop]) for start, stop in ((0, 3), (3, 6), (6, 9), (9, 13), (13, 17))] == [
        2,
        2,
        0,
        0,
        3,
    ]
