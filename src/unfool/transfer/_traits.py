"""What a model of the zoo is made of, read from its name."""

from __future__ import annotations

import re
from typing import NamedTuple

ARCHITECTURES = ("LSTM", "BiLSTM", "CNN", "BERT")
INPUTS = ("Random", "GloVe", "word2vec", "fastText", "Character", "ELMo", "BERT")
_FORMS = {"W": "word", "C": "character", "WC": "word and character"}
_EMBEDDINGS = {"W2vec": "word2vec"}
_NET = re.compile(r"(LSTM|BiLSTM|CNN)-(WC|W|C)-(\w+)-(\d+)")
_TRANSFORMERS = ("BERT", "RoBERTa", "ALBERT")


class Traits(NamedTuple):
    """The four factors in which models may differ."""

    input_form: str
    architecture: str
    embedding: str
    capacity: int

    @property
    def reads(self) -> str:
        """The class of the paper's table 4: input form and embedding in one."""
        return "Character" if self.input_form == "character" else self.embedding


def traits(name: str) -> Traits | None:
    """Return the traits of a model of the zoo, with or without ``zoo:`` and its data; None of other victims."""
    model = name.removeprefix("zoo:").partition("@")[0]
    if model in _TRANSFORMERS:
        return Traits("sub-word", "BERT", "BERT", 0)
    found = _NET.fullmatch(model)
    if not found:
        return None
    kind, form, embedding, layers = found.groups()
    return Traits(_FORMS[form], kind, _EMBEDDINGS.get(embedding, embedding), int(layers))
