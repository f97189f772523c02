"""Fronts over words of characters spell each distinct word once, and say the same."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from unfool.zoo.encoders import CharWords
from unfool.zoo.fronts.elmo import BYTE_ROWS, Elmo
from unfool.zoo.fronts.spelt import CharCNN, SpeltFront

TEXTS = ("the cat saw the other cat", "the dog", "a cat, a hat and the cat in it", "")
READER = CharWords(None)


def _tokens() -> tuple[torch.Tensor, torch.Tensor]:
    rows = [whole.tokens for whole in READER.whole([(text,) for text in TEXTS])]
    ids = torch.nn.utils.rnn.pad_sequence([torch.tensor(row, dtype=torch.long) for row in rows], batch_first=True)
    return ids, ids != READER.pad


@pytest.mark.parametrize(
    "make",
    [
        lambda: CharCNN(BYTE_ROWS, 4, filters=6),
        lambda: Elmo(dimensions=4, filters=((1, 3), (2, 5)), projection=6, cell=7),
    ],
    ids=["CharCNN", "Elmo"],
)
def test_each_distinct_word_is_spelt_once_with_the_same_answer(
    make: Callable[[], SpeltFront], monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(0)
    front = make().double().eval()
    ids, mask = _tokens()
    expected = front.read(front.embed(ids), ids, mask)
    spelt: list[int] = []
    spell = front.spell

    def counted(characters: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        spelt.append(len(characters))
        return spell(characters, real)

    monkeypatch.setattr(front, "spell", counted)
    with torch.no_grad():
        found = front.read_tokens(ids, mask)
    distinct = {"the", "cat", "saw", "other", "dog", "a", ",", "hat", "and", "in", "it", "no word"}
    assert spelt[0] == len(distinct)
    assert torch.equal(found.mask, expected.mask)
    assert torch.allclose(found.vectors[found.mask], expected.vectors[expected.mask], atol=1e-12)


def test_what_is_learnt_from_or_hidden_is_spelt_word_by_word() -> None:
    torch.manual_seed(0)
    front = CharCNN(BYTE_ROWS, 4, filters=6).double()
    ids, mask = _tokens()
    front.eval().read_tokens(ids, mask).vectors.sum().backward()  # type: ignore[no-untyped-call]
    by_tokens = front.table.weight.grad
    front.zero_grad()
    front.read(front.embed(ids), ids, mask).vectors.sum().backward()  # type: ignore[no-untyped-call]
    by_vectors = front.table.weight.grad
    assert by_tokens is not None
    assert by_vectors is not None
    assert torch.equal(by_tokens, by_vectors)
    with torch.no_grad():
        read = front.train().read_tokens(ids.repeat(200, 1), mask.repeat(200, 1))
    cats = read.vectors[:: len(TEXTS), 1]
    assert len(torch.unique(cats, dim=0)) > 1, "one hidden character hides it in no other place"
