"""Attention, sparsity and chosen words, on a victim whose numbers can be worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.toy_table import Table, outcome

from unfool.engine import Status
from unfool.errors import UserError
from unfool_papers.self_attention.inside_nets import chosen_words
from unfool_papers.self_attention.stability import looked_into

ABOVE = 52.5**2 / (3 * 956.25)
"""The share that moves in the layer above the input where *good* becomes *bad*: norms of 15, 22.5 and 15."""


def test_attention_and_shares_are_means_over_the_successes_in_percent() -> None:
    found = looked_into(Table(), "BERT@toys", [outcome("a good film", "a bad film"), outcome("a film", "bad film")])
    assert found.shares.shape == (2, 1), "the input is no layer"
    assert found.share(0).value == pytest.approx(100 * (ABOVE + 0.9) / 2)
    # Of the first text attention moved by 13 in 105; of the second, where four tokens become four, by nothing.
    assert found.attention["first layer"].value == pytest.approx(100 * (13 / 105) / 2, abs=0.01)
    assert found.attention["last layer"].n == 2


def test_the_words_that_both_attacks_chose_are_those_of_one_text() -> None:
    least = [outcome("a good film", "bad good film"), outcome("a film", "bad film")]
    most = [outcome("a good film", "a good bad"), outcome("a film", "a bad", Status.FAILED)]
    numbered = [[replace(each, id=number) for number, each in enumerate(side)] for side in (least, most)]
    figure = chosen_words(Table(), "BERT@toys", dict(zip(("asmin-ec", "asmax-ec"), numbered, strict=True)))
    boxed = [(row["text"], row["word"]) for row in figure.rows if row["changed"]]
    assert boxed == [("original", "a"), ("adversarial", "bad"), ("original", "film"), ("adversarial", "bad")]
    with pytest.raises(UserError, match="no text of BERT@toys is turned by all of asmin-ec, asmax-ec"):
        chosen_words(Table(), "BERT@toys", {"asmin-ec": numbered[0][1:], "asmax-ec": numbered[1]})
