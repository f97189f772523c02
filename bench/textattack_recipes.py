"""TextAttack's recipes as they can be built offline: what they would download is exchanged or answered from disk.

Imported by the scripts that TextAttack's environment runs, never by unfool's own. What is exchanged, or done
otherwise by unfool, stands in `DIFFERENCES`; docs/benchmarks.md tells it beside the figures.
"""

import json
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nltk
import numpy as np
import textattack.attack_recipes.a2t_yoo_2021 as a2t_module
import textattack.attack_recipes.bae_garg_2019 as bae_module
import textattack.attack_recipes.clare_li_2020 as clare_module
import textattack.attack_recipes.pso_zang_2020 as pso_module
import textattack.attack_recipes.textbugger_li_2018 as textbugger_module
from textattack import Attack
from textattack.attack_recipes import (
    CLARE2020,
    A2TYoo2021,
    BAEGarg2019,
    CheckList2020,
    DeepWordBugGao2018,
    IGAWang2019,
    InputReductionFeng2018,
    Pruthi2019,
    PSOZang2020,
    TextBuggerLi2018,
)
from textattack.constraints.semantics import WordEmbeddingDistance
from textattack.models.wrappers import ModelWrapper
from textattack.shared import AttackedText, WordEmbedding, utils
from textattack.transformations import WordSwapEmbedding, WordSwapMaskedLM
from transformers import AutoModelForMaskedLM, AutoTokenizer

_EMBEDDING = "textattack_counterfitted_GLOVE_embedding"
_NEAREST, _COSINE = 50, 0.5
_MINILM = "MiniLM with the recipe's own window, threshold and measure where it has a sentence encoder"
_STAND_IN = "unfool's stand-in for the masked language model, the same weights on both sides"
DIFFERENCES: Mapping[str, list[str]] = {
    "deepwordbug": [],
    "textbugger": [
        "a file that the wheel lacks is laid out, empty: without it the recipe ends in an error",
        _MINILM,
        "GloVe's neighbours, those of unfool, in the place of counter-fitted ones",
    ],
    "pruthi": [],
    "bae": [_MINILM, _STAND_IN, "NLTK's perceptron tagger from its older file"],
    "clare": [_MINILM, _STAND_IN, "parts of speech by NLTK's perceptron tagger: flair's weights cannot be had"],
    "a2t": [_MINILM, "counter-fitted neighbours computed here", "NLTK's perceptron tagger from its older file"],
    "pso": ["counter-fitted neighbours (50, cosine 0.5), as unfool's, in the place of HowNet's words"],
    "iga": ["counter-fitted neighbours computed here"],
    "checklist": ["unfool's list of names and places says what is one: flair's weights cannot be had"],
    "input-reduction": [
        "words are ranked once, where unfool asks about every word that is left after each deletion"
    ],
}
Resources = Mapping[str, str]


def build(name: str, victim: ModelWrapper, encoder: Any, vectors: WordEmbedding, given: Resources) -> Attack:
    """Builds a recipe.

    Args:
        name: The recipe, by unfool's name.
        victim: The victim.
        encoder: The sentence encoder that takes the place of the recipe's own.
        vectors: Counter-fitted vectors.
        given: Where unfool's own resources lie: ``masked``, ``glove``, ``names``.
    """
    utils.GLOBAL_OBJECTS[_EMBEDDING] = vectors
    for module in (textbugger_module, bae_module, clare_module):
        module.UniversalSentenceEncoder = encoder
    a2t_module.SBERT = lambda model_name, **settings: encoder(**settings)
    if name in _PREPARE:
        _PREPARE[name](given)
    attack = _RECIPES[name].build(victim)
    if name != "pso":
        return attack
    constraints = [*attack.pre_transformation_constraints, *attack.constraints]
    constraints.append(WordEmbeddingDistance(min_cos_sim=_COSINE))
    return Attack(attack.goal_function, constraints, attack.transformation, attack.search_method)


def _with_glove(given: Resources) -> None:
    # The wheel lacks a file of look-alikes that is read and, for a swap in a word, not used.
    (Path(utils.__file__).parents[1] / "intentional_homoglyphs.txt").touch()
    folder = Path(given["glove"])
    words = json.loads((folder / "words.json").read_text())
    vectors, rows = np.load(folder / "vectors.npy"), np.load(folder / "rows.npy")
    nearest = np.column_stack([np.arange(len(rows)), rows])
    index = {word: row for row, word in enumerate(words)}
    utils.GLOBAL_OBJECTS[_EMBEDDING] = WordEmbedding(vectors, index, dict(enumerate(words)), nearest)


def _with_masked_model(given: Resources) -> None:
    model = AutoModelForMaskedLM.from_pretrained(given["masked"], trust_remote_code=False)
    tokenizer = AutoTokenizer.from_pretrained(given["masked"], trust_remote_code=False)
    bae_module.WordSwapMaskedLM = partial(WordSwapMaskedLM, masked_language_model=model, tokenizer=tokenizer)
    clare_module.transformers = SimpleNamespace(
        AutoModelForCausalLM=SimpleNamespace(from_pretrained=lambda _: model),
        AutoTokenizer=SimpleNamespace(from_pretrained=lambda _: tokenizer),
    )
    AttackedText.pos_of_word_index = lambda text, place: tagged(tuple(text.words))[place][1]


def _with_neighbours(_: Resources) -> None:
    pso_module.WordSwapHowNet = partial(WordSwapEmbedding, max_candidates=_NEAREST)


def _with_names(given: Resources) -> None:
    lines = Path(given["names"]).read_text("utf-8").splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    kinds = {"person": "B-PER", "family": "E-PER", "city": "S-LOC", "country": "S-LOC", "nationality": "S-LOC"}
    tags = {word: kinds[kind] for kind, *words in rows for word in words}
    AttackedText.ner_of_word_index = lambda text, place, _="ner": SimpleNamespace(
        value=tags.get(text.words[place], "O"), score=1.0
    )


@lru_cache(maxsize=4096)
def tagged(words: tuple[str, ...]) -> list[tuple[str, str]]:
    """Returns words with their universal tags, by NLTK's perceptron."""
    return list(nltk.pos_tag(words, tagset="universal"))


_PREPARE: Mapping[str, Callable[[Resources], None]] = {
    "textbugger": _with_glove,
    "bae": _with_masked_model,
    "clare": _with_masked_model,
    "pso": _with_neighbours,
    "checklist": _with_names,
}
_RECIPES: Mapping[str, Any] = {
    "deepwordbug": DeepWordBugGao2018,
    "textbugger": TextBuggerLi2018,
    "pruthi": Pruthi2019,
    "bae": BAEGarg2019,
    "clare": CLARE2020,
    "a2t": A2TYoo2021,
    "pso": PSOZang2020,
    "iga": IGAWang2019,
    "checklist": CheckList2020,
    "input-reduction": InputReductionFeng2018,
}
