"""The word lists, vectors and encoder that attacks use, and victims for them to attack."""

from __future__ import annotations

import string
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from tests.toy_models import save_bert
from tests.toy_nets import WORDS, toy_net
from tests.toys import BagOfWords, word_weights

from unfool import resources, zoo
from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.lexicon import Vectors
from unfool.victims import Transformer
from unfool.zoo.classical import Dictionary, NaiveBayes, NaiveBayesVictim
from unfool.zoo.fronts import make_front


@pytest.fixture(scope="session")
def lexicons() -> None:
    """Have what attacks read; the first time it is downloaded."""
    for name in ("wordnet", "textblob", "counter-fitted", "minilm", "glove-840b-300d", "stopwords", "confusables"):
        try:
            resources.get(name, progress=False)
        except UserError as error:
            pytest.skip(f"attacks need the resource {name}: {error}")


@pytest.fixture(scope="module", autouse=True)
def toy_naive_bayes() -> Iterator[NaiveBayesVictim]:
    """A Naive Bayes in IMDB's place that finds words as strong as the toy bag of words does."""
    vocabulary = ["unk", *WORDS, *(f"w{number}" for number in range(200))]
    words = Dictionary(Vectors(vocabulary, np.zeros((len(vocabulary), 1), dtype=np.float32)))
    weights = np.array([word_weights(word, 3) for word in vocabulary]).T
    toy = NaiveBayesVictim(NaiveBayes(weights), words, ("neg", "pos", "dull"), "zoo:NB@toy")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("unfool.attacks.parts.naive_bayes.open_victim", lambda name, options: toy)
        yield toy


@pytest.fixture(scope="session")
def victims(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Predictor]:
    """One victim asked with strings, and those asked with tokens; those of pairs read nothing but pairs."""
    words = zoo.WordVocabulary(WORDS)
    torch.manual_seed(0)
    front = make_front("Vectors", rows=len(WORDS) + 2, dimensions=8)
    net, of_pairs = (zoo.make_net("KimCNN", front, 2, filters=6).eval() for _ in range(2))
    of_pairs.reads_pairs = True  # both texts as one
    return {
        "bag of words": BagOfWords(),
        "transformer": Transformer(str(save_bert(tmp_path_factory.mktemp("bert"))), device="cpu"),
        "net": zoo.NetVictim(net, words, ("neg", "pos"), name="zoo:toy", device="cpu"),
        "net pairs": zoo.NetVictim(of_pairs, words, ("neg", "pos"), name="zoo:toy-pairs", device="cpu"),
        "lstm": toy_net("LSTM", words, units=6),
        "attention": toy_net("LSTMAttention", words, units=5, hidden=4),
        "attention pairs": toy_net("LSTMAttention", words, units=5, hidden=4, pair=True),
        "characters": toy_net("LSTM", zoo.CharWords(string.ascii_letters), "CharCNN", units=6, pool="last"),
        "character pairs": toy_net(
            "LSTMAttention", zoo.Characters(string.ascii_letters + " "), units=5, hidden=4, pair=True
        ),
    }
