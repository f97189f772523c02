"""Every model of the zoo by name: which parts it is made of, and how it is trained."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from unfool.errors import UserError, did_you_mean

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
    """Seen in all epochs together, three at least: the more there are, the fewer times each must be seen."""
    falling: bool = False
    """Whether, where that cuts the epochs, all of them are done with a learning rate that falls to nothing."""


class EncoderRecipe(NamedTuple):
    """A pretrained transformer, fine-tuned."""

    encoder: Literal["bert", "roberta", "albert", "bert-nopt"]
    lr: float = 5e-5
    epochs: int = 3
    most_texts: int = 120_000
    """Seen in all epochs together, two at least."""


class ClassicalRecipe(NamedTuple):
    """Naive Bayes or a support vector machine."""


Recipe = NetRecipe | EncoderRecipe | ClassicalRecipe


class Entry(NamedTuple):
    """A model: its name, what it is, and its number among the 63 of Yuan et al. (2021), if it is one."""

    name: str
    what: str
    recipe: Recipe
    number: int | None = None


_INPUTS = ("W-Random", "W-GloVe", "W-W2vec", "W-fastText", "C-Random", "WC-ELMo")
_DEPTHS = {"LSTM": (1, 2, 4), "BiLSTM": (1, 2, 4), "CNN": (1, 2, 4, 6)}
_WORDS = NetRecipe("", "words", "random", most_texts=240_000, falling=True)
# Reading from letters is learnt slowly: with the words' settings the nets stopped at 54 to 61 % on Rotten Tomatoes.
_LETTERS = NetRecipe(
    "",
    "characters",
    "random",
    dimensions=64,
    max_length=1014,
    lr=2e-3,
    epochs=30,
    patience=5,
    most_texts=300_000,
)
_MORE_LETTERS = {("LSTM", 1): 550_000, ("BiLSTM", 1): 400_000, ("CNN", 1): 400_000}
"""One layer learns them slowest, at the least cost: an LSTM has 82 % of news after seven epochs, 86 % after 14."""


def _net(kind: str, reads: str, layers: int) -> NetRecipe:
    sizes = {"layers": layers}
    if reads == "C-Random":
        most_texts = _MORE_LETTERS.get((kind, layers), _LETTERS.most_texts)
        return _LETTERS._replace(net=kind, sizes={**sizes, "dropout": 0.1}, most_texts=most_texts)
    if reads == "WC-ELMo":
        return _WORDS._replace(
            net=kind, encoder="byte-words", vectors="elmo", sizes=sizes, front="Elmo", max_length=2048
        )
    source: dict[str, Vectors] = {"Random": "random", "GloVe": "glove", "W2vec": "w2vec", "fastText": "fasttext"}
    return _WORDS._replace(net=kind, vectors=source[reads.removeprefix("W-")], sizes=sizes)


def _the_63() -> list[Entry]:
    nets = [
        (
            f"{kind}-{reads}-{layers}",
            f"{kind} of {layers} layer{'s' * (layers > 1)}, {reads} input",
            kind,
            reads,
            layers,
        )
        for kind, depths in _DEPTHS.items()
        for layers in depths
        for reads in _INPUTS
    ]
    entries = [
        Entry(name, what, _net(kind, reads, layers), number)
        for number, (name, what, kind, reads, layers) in enumerate(nets, start=1)
    ]
    return [
        *entries,
        Entry("BERT", "BERT, fine-tuned", EncoderRecipe("bert"), 61),
        Entry("RoBERTa", "RoBERTa, fine-tuned", EncoderRecipe("roberta"), 62),
        Entry("ALBERT", "ALBERT, fine-tuned", EncoderRecipe("albert", lr=2e-4, epochs=4), 63),
    ]


_KIM: Mapping[str, Any] = MappingProxyType({"widths": [3, 4, 5], "filters": 100})

_OTHERS = [
    Entry(
        "LSTM-Attention",
        "bidirectional LSTM with additive attention, for texts and pairs (Hsieh et al., 2019)",
        NetRecipe("LSTMAttention", "words", "glove"),
    ),
    Entry(
        "BERT-NOPT",
        "three layers of BERT that were not pretrained, for texts and pairs (Hsieh et al., 2019)",
        EncoderRecipe("bert-nopt", lr=1e-4, epochs=6),
    ),
    Entry(
        "CS229-LSTM",
        "LSTM of 64 units on frozen 50-d GloVe, 250 words (CS229 report)",
        NetRecipe(
            "LSTM",
            "words",
            "glove",
            {"units": 64, "pool": "last", "dropout": 0.25},
            dimensions=50,
            max_length=250,
            lr=3e-3,
            epochs=15,
            patience=4,
        ),
    ),
    *(
        Entry(name, f"{what} (CS229 report)", ClassicalRecipe())
        for name, what in (
            ("SVM-Linear", "linear support vectors on bags of words"),
            ("SVM-Poly", "support vectors with a polynomial kernel on bags of words"),
            ("SVM-Mean", "linear support vectors on the mean word vector"),
            ("SVM-Concat", "linear support vectors on 250 word vectors side by side"),
            ("NB", "multinomial Naive Bayes"),
        )
    ),
    Entry(
        "WordLSTM",
        "TextFooler's word LSTM",
        NetRecipe("BiLSTM", "words", "glove", {"units": 75}),
    ),
    Entry("WordCNN", "TextFooler's word CNN", NetRecipe("KimCNN", "words", "glove", _KIM)),
    Entry(
        "CharCNN-LSTM",
        "LSTM over words read by their characters (Ebrahimi et al., 2018)",
        NetRecipe(
            "LSTM",
            "char-words",
            "random",
            {"layers": 2, "units": 500, "pool": "last"},
            front="CharCNN",
            dimensions=25,
            max_length=2048,
        ),
    ),
    Entry(
        "KimCNN",
        "Kim's CNN with trained word vectors (Ebrahimi et al., 2018)",
        NetRecipe("KimCNN", "words", "glove", {**_KIM, "dropout": 0.5}, frozen=False),
    ),
]

CATALOGUE: Mapping[str, Entry] = MappingProxyType({entry.name: entry for entry in [*_the_63(), *_OTHERS]})


def entry(name: str) -> Entry:
    """Return a model's entry.

    Raises:
        UserError: If there is no such model.
    """
    if name not in CATALOGUE:
        raise UserError(f"there is no model or folder {name!r} in the zoo{did_you_mean(name, CATALOGUE)}")
    return CATALOGUE[name]


def stand_in(name: str) -> str:
    """Say what stands in for weights or vectors that cannot be had; empty if nothing does."""
    recipe = entry(name).recipe
    if isinstance(recipe, EncoderRecipe):
        from unfool.zoo import pretrained

        return pretrained.stand_in(recipe.encoder)
    if isinstance(recipe, NetRecipe) and recipe.vectors == "elmo":
        from unfool.zoo.fronts import elmo

        return elmo.stand_in() or ""
    if isinstance(recipe, NetRecipe) and recipe.vectors in ("w2vec", "fasttext"):
        from unfool.zoo import word_vectors

        return word_vectors.stand_in(recipe.vectors) or ""
    return ""
