"""Every model of the zoo by name: which parts it is made of, and how it is trained."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from unfool.errors import UserError, did_you_mean
from unfool.victims import generates
from unfool.zoo.translators import is_translator

Vectors = Literal["random", "glove", "w2vec", "fasttext", "elmo"]
_NO_SIZES: Mapping[str, Any] = MappingProxyType({})


class NetRecipe(NamedTuple):
    """A net trained from word vectors or from nothing."""

    net: str
    """The net's class."""
    encoder: Literal["words", "characters", "char-words", "byte-words"]
    vectors: Vectors
    """Where the front's vectors come from; only random ones are trained."""
    sizes: Mapping[str, Any] = _NO_SIZES
    front: str = "Vectors"
    """The front's class."""
    dimensions: int = 300
    max_length: int = 256
    frozen: bool = True
    """Whether vectors that were not drawn at random stay as they are."""
    lr: float = 1e-3
    epochs: int = 12
    patience: int = 2
    most_texts: int = 400_000
    """The most texts seen in all epochs together; there are three epochs at least."""
    optimizer: Literal["adam", "sgd"] = "adam"
    batch: int | None = None
    """Texts a batch; None for 64, or 256 if there are many."""
    falling: bool = False
    """Whether the learning rate falls to zero if `most_texts` cuts the epochs; then patience does not end them."""

    @property
    def keeps_vectors(self) -> bool:
        """Whether the front's vectors are pretrained and stay as they are, so that they can be had again."""
        return self.frozen and self.vectors != "random"


class EncoderRecipe(NamedTuple):
    """A pretrained transformer, fine-tuned."""

    encoder: Literal["bert", "roberta", "albert", "bert-nopt"]
    lr: float = 5e-5
    epochs: int = 3
    most_texts: int = 120_000
    """The most texts seen in all epochs together; there are two epochs at least."""


class ClassicalRecipe(NamedTuple):
    """Naive Bayes or a support vector machine."""


Recipe = NetRecipe | EncoderRecipe | ClassicalRecipe


class Entry(NamedTuple):
    """A model: its name, what it is, and its number among the 63 of Yuan et al. (2021), if it is one."""

    name: str
    what: str
    recipe: Recipe
    number: int | None = None


_WORDS = NetRecipe("", "words", "random", most_texts=240_000, falling=True)
# Reading from letters is learnt slowly: with the words' settings the nets stopped at 54 to 61 % on Rotten Tomatoes.
_LETTERS = NetRecipe("", "characters", "random", {"dropout": 0.1}, dimensions=64, max_length=1014)
_LETTERS = _LETTERS._replace(lr=2e-3, epochs=30, patience=5, most_texts=300_000)
_INPUTS = {
    "W-Random": _WORDS,
    "W-GloVe": _WORDS._replace(vectors="glove"),
    "W-W2vec": _WORDS._replace(vectors="w2vec"),
    "W-fastText": _WORDS._replace(vectors="fasttext"),
    "C-Random": _LETTERS,
    "WC-ELMo": _WORDS._replace(encoder="byte-words", vectors="elmo", front="Elmo", max_length=2048),
}
_DEPTHS = {"LSTM": (1, 2, 4), "BiLSTM": (1, 2, 4), "CNN": (1, 2, 4, 6)}
_MORE_LETTERS = {"LSTM-C-Random-1": 550_000, "BiLSTM-C-Random-1": 400_000, "CNN-C-Random-1": 400_000}
"""Nets of one layer learn letters slowest: an LSTM has 82 % of news right after seven epochs, 86 % after 14."""


def _net(kind: str, layers: int, reads: str, number: int) -> Entry:
    name, recipe = f"{kind}-{reads}-{layers}", _INPUTS[reads]
    recipe = recipe._replace(
        net=kind,
        sizes={"layers": layers, **recipe.sizes},
        most_texts=_MORE_LETTERS.get(name, recipe.most_texts),
    )
    return Entry(name, f"{kind} of {layers} layer{'s' * (layers > 1)}, {reads} input", recipe, number)


_NETS = [(kind, layers, reads) for kind, depths in _DEPTHS.items() for layers in depths for reads in _INPUTS]
_KIM = {"widths": [3, 4, 5], "filters": 100}
_GLOVE = NetRecipe("", "words", "glove")
_CS229_LSTM = _GLOVE._replace(
    net="LSTM",
    sizes={"units": 64, "pool": "last", "dropout": 0.25},
    dimensions=50,
    max_length=250,
    lr=3e-3,
    epochs=15,
    patience=4,
)
_CHAR_CNN_LSTM = NetRecipe(
    "LSTM",
    "char-words",
    "random",
    {"layers": 2, "units": 500, "pool": "last"},
    front="CharCNN",
    dimensions=25,
    max_length=2048,
)

_ENTRIES = [
    *(_net(*net, number) for number, net in enumerate(_NETS, start=1)),
    Entry("BERT", "BERT, fine-tuned", EncoderRecipe("bert"), 61),
    Entry("RoBERTa", "RoBERTa, fine-tuned", EncoderRecipe("roberta"), 62),
    Entry("ALBERT", "ALBERT, fine-tuned", EncoderRecipe("albert", lr=2e-4, epochs=4), 63),
    Entry(
        "LSTM-Attention",
        "bidirectional LSTM with additive attention, for texts and pairs (Hsieh et al., 2019)",
        _GLOVE._replace(net="LSTMAttention"),
    ),
    Entry(
        "BERT-NOPT",
        "three layers of BERT that were not pretrained, for texts and pairs (Hsieh et al., 2019)",
        EncoderRecipe("bert-nopt", lr=1e-4, epochs=6),
    ),
    Entry(
        "CS229-LSTM",
        "LSTM of 64 units on frozen 50-d GloVe, 250 words (CS229 report)",
        _CS229_LSTM,
    ),
    Entry(
        "CS229-LSTM:read=last-step",
        "the same, read at step 250, behind the padding of shorter texts (CS229 report)",
        _CS229_LSTM._replace(
            sizes={"units": 64, "pool": "step", "steps": 250, "dropout": 0.25}, lr=2e-3, batch=64, epochs=10
        ),
    ),
    Entry(
        "CS229-LSTM:read=mean",
        "the same, read by the mean of its states, which the CS229 report names as future work",
        _CS229_LSTM._replace(sizes={"units": 64, "pool": "mean", "dropout": 0.25}),
    ),
    Entry("SVM-Linear", "linear support vectors on bags of words (CS229 report)", ClassicalRecipe()),
    Entry(
        "SVM-Poly", "support vectors with a polynomial kernel on bags of words (CS229 report)", ClassicalRecipe()
    ),
    Entry("SVM-Mean", "linear support vectors on the mean word vector (CS229 report)", ClassicalRecipe()),
    Entry(
        "SVM-Concat", "linear support vectors on 250 word vectors side by side (CS229 report)", ClassicalRecipe()
    ),
    Entry("NB", "multinomial Naive Bayes (CS229 report)", ClassicalRecipe()),
    Entry("WordLSTM", "TextFooler's word LSTM", _GLOVE._replace(net="BiLSTM", sizes={"units": 75})),
    Entry("WordCNN", "TextFooler's word CNN", _GLOVE._replace(net="KimCNN", sizes=_KIM)),
    Entry(
        "CharCNN-LSTM",
        "LSTM over words read by their characters (Ebrahimi et al., 2018)",
        # The paper names no rate; `python -m unfool_papers.scripts.learning_rate` looks for it on held-out text.
        _CHAR_CNN_LSTM._replace(optimizer="sgd", lr=1.0, batch=64, epochs=25, patience=25, most_texts=100_000_000),
    ),
    Entry(
        "CharCNN-LSTM-Adam",
        "the same, trained with Adam, twelve epochs at most, batches of 64 or 256",
        _CHAR_CNN_LSTM,
    ),
    Entry(
        "KimCNN",
        "Kim's CNN with trained word vectors (Ebrahimi et al., 2018)",
        _GLOVE._replace(net="KimCNN", sizes={**_KIM, "dropout": 0.5}, frozen=False),
    ),
]

CATALOGUE: Mapping[str, Entry] = MappingProxyType({entry.name: entry for entry in _ENTRIES})


def entry(name: str) -> Entry:
    """Return a model's entry."""
    if is_translator(name):
        raise generates(name)
    if name not in CATALOGUE:
        raise UserError(f"there is no model or folder {name!r} in the zoo{did_you_mean(name, CATALOGUE)}")
    return CATALOGUE[name]


def stand_in(name: str) -> str:
    """Return what stands in for weights or vectors that cannot be had; empty if nothing does."""
    recipe = entry(name).recipe
    if isinstance(recipe, EncoderRecipe):
        from unfool.zoo import pretrained

        return pretrained.stand_in(recipe.encoder)
    if isinstance(recipe, NetRecipe) and recipe.vectors == "elmo":
        from unfool.zoo.fronts import elmo

        return elmo.stand_in()
    if isinstance(recipe, NetRecipe) and recipe.vectors in ("w2vec", "fasttext"):
        from unfool.zoo import word_vectors

        return word_vectors.stand_in(recipe.vectors)
    return ""
