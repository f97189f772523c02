"""Victims for defences to stand around."""

from __future__ import annotations

import string

import pytest
from tests.toy_models import save_bert
from tests.toy_nets import WORDS, toy_net

from unfool import resources, zoo
from unfool.errors import UserError
from unfool.victims import Transformer, WhiteBoxVictim


@pytest.fixture(scope="session")
def lexicons() -> None:
    """Have what defences read; the first time it is downloaded."""
    for name in ("counter-fitted", "minilm", "wordnet"):
        try:
            resources.get(name, progress=False)
        except UserError as error:
            pytest.skip(f"defences need the resource {name}: {error}")


@pytest.fixture(scope="session")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Transformer:
    """A tiny transformer."""
    return Transformer(str(save_bert(tmp_path_factory.mktemp("bert"))), device="cpu")


@pytest.fixture(scope="session")
def nets(bert: Transformer) -> dict[str, WhiteBoxVictim]:
    """Every kind of net."""
    words = zoo.WordVocabulary(WORDS)
    return {
        "transformer": bert,
        "lstm": toy_net("LSTM", words, units=6),
        "cnn": toy_net("KimCNN", words, filters=6, scale=1.0),
        "characters": toy_net("LSTM", zoo.CharWords(string.ascii_letters), "CharCNN", units=6, pool="last"),
        "pairs": toy_net("LSTMAttention", words, units=5, hidden=4, pair=True),
    }
