"""What a model of the zoo is made of, and which differences between models hinder transfer (Yuan et al., 2021)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.transfer._matrix import Floats, Matrix, mean, rounded

ARCHITECTURES = ("LSTM", "BiLSTM", "CNN", "BERT")
INPUTS = ("Random", "GloVe", "word2vec", "fastText", "Character", "ELMo", "BERT")
FACTORS = ("input form", "architecture", "embedding", "capacity")
"""In the order of `Traits`, which is that of their impact in the paper."""
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


class Impact(NamedTuple):
    """How far rates are from the targets' base rates where source and target differ in one factor alone."""

    mean: float
    pairs: int


class ClassTable(NamedTuple):
    """Mean rates from models of a class (row) to models of a class (column), a model and its twin included."""

    classes: tuple[str, ...]
    rates: Floats

    @property
    def sends(self) -> dict[str, float]:
        """The mean of each row."""
        return {name: mean(row) for name, row in zip(self.classes, self.rates, strict=True)}

    @property
    def receives(self) -> dict[str, float]:
        """The mean of each column."""
        return {name: mean(column) for name, column in zip(self.classes, self.rates.T, strict=True)}

    def to_json(self) -> dict[str, dict[str, float | None]]:
        """Return the rates by row and column, or None if a class has no models."""
        return {
            row: {column: rounded(value) for column, value in zip(self.classes, values.tolist(), strict=True)}
            for row, values in zip(self.classes, self.rates, strict=True)
        }


class Analysis(NamedTuple):
    """All that is taken from a matrix."""

    impacts: dict[str, Impact]
    by_architecture: ClassTable
    by_input: ClassTable

    def to_json(self) -> dict[str, Any]:
        """Return plain values for a JSON file."""
        return {
            "impacts": {name: {"mean": rounded(i.mean), "pairs": i.pairs} for name, i in self.impacts.items()},
            "by architecture": self.by_architecture.to_json(),
            "by input": self.by_input.to_json(),
        }


def analyse(matrix: Matrix) -> Analysis:
    """Take the tables from a matrix; victims that are no models of the 63 do not enter."""
    return Analysis(
        factor_impacts(matrix),
        _class_table(matrix, ARCHITECTURES, lambda found: found.architecture),
        _class_table(matrix, INPUTS, lambda found: found.reads),
    )


def factor_impacts(matrix: Matrix) -> dict[str, Impact]:
    """Return the mean of |r(s, t) - base(t)| over all pairs that differ in one factor only, for each factor."""
    distances = np.abs(matrix.rates - matrix.base)
    found = {}
    for factor, pairs in pairs_by_factor(matrix).items():
        chosen = distances[pairs]
        found[factor] = Impact(mean(chosen), int((~np.isnan(chosen)).sum()))
    return found


def pairs_by_factor(matrix: Matrix) -> dict[str, NDArray[np.bool_]]:
    """Return for each factor which pairs of source and target differ in it alone."""
    sources, targets = (list(map(traits, names)) for names in (matrix.sources, matrix.targets))
    differing = [[_only_difference(source, target) for target in targets] for source in sources]
    names = np.array(differing, dtype=object).reshape(matrix.rates.shape)
    return {factor: names == factor for factor in FACTORS}


def _class_table(matrix: Matrix, classes: Sequence[str], class_of: Callable[[Traits], str]) -> ClassTable:
    """Return the mean rates between classes of models, or NaN if a class has none."""

    def members(names: Sequence[str], kind: str) -> list[int]:
        return [number for number, name in enumerate(names) if (found := traits(name)) and class_of(found) == kind]

    rows, columns = ([members(names, kind) for kind in classes] for names in (matrix.sources, matrix.targets))
    rates = [[mean(matrix.rates[np.ix_(row, column)]) for column in columns] for row in rows]
    return ClassTable(tuple(classes), np.array(rates))


def _only_difference(source: Traits | None, target: Traits | None) -> str | None:
    if not source or not target:
        return None
    differing = [factor for factor, own, other in zip(FACTORS, source, target, strict=True) if own != other]
    return differing[0] if len(differing) == 1 else None
