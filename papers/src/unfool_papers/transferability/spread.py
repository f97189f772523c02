"""Over how many words a model's answer is spread (Yuan et al., 2021, appendix C): BERTs over more, it says.

The paper shows one sentence. Here each word of many texts is made unknown in turn. What the log-likelihood of the
right label loses, taken as shares of the whole without sign, has an entropy; two to it is the number of words that
would matter equally, and that number is compared as a share of the text's words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool import data as data_room
from unfool import zoo
from unfool.rules import word_importance
from unfool.stats import Z95
from unfool.victims import Options, open_victim
from unfool_papers.study.claim import Claim, Term, judged
from unfool_papers.study.plan import Part, Section, Table, Work

_LEAST_WORDS = 5


class Spread(NamedTuple):
    """Which models, and how many texts."""

    models: tuple[str, ...]
    data: str = "rotten_tomatoes"
    """What the models are trained on."""
    n: int = 200


def words_that_matter(importance: NDArray[np.float64]) -> float:
    """Return how many words would have the entropy of these importances if they mattered equally."""
    shares = np.abs(importance) / np.abs(importance).sum()
    known = shares[shares > 0]
    return float(2 ** -(known * np.log2(known)).sum())


def spread(asked: Spread, device: str, say: Callable[[str], None]) -> dict[str, Any]:
    """Return for each model the mean share of a text's words that matter, with its 95 % interval."""
    texts = data_room.load(data_room.drawn(asked.data).name, split="test").sample(asked.n, seed=0)
    found: dict[str, dict[str, Any]] = {}
    for model in asked.models:
        say(f"importance of words to {model}")
        victim = open_victim(f"zoo:{model}@{asked.data}", Options(device, "fp32"))
        shares = []
        for sample in texts:
            if len(sample.text.editable) >= _LEAST_WORDS:
                (row,) = word_importance([victim], sample, texts.labels).values
                if np.abs(row).sum() > 0:
                    shares.append(words_that_matter(row) / len(row))
        middle, error = float(np.mean(shares)), float(np.std(shares, ddof=1) / len(shares) ** 0.5)
        found[model] = {
            "texts": len(shares),
            "words %": round(100 * middle, 2),
            "interval": [round(100 * (middle + sign * Z95 * error), 2) for sign in (-1, 1)],
        }
    return {"data": asked.data, "n": asked.n, "models": found}


def spread_part(asked: Spread) -> Part:
    """Return the part that tells over how many words the models' answers are spread."""
    return Part(f"Spread of importance, {asked.data}", partial(_section, asked), takes_kept=True)


def file_of(data: str) -> str:
    """Return the name that results of models trained on some data are kept under."""
    return f"spread-{data.replace('[', '-').replace(']', '')}"


def _section(asked: Spread, work: Work) -> Section:
    name = file_of(asked.data)
    found = work.kept.read(name) if work.kept else None
    if not found or list(found["models"]) != list(asked.models) or found["n"] != asked.n:
        if work.time_is_up:
            models = " ".join(asked.models)
            command = (
                f"python -m unfool_papers.scripts.spread --data '{asked.data}' --models {models} --n {asked.n}"
            )
            why = f"not measured; `{command}` does it, and `--from` takes what it leaves"
            return Section(problems={f"spread of importance, {asked.data}": why})
        found = spread(asked, work.device, work.say)
    about = f"{found['data']}, {found['n']} texts"
    return Section(
        tables=[
            Table(
                f"Words that matter, % of a text's words, {about}",
                ["model", "texts", "words, %", "95 % interval"],
                [
                    [model, str(each["texts"]), f"{each['words %']:.2f}", "{:.2f}–{:.2f}".format(*each["interval"])]
                    for model, each in found["models"].items()
                ],
            )
        ],
        claims=[each for each in (judged(claim, {}) for claim in _claims(found)) if each],
        notes=[
            "The paper shows one sentence of AG News and its models of one layer.",
            *(
                f"{model} is a stand-in: {said}"
                for model in found["models"]
                if (said := zoo.stand_in(model)) and model == "BERT"
            ),
        ],
        values=found,
    )


def _claims(found: dict[str, Any]) -> Iterator[Claim]:
    models = found["models"]
    for other in models:
        if other != "BERT" and "BERT" in models:
            terms = [
                Term(name, models[name]["words %"], "", (models[name]["interval"][0], models[name]["interval"][1]))
                for name in ("BERT", other)
            ]
            yield Claim(2, "BERTs spread importance over more words", f"{other}, {found['data']}", terms)
