"""What TextAttack's names stand for here: recipes, parts of attacks, models, data sets."""

from __future__ import annotations

from typing import NamedTuple


class Here(NamedTuple):
    """What stands for one of TextAttack's names: an attack, options it wants, and what is not the same."""

    attack: str
    options: tuple[str, ...] = ()
    differs: str = ""


def _most(words: float) -> tuple[str, ...]:
    return ("--max-words", str(words))


RECIPES = {
    "a2t": Here("a2t"),
    "alzantot": Here("ga:substitutes=counter-fitted,fitting=4", _most(0.2)),
    "bad-characters": Here("bad-characters"),
    "bae": Here("bae"),
    "bert-attack": Here("bert-attack"),
    "checklist": Here("checklist:changes=5"),
    "clare": Here("clare"),
    "deepwordbug": Here("deepwordbug"),
    "faster-alzantot": Here("faster-genetic", _most(0.2)),
    "hotflip": Here("hotflip-word"),
    "iga": Here("iga", _most(0.2)),
    "input-reduction": Here("input-reduction"),
    "kuleshov": Here("kuleshov", ("--confidence", "0.7")),
    "leap": Here("leap", _most(0.16)),
    "morpheus": Here("morpheus", ("--goal", "degrade")),
    "pruthi": Here("pruthi"),
    "pso": Here("pso"),
    "pwws": Here("pwws:same_pos=false", ("--constrain", "stop-words")),
    "seq2sick": Here(
        "textfooler", ("--goal", "differ"), "seq2sick's own space (textfooler is nearest; see also seq2sick)"
    ),
    "textbugger": Here("textbugger"),
    "textfooler": Here("textfooler"),
}

CLASSES = {
    "chinese": Here("pwws", ("--language", "Chinese")),
    "french": Here("pwws", ("--language", "French")),
    "spanish": Here("pwws", ("--language", "Spanish")),
}
"""Recipes that TextAttack has as classes alone: its command line does not know them."""

SPACES = {
    "word-swap-embedding": "neighbours",
    "word-swap-homoglyph": "look-alikes",
    "word-swap-neighboring-char-swap": "slips",
    "word-swap-qwerty": "slips",
    "word-swap-random-char-deletion": "slips",
    "word-swap-random-char-insertion": "slips",
    "word-swap-random-char-substitution": "slips",
    "word-swap-wordnet": "synonyms",
}
"""Spaces of `beam` that are what a transformation offers, or hold it."""
SLIPS_ARE = "slips offers every swap, drop, added letter and neighbouring key inside words of four letters or more"
"""What is told wherever `slips` stands for one of TextAttack's, each of which makes one kind of slip."""
OTHER_TRANSFORMATIONS = {
    "word-swap-gradient": "hotflip-word",
    "word-swap-hownet": "pso",
    "word-swap-inflections": "morpheus",
    "word-swap-masked-lm": "bae",
    "random-synonym-insertion": "bae:change=insert",
}
"""Attacks that are nearest to transformations which are no space of `beam`."""

CONSTRAINTS = {
    "chrf": "chrf>=0.6",
    "embedding": "word-similarity>=0.5",
    "gpt2": "perplexity<=2",
    "goog-lm": "perplexity<=2",
    "lang-tool": "grammar",
    "learning-to-write": "perplexity<=2",
    "max-words-perturbed": "words<=0.2",
    "muse": "universal-similarity>=0.8",
    "part-of-speech": "pos",
    "stopword": "stop-words",
    "use": "universal-similarity>=0.8",
    "bert": "similarity>=0.8",
    "repeat": "",
}
"""Constraints with TextAttack's limits, where they have some; what holds here anyway is empty."""
LIMITS = ("min_cos_sim", "max_percent", "threshold", "min_score", "max_chrf")
"""How TextAttack calls the limits of these."""

GOALS: dict[str, tuple[str, ...]] = {
    "untargeted-classification": (),
    "minimize-bleu": ("--goal", "degrade"),
    "non-overlapping-output": ("--goal", "differ"),
}

NETS = {"cnn": "zoo:WordCNN", "lstm": "zoo:WordLSTM"}

DATA = {
    "ag-news": ("ag_news", "ag-news"),
    "cola": ("nyu-mll/glue:cola", "CoLA"),
    "imdb": ("imdb", "imdb"),
    "mnli": ("nyu-mll/glue:mnli", "MNLI"),
    "mr": ("rotten_tomatoes", "rotten-tomatoes"),
    "mrpc": ("nyu-mll/glue:mrpc", "MRPC"),
    "qnli": ("nyu-mll/glue:qnli", "QNLI"),
    "qqp": ("nyu-mll/glue:qqp", "QQP"),
    "rte": ("nyu-mll/glue:rte", "RTE"),
    "snli": ("snli", "snli"),
    "sst2": ("nyu-mll/glue:sst2", "SST-2"),
    "stsb": ("nyu-mll/glue:stsb", "STS-B"),
    "wnli": ("nyu-mll/glue:wnli", "WNLI"),
    "yelp": ("yelp_polarity", "yelp-polarity"),
}
"""How models are called by their data: the data's name, and the end of the hub's name of the model."""


def data_of(model: str) -> tuple[str, str] | None:
    """Return data and split for a model by TextAttack's name, or None if its name does not say."""
    key = next((key for key in DATA if model.endswith(f"-{key}")), None)
    if key is None:
        return None
    name = DATA[key][0]
    split = {"nyu-mll/glue:mnli": "validation_matched"}.get(name, "validation" if "glue" in name else "test")
    return name, split


def victim_of(model: str) -> str | None:
    """Return the victim for a model by TextAttack's name; None for one that it had of nobody else."""
    key = next((key for key in DATA if model.endswith(f"-{key}")), None)
    if key is None:
        return None
    base = model.removesuffix(f"-{key}")
    if base in NETS:
        return f"{NETS[base]}@{DATA[key][0]}"
    return f"hf:textattack/{base}-{DATA[key][1]}"
